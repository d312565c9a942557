import { describe, expect, it } from 'vitest';
import { sampleTrack } from '../proxy/clip.js';
import { ClipPath, pathWord, TRACK_WORDS } from '../proxy/clip-tracks.js';
import { gltfText, loadBytes } from './test-support.js';

interface Channel {
  readonly path: string;
  readonly node?: number;
  /** Of KHR_animation_pointer, in place of node and path. */
  readonly pointer?: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly interpolation?: string;
  readonly type?: string;
}

function animated(channels: readonly Channel[]): Uint8Array {
  const floats: number[] = [];
  const accessors: object[] = [];
  const add = (values: readonly number[], type: string, size: number): number => {
    const byteOffset = floats.length * 4;
    floats.push(...values);
    accessors.push({ bufferView: 0, byteOffset, componentType: 5126, count: values.length / size, type });
    return accessors.length - 1;
  };
  const sizes: Record<string, number> = { SCALAR: 1, VEC3: 3, VEC4: 4 };
  const animation = {
    samplers: channels.map(
      ({ times, values, interpolation, path, type = path === 'rotation' ? 'VEC4' : 'VEC3' }) => ({
        input: add(times, 'SCALAR', 1),
        output: add(values, type, sizes[type] as number),
        ...(interpolation && { interpolation }),
      }),
    ),
    channels: channels.map(({ path, node = 0, pointer }, sampler) => ({
      sampler,
      target: pointer
        ? { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } }
        : { node, path },
    })),
  };
  const bytes = new Uint8Array(new Float32Array(floats).buffer);
  return gltfText(
    {
      bufferViews: [{ buffer: 0, byteLength: bytes.length }],
      accessors,
      nodes: [{}, {}, {}],
      scenes: [{ nodes: [1, 0] }],
      scene: 0,
      animations: [animation],
    },
    bytes,
  );
}

const slide: Channel = { path: 'translation', times: [0, 1], values: [0, 0, 0, 1, 2, 3] };

