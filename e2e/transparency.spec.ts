import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: blended surfaces and surfaces with a draw order: in which order they are drawn, and how they blend.

type Pixels = Record<string, number[]>;

inEveryMode(
  'R14: two-sided blended surfaces draw back faces first, nested things come from the inside out, renderOrder decides',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 4] });
    const middle = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit.pixel(frame, frame.width / 2 + 3, frame.height / 2 + 3).slice(0, 3);
    };
    const all: Pixels = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      // A box that is red in front and green behind.
      const sides = shaderMaterial({
        lit: false,
        doubleSided: true,
        alphaMode: 'blend',
        wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
          let isFront = point.position.z > 0.0;
          (*appearance).baseColor = select(vec4f(0.0, 1.0, 0.0, 0.5), vec4f(1.0, 0.0, 0.0, 0.5), isFront);
        }`,
      });
      const box = world.addMesh({ geometry: boxGeometry(), material: sides });
      all[`${renderer}, both sides`] = await middle();
      box.destroy();
      // A shell around a ball. The ball must be drawn first, although its centre is nearer to the camera.
      const shell = unlitMaterial({ baseColor: [1, 0, 0, 0.5] });
      const ball = unlitMaterial({ baseColor: [0, 0, 1, 0.5] });
      const outer = world.addMesh({ geometry: boxGeometry({ size: 2 }), material: shell });
      const inner = world.addMesh({
        geometry: boxGeometry({ size: 0.5 }),
        material: ball,
        position: [0, 0, 0.5],
      });
      all[`${renderer}, nested`] = await middle();
      inner.mesh!.renderOrder = 1;
      all[`${renderer}, ordered`] = await middle();
      inner.mesh!.renderOrder = -1;
      all[`${renderer}, ordered back`] = await middle();
      for (const each of [outer, inner]) each.destroy();
      // Opaque planes at one depth: the order decides, because none of them tests depth.
      const geometry = planeGeometry({ size: 2 });
      const first = unlitMaterial({ baseColor: '#f00', depthTest: false });
      const second = unlitMaterial({ baseColor: '#0f0', depthTest: false });
      const planes = [first, second].map((material) => world.addMesh({ geometry, material }));
      planes[0]!.mesh!.renderOrder = 2;
      planes[1]!.mesh!.renderOrder = 1;
      all[`${renderer}, without depth`] = await middle();
      planes[0]!.mesh!.renderOrder = -1;
      all[`${renderer}, early`] = await middle();
      for (const each of planes) each.destroy();
    }
    await engine.step(0);
    return all;
  },
  (found) => {
    const seen = found as Pixels;
    for (const renderer of ['forward', 'deferred']) {
      // Half of the front face over half of the back face. sRGB of a half is 188, of a quarter 137.
      expect(seen[`${renderer}, both sides`]).toEqual([188, 137, 0]);
      // Red over blue: a half of 1, and a half of a half.
      expect(seen[`${renderer}, nested`]).toEqual([188, 0, 137]);
      expect(seen[`${renderer}, ordered`]).toEqual([137, 0, 188]);
      expect(seen[`${renderer}, ordered back`]).toEqual([188, 0, 137]);
      expect(seen[`${renderer}, without depth`]).toEqual([255, 0, 0]);
      expect(seen[`${renderer}, early`]).toEqual([0, 255, 0]);
    }
  },
);

inEveryMode(
  'R14: surfaces add their light, multiply the colour behind, and write or skip depth as their material says',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4] });
    const geometry = planeGeometry({ size: 2 });
    const middle = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit.pixel(frame, frame.width / 2, frame.height / 2).slice(0, 3);
    };
    const all: Pixels = {};
    for (const [name, toneMapped, hdr] of [
      ['tone-mapped', true, true],
      ['unmapped', false, true],
      ['display', true, false],
    ] as const) {
      engine.hdr = hdr;
      engine.toneMapping = hdr ? 'khronos-neutral' : 'none';
      engine.background = [0.05, 0.05, 0.05, 1];
      const glow = unlitMaterial({ baseColor: [0.2, 0, 0, 1], toneMapped, blending: 'additive' });
      const plane = world.addMesh({ geometry, material: glow, position: [0, 0, 1] });
      all[`${name}, light over the background`] = await middle();
      const wall = world.addMesh({
        geometry,
        material: unlitMaterial({ baseColor: [0, 0.2, 0], toneMapped }),
      });
      all[`${name}, light over a wall`] = await middle();
      plane.mesh!.material = unlitMaterial({ baseColor: [1, 0.5, 1, 1], toneMapped, blending: 'multiply' });
      all[`${name}, filter`] = await middle();
      plane.mesh!.material = unlitMaterial({ baseColor: [1, 0, 1, 0.5], toneMapped, blending: 'multiply' });
      all[`${name}, half a filter`] = await middle();
      for (const each of [plane, wall]) each.destroy();
    }
    engine.hdr = true;
    engine.toneMapping = 'none';
    // An invisible blended wall before an opaque box that is drawn later. The wall hides the box if it writes depth.
    const wall = unlitMaterial({ baseColor: [0, 0, 0, 0], alphaMode: 'blend' });
    world.addMesh({ geometry, material: wall, position: [0, 0, 1] });
    const box = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#fff' }) });
    box.mesh!.renderOrder = 1;
    engine.background = '#000';
    all.through = await middle();
    wall.depthWrite = true;
    all.hidden = await middle();
    return { all, modes: [wall.depthWrite, wall.depthTest, wall.blending] };
  },
  (found) => {
    const { all, modes } = found as { all: Pixels; modes: unknown[] };
    expect(modes).toEqual([true, true, 'normal']);
    for (const name of ['tone-mapped', 'unmapped', 'display']) {
      const [red = 0, green = 0] = all[`${name}, light over the background`]!;
      expect(red, JSON.stringify(all)).toBeGreaterThan(green + 40);
      const over = all[`${name}, light over a wall`]!;
      expect(over[0], JSON.stringify(all)).toBeGreaterThan(80);
      expect(over[1]).toBeGreaterThan(80);
      expect(all[`${name}, filter`]![1]).toBeLessThan(over[1]! - 15);
      expect(all[`${name}, half a filter`]![1]).toBeLessThan(over[1]! - 15);
      expect(all[`${name}, half a filter`]![1]).toBeGreaterThan(20);
    }
    expect(all.through).toEqual([255, 255, 255]);
    expect(all.hidden).toEqual([0, 0, 0]);
  },
);

inEveryMode(
  'R14: lit, ordered and depth-less things are drawn beside glass, behind occluders, and picked as they are seen',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 4] });
    world.setAmbient('#fff', 3);
    const geometry = planeGeometry({ size: 2 });
    const clear = standardMaterial({ roughness: 0, ior: 1, transmission: 1 });
    const middle = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit.pixel(frame, frame.width / 2, frame.height / 2).slice(0, 3);
    };
    const all: Record<string, unknown> = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      const pane = world.addMesh({ geometry, material: clear, position: [0, 0, 0.5] });
      const wall = world.addMesh({ geometry, material: unlitMaterial({ baseColor: '#00f' }) });
      const lit = standardMaterial({ baseColor: '#f00', roughness: 1 });
      const ordered = world.addMesh({ geometry, material: lit, position: [0, 0, 1], renderOrder: 1 });
      all[`${renderer}, ordered`] = await middle();
      const clone = ordered.clone();
      all[`${renderer}, order of the clone`] = clone.mesh!.renderOrder;
      for (const each of [ordered, clone]) each.destroy();
      const floating = standardMaterial({
        baseColor: '#0f0',
        roughness: 1,
        depthTest: false,
        depthWrite: false,
      });
      const gizmo = world.addMesh({ geometry, material: floating, position: [0, 0, -1], name: 'gizmo' });
      all[`${renderer}, gizmo`] = await middle();
      const block = world.addMesh({ geometry: boxGeometry(), position: [0, 0, 1], occluder: true });
      all[`${renderer}, gizmo behind an occluder`] = await middle();
      const found = await engine.pick(64, 64);
      all[`${renderer}, picked`] = found?.actor.name;
      for (const each of [pane, wall, gizmo, block]) each.destroy();
    }
    // With four panes in a row, the nearest pane still shows the colour of the next one.
    const panes = [0.25, 0.5, 0.75, 1].map((z, index) => {
      const baseColor = index === 2 ? ([1, 0.25, 1] as const) : ([1, 1, 1] as const);
      const material = standardMaterial({ baseColor, roughness: 0, ior: 1, transmission: 1 });
      return world.addMesh({ geometry, material, position: [0, 0, z] });
    });
    world.addMesh({ geometry, material: unlitMaterial({ toneMapped: true }) });
    world.setAmbient('#000', 0);
    all.panes = await middle();
    for (const each of panes) each.destroy();
    await engine.step(0);
    return all;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    for (const renderer of ['forward', 'deferred']) {
      const [red = 0, green = 0, blue = 0] = seen[`${renderer}, ordered`]!;
      expect(red, JSON.stringify(seen)).toBeGreaterThan(Math.max(green, blue) + 60);
      expect(seen[`${renderer}, order of the clone`]).toBe(1);
      for (const name of ['gizmo', 'gizmo behind an occluder']) {
        const [r = 255, g = 0] = seen[`${renderer}, ${name}`]!;
        expect(g, JSON.stringify(seen)).toBeGreaterThan(r + 60);
      }
      expect(seen[`${renderer}, picked`]).toBe('gizmo');
    }
    expect(Math.abs(seen.panes![1]! - 137), JSON.stringify(seen)).toBeLessThanOrEqual(3);
    expect(seen.panes![0]).toBeGreaterThan(250);
  },
);
