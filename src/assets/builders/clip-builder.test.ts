import { describe, expect, it } from 'vitest';
import { sampleTrack } from '../../proxy/motion/clip.js';
import { ClipPath, pathWord, sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import { gltfText, loadBytes } from '../testing/load-file.js';

interface Channel {
  readonly path: string;
  readonly node?: number;
  /** Pointer of KHR_animation_pointer, instead of node and path. */
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
  it('become tracks of the scene’s nodes; channels of other nodes are left out', async () => {
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

  it('may reference nodes by pointers; unsupported pointers are left out with a warning', async () => {
    const { clips, warnings } = await loadBytes(
      'x.gltf',
      animated([
        { ...slide, pointer: '/nodes/1/translation' },
        { ...slide, pointer: '/materials/0/extensions/KHR_materials_unknown/ior' },
        // A supported pointer to a material that the file lacks.
        { ...slide, pointer: '/materials/0/emissiveFactor' },
      ]),
    );
    expect(clips[0]!.nodes).toEqual([0]);
    expect(clips[0]!.tracks[0]).toBe(pathWord(ClipPath.position, 3));
    expect(warnings).toEqual([
      expect.stringMatching(
        /animations\[0\]\.channels\[1\].*"\/materials\/0\/extensions\/KHR_materials_unknown\/ior"/,
      ),
    ]);
    const beyond = await loadBytes('x.gltf', animated([{ ...slide, pointer: '/nodes/9/translation' }]));
    expect(beyond.clips[0]!.nodes).toEqual([]);
    expect(beyond.warnings).toEqual([
      '"x.gltf", animations[0].channels[0].target.node: It refers to nodes[9], and there are 3 nodes. The channel is left out.',
    ]);
  });

  it('may show and hide nodes, and always use STEP for that', async () => {
    const blink: Channel = {
      ...{ path: 'visible', type: 'SCALAR', times: [0, 1], values: [1, 0] },
      ...{ interpolation: 'STEP', pointer: '/nodes/1/extensions/KHR_node_visibility/visible' },
    };
    const { clips, warnings } = await loadBytes('x.gltf', animated([blink]));
    expect(clips[0]).toMatchObject({ nodes: [0], duration: 1 });
    expect(clips[0]!.tracks[0]).toBe(pathWord(ClipPath.visibility, 1));
    expect(warnings).toEqual([]);
    // Pointers to a node outside of the scene, and to a missing node.
    for (const node of [2, 9]) {
      const pointer = `/nodes/${node}/extensions/KHR_node_visibility/visible`;
      expect((await loadBytes('x.gltf', animated([{ ...blink, pointer }]))).clips[0]!.nodes).toEqual([]);
    }
    const smooth = await loadBytes('x.gltf', animated([{ ...blink, interpolation: 'LINEAR' }]));
    expect(smooth.clips).toEqual(clips);
    expect(smooth.warnings).toEqual([
      expect.stringContaining('samplers[0].interpolation: Visibility has no values in between, so STEP'),
    ]);
  });

  it('treat a rotation of four zeros as the identity', async () => {
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

  it('have a constant value if they have a single key', async () => {
    const { clips } = await loadBytes('x.gltf', animated([{ ...slide, times: [0.5], values: [7, 8, 9] }]));
    const out = new Float32Array(4);
    for (const seconds of [0, 0.5, 2]) {
      sampleTrack(clips[0]!, 0, seconds, 0, out);
      expect([...out.subarray(0, 3)]).toEqual([7, 8, 9]);
    }
  });

  it('name unsupported targets in warnings', async () => {
    const { clips, warnings } = await loadBytes(
      'x.gltf',
      animated([slide, { path: 'colour', times: [0], values: [1], type: 'SCALAR' }]),
    );
    expect(clips[0]!.nodes).toEqual([1]);
    expect(warnings).toEqual([expect.stringContaining('animations[0].channels[1]')]);
  });

  /** Returns the keys of the first track as `[time, ...values]`, with the clip's duration and the warnings. */
  async function keysOf(channels: readonly Channel[]) {
    const { clips, warnings } = await loadBytes('x.gltf', animated(channels));
    const { tracks, floats, duration } = clips[0]!;
    const [word = 0, , count = 0, times = 0, values = 0] = tracks;
    const keys = [...floats.subarray(times, times + count)].map((time, key) => {
      const size = sizeOf(word);
      return [time, ...floats.subarray(values + key * size, values + (key + 1) * size)];
    });
    return { keys, duration, warnings };
  }
  const keyed = (times: readonly number[], xs: readonly number[]): Channel => ({
    ...{ ...slide, times },
    values: xs.flatMap((x) => [x, 0, 0]),
  });

  it.each<readonly [string, Channel, readonly (readonly [time: number, x: number])[], RegExp]>([
    [
      'equal times',
      keyed([0, 1, 1, 2], [1, 2, 3, 4]),
      [
        [0, 1],
        [1, 3],
        [2, 4],
      ],
      /equal times; the last of them/,
    ],
    ['only keys of one time', keyed([1, 1], [1, 2]), [[1, 2]], /equal times/],
    [
      'falling times',
      keyed([2, 0, 1], [3, 1, 2]),
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      /not in the order/,
    ],
    [
      'falling and repeated times',
      keyed([1, 0, 1], [2, 1, 3]),
      [
        [0, 1],
        [1, 3],
      ],
      /equal times/,
    ],
    [
      'a time that is not finite',
      keyed([0, Number.NaN, 1], [1, 2, 3]),
      [
        [0, 1],
        [1, 3],
      ],
      /not finite; they are left out/,
    ],
    [
      'a value that is not finite',
      keyed([0, 1, 2], [1, Number.POSITIVE_INFINITY, 3]),
      [
        [0, 1],
        [2, 3],
      ],
      /not finite/,
    ],
    [
      'a time before 0',
      keyed([-1, 1], [1, 2]),
      [
        [-1, 1],
        [1, 2],
      ],
      /Keys lie before 0 s/,
    ],
    [
      'an unknown interpolation',
      { ...keyed([0, 1], [1, 2]), interpolation: 'BEZIER' },
      [
        [0, 1],
        [1, 2],
      ],
      /LINEAR is used/,
    ],
  ])('are repaired with a warning if they have %s', async (_, channel, keys, warning) => {
    const found = await keysOf([channel]);
    expect(found.keys.map(([time, x]) => [time, x])).toEqual(keys);
    expect(found.duration).toBe(keys.at(-1)?.[0]);
    expect(found.warnings.at(-1)).toMatch(warning);
    expect(found.warnings.at(-1)).toMatch(/^"x\.gltf", animations\[0\]\.samplers\[0\]/);
  });

  it('report a fault of many channels once', async () => {
    const channels = [0, 1, 0].map((node) => ({ ...keyed([0, 1, 1], [1, 2, 3]), node }));
    expect((await keysOf(channels)).warnings).toEqual([
      '"x.gltf", animations[0].samplers[0].input and 2 more: Keys have equal times; the last of them is used.',
    ]);
  });

  it('keep the tangents of cubic keys with their values', async () => {
    const cubic = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((x) => [x, 0, 0]);
    const { clips } = await loadBytes(
      'x.gltf',
      animated([{ ...slide, times: [0, 1, 1], values: cubic, interpolation: 'CUBICSPLINE' }]),
    );
    const { floats, tracks } = clips[0]!;
    const values = floats.subarray(tracks[4]!);
    expect([...values].filter((_, at) => at % 3 === 0)).toEqual([1, 2, 3, 7, 8, 9]);
  });

  it.each<readonly [string, Channel, RegExp]>([
    [
      'too few values',
      { ...slide, values: [0, 0, 0] },
      /output: It has 3 numbers; 2 keys of 3 numbers need 6/,
    ],
    [
      'cubic interpolation without tangents',
      { ...slide, interpolation: 'CUBICSPLINE' },
      /2 keys of 9 numbers need 18/,
    ],
    ['values of another size', { ...slide, values: [0, 0, 0, 1, 0, 0, 0, 1], type: 'VEC4' }, /3 components/],
    ['no keys', { ...slide, times: [], values: [] }, /input: It has no keys/],
    ['no finite key', keyed([Number.NaN], [1]), /input: It has no keys/],
  ])('leave out a channel that has %s, and keep the others', async (_, channel, message) => {
    const { clips, warnings } = await loadBytes('x.gltf', animated([channel, { ...slide, node: 1 }]));
    expect(clips[0]!.nodes).toEqual([0]);
    expect(warnings.filter((warning) => message.test(warning))).toEqual([
      expect.stringMatching(
        /^"x\.gltf", animations\[0\]\.samplers\[0\].* The animated value stays unchanged\.$/,
      ),
    ]);
  });
});