describe('the animations of a file', () => {
  it('become tracks of the scene’s nodes, and what the scene lacks is left out', async () => {
    const turn: Channel = { path: 'rotation', times: [0.5], values: [0, 0, 0, 1], interpolation: 'STEP' };
    const { clips, warnings } = await loadBytes(
      'x.gltf',
      animated([slide, { ...turn, node: 1 }, { ...slide, node: 2 }]),
    );
    const [clip] = clips;
    expect(clip).toMatchObject({ name: 'animations[0]', duration: 1, nodes: [1, 0] });
    expect([...clip!.tracks]).toEqual([
      ...[pathWord(ClipPath.position, 3), 0, 2, 0, 2],
      ...[pathWord(ClipPath.rotation, 4), 1, 1, 8, 9],
    ]);
    expect(clip!.tracks).toHaveLength(2 * TRACK_WORDS);
    expect([...clip!.floats]).toEqual([0, 1, 0, 0, 0, 1, 2, 3, 0.5, 0, 0, 0, 1]);
    expect(warnings).toEqual([]);
  });

  it('may name nodes by pointers; other pointers are left out with a warning', async () => {
    const { clips, warnings } = await loadBytes(
      'x.gltf',
      animated([
        { ...slide, pointer: '/nodes/1/translation' },
        { ...slide, pointer: '/materials/0/extensions/KHR_materials_ior/ior' },
        // Known, and of nothing that is shown.
        { ...slide, pointer: '/materials/0/emissiveFactor' },
      ]),
    );
    expect(clips[0]!.nodes).toEqual([0]);
    expect(clips[0]!.tracks[0]).toBe(pathWord(ClipPath.position, 3));
    expect(warnings).toEqual([
      expect.stringMatching(
        /animations\[0\]\.channels\[1\].*"\/materials\/0\/extensions\/KHR_materials_ior\/ior"/,
      ),
    ]);
    const beyond = loadBytes('x.gltf', animated([{ ...slide, pointer: '/nodes/9/translation' }]));
    await expect(beyond).rejects.toMatchObject({ code: 'gltf-invalid' });
  });

  it('may show and hide nodes, by steps alone', async () => {
    const blink: Channel = {
      ...{ path: 'visible', type: 'SCALAR', times: [0, 1], values: [1, 0] },
      ...{ interpolation: 'STEP', pointer: '/nodes/1/extensions/KHR_node_visibility/visible' },
    };
    const { clips, warnings } = await loadBytes('x.gltf', animated([blink]));
    expect(clips[0]).toMatchObject({ nodes: [0], duration: 1 });
    expect(clips[0]!.tracks[0]).toBe(pathWord(ClipPath.visibility, 1));
    expect(warnings).toEqual([]);
    // Of no scene, and of no node.
    for (const node of [2, 9]) {
      const pointer = `/nodes/${node}/extensions/KHR_node_visibility/visible`;
      expect((await loadBytes('x.gltf', animated([{ ...blink, pointer }]))).clips[0]!.nodes).toEqual([]);
    }
    await expect(
      loadBytes('x.gltf', animated([{ ...blink, interpolation: 'LINEAR' }])),
    ).rejects.toMatchObject({
      code: 'gltf-invalid',
      message: expect.stringContaining('STEP'),
    });
  });

  it('turn nothing where a rotation is four zeros', async () => {
    const zeros = [0, 0, 0, 0];
    const turn = [0, 0, 1, 0];
    const channel = { path: 'rotation', times: [0, 1] };
    const { clips } = await loadBytes(
      'x.gltf',
      animated([
        { ...channel, values: [...zeros, ...turn] },
        {
          ...{ ...channel, interpolation: 'CUBICSPLINE', node: 1 },
          values: [zeros, zeros, zeros, zeros, turn, zeros].flat(),
        },
      ]),
    );
    const [clip] = clips;
    const out = new Float32Array(4);
    const at = (track: number, time: number) => {
      sampleTrack(clip!, track, time, 0, out);
      return [...out];
    };
    for (const track of [0, 1]) {
      expect([at(track, 0), at(track, 1)]).toEqual([[0, 0, 0, 1], turn]);
    }
  });

  it('hold where there is one key', async () => {
    const { clips } = await loadBytes('x.gltf', animated([{ ...slide, times: [0.5], values: [7, 8, 9] }]));
    const out = new Float32Array(4);
    for (const seconds of [0, 0.5, 2]) {
      sampleTrack(clips[0]!, 0, seconds, 0, out);
      expect([...out.subarray(0, 3)]).toEqual([7, 8, 9]);
    }
  });

  it('name what they move and nothing here can', async () => {
    const { clips, warnings } = await loadBytes(
      'x.gltf',
      animated([slide, { path: 'colour', times: [0], values: [1], type: 'SCALAR' }]),
    );
    expect(clips[0]!.nodes).toEqual([1]);
    expect(warnings).toEqual([expect.stringContaining('animations[0].channels[1]')]);
  });

  it.each<readonly [string, Channel, RegExp]>([
    ['times that fall', { ...slide, times: [1, 0] }, /samplers\[0\]\.input.*Key 1 is at 0 s/],
    ['equal times', { ...slide, times: [1, 1] }, /Key 1 is at 1 s; times should be finite, from 0, and rise/],
    ['a time that is not finite', { ...slide, times: [0, Number.NaN] }, /samplers\[0\]\.input/],
    ['a time before 0', { ...slide, times: [-1, 0] }, /Key 0 is at -1 s/],
    ['a value too few', { ...slide, values: [0, 0, 0] }, /output.*It has 3 numbers; 2 keys of 3 are 6/],
    ['a cubic without tangents', { ...slide, interpolation: 'CUBICSPLINE' }, /2 keys of 9 are 18/],
    ['an unknown interpolation', { ...slide, interpolation: 'BEZIER' }, /LINEAR, STEP or CUBICSPLINE/],
    ['values of another size', { ...slide, values: [0, 0, 0, 1, 0, 0, 0, 1], type: 'VEC4' }, /3 components/],
    ['a value that is not finite', { ...slide, values: [0, 0, 0, 1, Number.NaN, 3] }, /not finite/],
  ])('are refused with %s', async (_, channel, message) => {
    await expect(loadBytes('x.gltf', animated([channel]))).rejects.toMatchObject({
      code: 'gltf-invalid',
      message: expect.stringMatching(message),
    });
  });
});
