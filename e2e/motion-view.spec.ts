import { expect, test } from './fixtures.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';
import { MODES } from './threading-modes.js';

// R11: the motion of everything that moves, as taa uses it and the debug view `motion` shows it.

declare global {
  interface Window {
    gltfFiles: { skinned: () => ArrayBuffer; morphed: (isSkinned: boolean) => ArrayBuffer };
  }
}

test('R11: nodes, instances, joints, morph targets, shaders and cameras move, in every mode', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  await page.evaluate(`window.gltfFiles = { skinned: ${skinnedGltf}, morphed: ${morphedGltf} }`);
  const results = await page.evaluate(async (modes) => {
    const { fencepost, kit, gltfFiles } = window;
    const { boxGeometry, shaderMaterial, standardMaterial } = fencepost;
    const results: { seen: Record<string, number[]>; errors: string[]; leaks: unknown }[] = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(kit.view, { threading, validation: true, pixelRatio: 1 });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      const { world } = engine;
      // 16 pixels per metre.
      const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      const material = standardMaterial({ baseColor: '#fff' });
      const box = world.addMesh({ geometry: boxGeometry(), material, position: [-3, -3, 0] });
      const still = world.addMesh({ geometry: boxGeometry(), material, position: [-3, 3, 0] });
      const places = world.addInstances({ geometry: boxGeometry(), material, count: 1 });
      places.positions.set([-1, -3, 0]);
      places.touch();
      const timed = shaderMaterial({
        wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
          (*moved).position.y += point.time * 5.0;
        }`,
        displacement: 5,
      });
      world.addMesh({ geometry: boxGeometry(), material: timed, position: [1, -3, 0] });
      // Lines and points have no motion of their own.
      world.addLines({ positions: [2, 3, 0, 4, 3, 0], width: 8 });
      world.addPoints({ positions: [2, -2, 0], size: 8 });
      const skinned = await world.load(gltfFiles.skinned());
      const morphed = await world.load(gltfFiles.morphed(false));
      const [upper] = morphed
        .find('face')!
        .components.filter((each) => each instanceof fencepost.MeshComponent);
      morphed.find('face')!.root.position.set(2.5, 0, 0);
      engine.debugView = 'motion';
      const shot = async (delta: number): Promise<Record<string, number[]>> => {
        await engine.step(delta);
        const frame = await engine.captureFrame();
        const at = (x: number, y: number) =>
          kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16)).slice(0, 3);
        return {
          node: at(-3, -3),
          still: at(-3, 3),
          instance: at(-1, -3),
          shader: at(1, -3),
          joints: at(0.1, 1),
          morph: at(2.6, 1),
          nothing: at(-2, 0),
          line: at(3, 3),
          point: at(2, -2),
        };
      };
      const all: Record<string, number[]> = {};
      const keep = (name: string, colors: Record<string, number[]>): void => {
        for (const [key, color] of Object.entries(colors)) all[`${name}, ${key}`] = color;
      };
      await engine.step(0);
      await engine.whenReady();
      keep('still', await shot(0));
      box.position.set(-2.75, -3, 0);
      places.positions.set([-1, -2.75, 0]);
      places.touch();
      skinned.actors[1]!.root.position.set(0.25, 0, 0);
      (upper as InstanceType<typeof fencepost.MeshComponent>).setMorphWeight('right', 0.125);
      keep('moved', await shot(0.05));
      void still;
      camera.position.set(0.25, 0, 10);
      keep('camera', await shot(0));
      // A new feature changes the bindings of all draws.
      world.addDirectionalLight({ direction: [0, 0, -1], castShadow: true });
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      box.position.set(-2.5, -3, 0);
      keep('lit', await shot(0));
      box.position.set(-2.25, -3, 0);
      const drawn = await engine.captureFrame({ width: 256 });
      all['drawn, node'] = kit.pixel(drawn, 128 - 2.5 * 32, 128 + 3 * 32).slice(0, 3);
      engine.debugView = 'none';
      await engine.step(0);
      const { leaks } = await engine.dispose();
      results.push({ seen: all, errors, leaks });
    }
    return results;
  }, MODES);
  for (const { seen, errors, leaks } of results) {
    expect({ errors, leaks }).toEqual({ errors: [], leaks: [] });
    expect(seen).toEqual(results[0]!.seen);
  }
  const { seen } = results[0]!;
  const text = JSON.stringify(seen, null, 1);
  const near = (name: string, red: number, green: number): void => {
    const [r = 0, g = 0, b = 0] = seen[name]!;
    expect(
      Math.max(Math.abs(r - red), Math.abs(g - green), Math.abs(b - 128)),
      `${name}: ${text}`,
    ).toBeLessThan(4);
  };
  for (const name of ['node', 'still', 'instance', 'shader', 'joints', 'morph'])
    near(`still, ${name}`, 128, 128);
  // 4 of 16 pixels.
  near('moved, node', 160, 128);
  near('moved, still', 128, 128);
  near('moved, instance', 128, 160);
  near('moved, shader', 128, 160);
  near('moved, joints', 160, 128);
  near('moved, morph', 160, 128);
  for (const name of ['nothing', 'line', 'point']) expect(seen[`moved, ${name}`]).toEqual([0, 0, 0]);
  near('camera, still', 96, 128);
  near('lit, node', 160, 128);
  near('lit, still', 128, 128);
  near('drawn, node', 128, 128);
});
