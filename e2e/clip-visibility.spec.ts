/** Clips that show and hide nodes (KHR_node_visibility by KHR_animation_pointer), through the public API. */
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

inEveryMode(
  'clips show and hide nodes with their children and lights, and restore the page’s visibility',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    engine.background = '#000';
    const floats = [
      ...[-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0],
      ...[0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
      ...[0, 1, 2],
    ];
    const all = new Uint8Array(120);
    all.set(new Uint8Array(new Float32Array(floats).buffer));
    // One track shows, hides and shows its node. The other does the opposite.
    all.set([1, 0, 1], 108);
    all.set([0, 1, 0], 112);
    const accessor = (
      byteOffset: number,
      componentType: number,
      count: number,
      type: string,
      extra = {},
    ) => ({
      ...{ bufferView: 0, byteOffset, componentType, count, type, ...extra },
    });
    const unlit = { extensions: { KHR_materials_unlit: {} } };
    const pointer = (node: number) => ({
      path: 'pointer',
      extensions: {
        KHR_animation_pointer: { pointer: `/nodes/${node}/extensions/KHR_node_visibility/visible` },
      },
    });
    const blink = (name: string, node: number, output: number) => ({
      name,
      samplers: [{ input: 2, output, interpolation: 'STEP' }],
      channels: [{ sampler: 0, target: pointer(node) }],
    });
    const primitive = (material: number) => ({ mode: 5, attributes: { POSITION: 0, NORMAL: 1 }, material });
    const json = {
      asset: { version: '2.0' },
      extensionsUsed: [
        'KHR_animation_pointer',
        'KHR_node_visibility',
        'KHR_lights_punctual',
        'KHR_materials_unlit',
      ],
      extensions: { KHR_lights_punctual: { lights: [{ type: 'directional', intensity: 3 }] } },
      buffers: [
        {
          byteLength: all.length,
          uri: `data:application/octet-stream;base64,${btoa(String.fromCharCode(...all))}`,
        },
      ],
      bufferViews: [{ buffer: 0, byteLength: all.length }],
      accessors: [
        accessor(0, 5126, 4, 'VEC3', { min: [-1, -1, 0], max: [1, 1, 0] }),
        accessor(48, 5126, 4, 'VEC3'),
        accessor(96, 5126, 3, 'SCALAR', { min: [0], max: [2] }),
        accessor(108, 5121, 3, 'SCALAR'),
        accessor(112, 5121, 3, 'SCALAR'),
      ],
      materials: [unlit, { pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 } }],
      meshes: [{ primitives: [primitive(0)] }, { primitives: [primitive(1)] }],
      nodes: [
        { children: [1, 2], name: 'group' },
        { mesh: 0, translation: [-2, 0, 0] },
        { extensions: { KHR_lights_punctual: { light: 0 } } },
        { mesh: 1, translation: [2, 0, 0] },
        {
          mesh: 0,
          translation: [-2, -2.5, 0],
          extensions: { KHR_node_visibility: { visible: false } },
          name: 'hidden',
        },
      ],
      scenes: [{ nodes: [0, 3, 4] }],
      animations: [blink('group', 0, 3), blink('hidden', 4, 4)],
    };
    const level = await world.load(new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer);
    const clone = level.clone();
    clone.root!.visible = false;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    await engine.whenReady();
    /** Returns whether the group's mesh, the mesh that its light shines on, and the hidden mesh show. */
    const look = async (deltaSeconds = 0) => {
      await engine.step(deltaSeconds);
      const frame = await engine.captureFrame();
      return [
        [32, 64],
        [96, 64],
        [32, 104],
      ]
        .map(([x, y]) => (kit.pixel(frame, x!, y!)[0]! > 50 ? 1 : 0))
        .join('');
    };
    const rest = await look();
    const group = level.play('group', { loop: 'once' });
    const hidden = level.play('hidden', { loop: 'once' });
    const played = [await look()];
    for (let step = 0; step < 4; step++) played.push(await look(0.5));
    const picked = (await engine.pick(32, 104))?.actor.name ?? null;
    const states = [
      level.find('group')!.visible,
      level.find('hidden')!.visible,
      clone.find('group')!.visible,
    ];
    // The page's value shows once the clip has ended.
    group.time = 1;
    const again = await look();
    level.find('hidden')!.visible = true;
    await engine.step(0);
    hidden.stop();
    group.stop();
    const stopped = await look();
    // A weight below 0.5 does not change visibility.
    const light = level.play('group', { speed: 0, startSeconds: 1, weight: 0.4 });
    const weak = await look();
    light.weight = 0.6;
    const strong = await look();
    return { warnings: level.warnings, rest, played, picked, states, again, stopped, weak, strong };
  },
  (seen) => {
    expect(seen).toEqual({
      ...{ warnings: [], rest: '110' },
      played: ['110', '110', '001', '001', '110'],
      ...{ picked: null, states: [true, false, true] },
      ...{ again: '000', stopped: '111', weak: '111', strong: '001' },
    });
  },
);
