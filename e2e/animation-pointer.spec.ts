/** Clips that animate materials, lights and cameras of a file (KHR_animation_pointer), through the public API. */
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

inEveryMode(
  'clips drive colours, emission, transforms of textures, lights and lenses, and restore them at the end',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    engine.background = '#000';
    const floats: number[] = [];
    const bufferViews: object[] = [];
    const accessors: object[] = [];
    const add = (values: readonly number[], size: number, extra = {}): number => {
      const view = { buffer: 0, byteOffset: floats.length * 4, byteLength: values.length * 4 };
      bufferViews.push(view);
      floats.push(...values);
      const type = size === 1 ? 'SCALAR' : `VEC${size}`;
      const bufferView = bufferViews.length - 1;
      accessors.push({ bufferView, componentType: 5126, count: values.length / size, type, ...extra });
      return accessors.length - 1;
    };
    const h = 0.5;
    const POSITION = add([-h, -h, 0, h, -h, 0, -h, h, 0, h, h, 0], 3, { min: [-h, -h, 0], max: [h, h, 0] });
    const NORMAL = add([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], 3);
    const TEXCOORD_0 = add([0, 1, 1, 1, 0, 0, 1, 0], 2);
    const times = add([0, 1], 1, { min: [0], max: [1] });
    /** Returns a clip whose channels go from one value to another in one second. */
    const clip = (name: string, channels: Record<string, readonly [number, readonly number[]]>) => ({
      name,
      samplers: Object.values(channels).map(([size, values]) => ({
        input: times,
        output: add(values, size),
      })),
      channels: Object.keys(channels).map((pointer, sampler) => ({
        sampler,
        target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } },
      })),
    });
    const strength = 'KHR_materials_emissive_strength/emissiveStrength';
    const animations = [
      clip('colors', {
        '/materials/0/pbrMetallicRoughness/baseColorFactor': [4, [1, 0, 0, 1, 0, 0, 1, 1]],
        '/materials/1/emissiveFactor': [3, [1, 1, 1, 0, 1, 1]],
        [`/materials/1/extensions/${strength}`]: [1, [0.5, 1]],
        '/extensions/KHR_lights_punctual/lights/0/intensity': [1, [0, 0.4]],
        '/extensions/KHR_lights_punctual/lights/0/color': [3, [1, 1, 1, 1, 1, 0]],
      }),
      clip('zoom', { '/cameras/0/orthographic/ymag': [1, [2, 1]] }),
      // The texture is half red and half green. An offset of half its width or a rotation by π swaps the
      // halves.
      clip('slide', {
        '/materials/3/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset': [
          2,
          [0, 0, 0.5, 0],
        ],
      }),
      clip('turn', {
        '/materials/3/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/rotation': [
          1,
          [0, Math.PI],
        ],
      }),
      clip('unknown', { '/materials/0/extensions/KHR_materials_unknown/ior': [1, [1, 2]] }),
    ];
    const halves = new OffscreenCanvas(2, 1);
    const drawing = halves.getContext('2d')!;
    drawing.fillStyle = '#f00';
    drawing.fillRect(0, 0, 1, 1);
    drawing.fillStyle = '#0f0';
    drawing.fillRect(1, 0, 1, 1);
    const dataUri = async (blob: Blob): Promise<string> => {
      let binary = '';
      for (const byte of new Uint8Array(await blob.arrayBuffer())) binary += String.fromCharCode(byte);
      return `data:${blob.type};base64,${btoa(binary)}`;
    };
    const unlit = { KHR_materials_unlit: {} };
    const dull = { baseColorFactor: [0, 0, 0, 1], metallicFactor: 0, roughnessFactor: 1 };
    const json = {
      asset: { version: '2.0' },
      extensions: {
        KHR_lights_punctual: { lights: [{ type: 'point', intensity: 0.2, range: 0.55 }] },
      },
      extensionsUsed: ['KHR_animation_pointer', 'KHR_lights_punctual', 'KHR_materials_unlit'],
      buffers: [
        {
          byteLength: floats.length * 4,
          uri: await dataUri(new Blob([new Float32Array(floats)], { type: 'application/octet-stream' })),
        },
      ],
      bufferViews,
      accessors,
      images: [{ uri: await dataUri(await halves.convertToBlob()) }],
      samplers: [{ magFilter: 9728, minFilter: 9728 }],
      textures: [{ source: 0, sampler: 0 }],
      materials: [
        { extensions: unlit },
        {
          emissiveFactor: [0.2, 0.2, 0.2],
          pbrMetallicRoughness: dull,
          extensions: { KHR_materials_emissive_strength: { emissiveStrength: 0.5 } },
        },
        { pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 } },
        { extensions: unlit, pbrMetallicRoughness: { baseColorTexture: { index: 0 } } },
      ],
      meshes: [0, 1, 2, 3].map((material) => ({
        primitives: [{ mode: 5, attributes: { POSITION, NORMAL, TEXCOORD_0 }, material }],
      })),
      cameras: [{ type: 'orthographic', orthographic: { xmag: 2, ymag: 2, znear: 1, zfar: 20 } }],
      nodes: [
        { mesh: 0, translation: [-1, 0, 0] },
        { mesh: 1 },
        { mesh: 2, translation: [1, 0, 0] },
        { translation: [1, 0, 0.3], extensions: { KHR_lights_punctual: { light: 0 } } },
        { name: 'eye', camera: 0, translation: [0, 0, 10] },
        { mesh: 3, translation: [0, -1.2, 0] },
      ],
      scenes: [{ nodes: [0, 1, 2, 3, 4, 5] }],
      animations,
    };
    const file = () => new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
    const level = await world.load(file());
    const { warnings } = level;
    world.activeCamera = level.find('eye') as never;
    await engine.whenReady();
    /** Returns the colours of pixels, given as columns and rows. 32 pixels are 1 m. */
    const look = async (...places: readonly (readonly [number, number])[]) => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, y]) => kit.pixel(frame, x, y).slice(0, 3).join());
    };
    const [paint, glow, lit] = [[32, 64] as const, [64, 64] as const, [96, 64] as const];
    const edge = [88, 64] as const;
    const rest = await look(paint, glow, lit, edge);
    const at = async (
      name: string,
      startSeconds: number,
      ...places: readonly (readonly [number, number])[]
    ) => {
      const playback = level.play(name, { speed: 0, startSeconds });
      const seen = await look(...places);
      playback.stop();
      return seen;
    };
    const colors = [];
    for (const time of [0, 0.5, 1]) colors.push(await at('colors', time, paint, glow, lit));
    const again = await look(paint, glow, lit, edge);
    const zoom = [await at('zoom', 0, edge), await at('zoom', 1, edge)];
    const [left, right] = [[56, 102] as const, [72, 102] as const];
    const slide = [
      await look(left, right),
      await at('slide', 1, left, right),
      await at('turn', 1, left, right),
    ];
    // A clip of weight 0.5 blends with the page's value, so half of that value shows.
    const half = level.play('colors', { speed: 0, weight: 0.5 });
    await engine.step(0);
    level.actors[0]!.mesh!.material.baseColor = [0, 1, 0, 1];
    const mixed = await look(paint);
    half.stop();
    const afterwards = await look(paint);
    // `other` is unloaded while its playback and two playbacks of `level` are active.
    level.play('colors', { speed: 0, startSeconds: 0.5 });
    level.play('zoom', { speed: 0, startSeconds: 0.25 });
    await engine.step(0);
    const other = await world.load(file());
    other.play('colors', { speed: 0, startSeconds: 1 });
    await engine.step(0);
    other.unload();
    await engine.step(0);
    return { warnings, rest, colors, again, zoom, slide, mixed, afterwards };
  },
  (seen) => {
    const { warnings, rest, colors, again, zoom, slide, mixed, afterwards } = seen as Record<string, never[]>;
    expect(warnings).toEqual([
      expect.stringContaining('"/materials/0/extensions/KHR_materials_unknown/ior"'),
    ]);
    expect(again).toEqual(rest);
    // Values are halfway in linear light: 188 of 255 is 0.5, 165 is 0.375, 225 is 0.75.
    expect(colors).toEqual([
      ['255,0,0', '188,188,188', '0,0,0'],
      ['188,0,188', '165,225,225', expect.anything()],
      ['0,0,255', '0,255,255', expect.stringMatching(/^(\d+),\1,0$/)],
    ]);
    const [, middle] = colors as unknown as string[][];
    expect((middle?.[2] ?? '').split(',').map(Number)[2]).toBeGreaterThan(0);
    expect(zoom).toEqual([[rest![3]], [rest![1]]]);
    expect(slide).toEqual([
      ['255,0,0', '0,255,0'],
      ['0,255,0', '255,0,0'],
      ['0,255,0', '255,0,0'],
    ]);
    expect(mixed).toEqual(['188,188,0']);
    expect(afterwards).toEqual(['0,255,0']);
  },
);
