import type { CapturedFrame, Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R11: pictures are averaged over time, by the motion of everything that moves.

type Numbers = Record<string, number>;

inEveryMode(
  'R11: taa of a still picture converges to 64 samples per pixel, in both renderers, and spreads no NaN',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#246';
    world.addCamera({ position: [1, 1.2, 3], lookAt: [0, 0, 0], fovY: 0.7 });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    const white = standardMaterial({ baseColor: '#fff', roughness: 0.7 });
    world.addMesh({ geometry: boxGeometry(), material: white }).rotateY(0.4);
    // Bars thinner than a pixel, bright and dark.
    const bar = boxGeometry({ size: [0.012, 1.6, 0.012] });
    for (let index = 0; index < 12; index++) {
      const material = unlitMaterial({ baseColor: index % 2 ? '#000' : '#fc4' });
      world.addMesh({ geometry: bar, material, position: [index * 0.12 - 0.7, 0, 0.8] }).rotateZ(0.1);
    }
    const glass = standardMaterial({ baseColor: [0.2, 0.8, 0.3, 0.5] });
    world.addMesh({ geometry: planeGeometry({ size: 0.7 }), material: glass, position: [0.5, 0.4, 0.9] });
    const shot = async (frames: number): Promise<CapturedFrame> => {
      await engine.step(0);
      await engine.whenReady();
      for (let frame = 0; frame < frames; frame++) await engine.step(0);
      return engine.captureFrame();
    };
    const lightOf = ({ data, width, height }: CapturedFrame, size: number): number[] => {
      const light: number[] = [];
      const perLine = width / size;
      for (let at = 0; at < width * height * 4; at++) {
        const x = (at >> 2) % width;
        const y = Math.floor((at >> 2) / width);
        const value = data[at]! / 255;
        const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        const to = (Math.floor(y / size) * perLine + Math.floor(x / size)) * 4 + (at & 3);
        light[to] = (light[to] ?? 0) + linear / size ** 2;
      }
      return light;
    };
    const encode = (light: number): number =>
      255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);
    const distance = (a: number[], b: number[]): number =>
      a.reduce((sum, light, at) => sum + Math.abs(encode(light) - encode(b[at]!)), 0) / ((a.length * 3) / 4);
    engine.antialias = 1;
    engine.pixelRatio = 4;
    const reference = lightOf(await shot(1), 8);
    engine.pixelRatio = 0.5;
    const seen: Numbers = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.antialias = 1;
      seen[`${renderer}, 1`] = distance(lightOf(await shot(1), 1), reference);
      engine.antialias = 'taa';
      seen[`${renderer}, taa`] = distance(
        lightOf(await shot(renderer === 'forward' ? 48 : 24), 1),
        reference,
      );
      if (renderer === 'deferred') continue;
      // A picture drawn anew averages samples, and leaves the history as it is.
      const { width } = engine.canvas;
      seen.captured = distance(lightOf(await engine.captureFrame({ width }), 1), reference);
      seen.sample = distance(lightOf(await engine.captureFrame({ width, samples: 1 }), 1), reference);
      await engine.step(0);
      seen.kept = distance(lightOf(await engine.captureFrame(), 1), reference);
    }
    engine.renderer = 'forward';
    engine.resolutionScale = 0.5;
    seen['scaled, taa'] = distance(lightOf(await shot(32), 1), reference);
    engine.antialias = 1;
    seen['scaled, 1'] = distance(lightOf(await shot(1), 1), reference);
    engine.resolutionScale = 1;
    engine.antialias = 4;
    seen['4'] = distance(lightOf(await shot(1), 1), reference);
    engine.antialias = 'taa';
    engine.toneMapping = 'khronos-neutral';
    await shot(2);
    engine.toneMapping = 'none';
    engine.hdr = false;
    await shot(4);
    engine.hdr = true;
    // A surface of NaN and infinity, for a few frames.
    const broken = shaderMaterial({
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let zero = min(point.color.r, 0.0);
        (*appearance).emissive = vec3f(zero / zero, 1.0 / zero, sqrt(zero - 1.0));
      }`,
    });
    const patch = world.addMesh({ geometry: planeGeometry(), material: broken, position: [0, 0, 1] });
    await shot(3);
    patch.destroy();
    seen.healed = distance(lightOf(await shot(24), 1), reference);
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    await engine.whenReady();
    seen.restored = Number(distance(lightOf(await shot(24), 1), reference) < 1.5);
    engine.antialias = 1;
    await shot(1);
    return seen;
  },
  (found) => {
    const seen = found as Numbers;
    const text = JSON.stringify(seen);
    for (const renderer of ['forward', 'deferred']) {
      expect(seen[`${renderer}, taa`]!, text).toBeLessThan(1.5);
      expect(seen[`${renderer}, 1`]!, text).toBeGreaterThan(2 * seen[`${renderer}, taa`]!);
    }
    expect(seen.captured!, text).toBeLessThan(1.5);
    expect(seen.sample!, text).toBeGreaterThan(2 * seen.captured!);
    expect(seen.kept!, text).toBeLessThan(1.5);
    expect(seen['scaled, taa']!, text).toBeLessThan(0.8 * seen['scaled, 1']!);
    expect(seen.healed!, text).toBeLessThan(1.5);
    expect(seen.restored).toBe(1);
  },
);

inEveryMode(
  'R11: taa leaves no ghost of what moves, and begins anew after cuts and changes of size',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#08f';
    engine.pixelRatio = 1;
    const away = world.addCamera({ position: [0, 0, 30], lookAt: [0, 0, 60], fovY: 0.8 });
    const camera = world.addCamera({ position: [0, 0, 3], fovY: 0.8 });
    const wall = unlitMaterial({ baseColor: '#444' });
    world.addMesh({ geometry: planeGeometry({ size: 9 }), material: wall, position: [0, 0, -1] });
    const white = unlitMaterial({ baseColor: '#fff' });
    const mover = world.addMesh({ geometry: boxGeometry({ size: 0.4 }), material: white });
    const places = world.addInstances({ geometry: boxGeometry({ size: 0.3 }), material: white, count: 1 });
    const swaying = shaderMaterial({
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
          (*moved).position.x += point.time * 2.0;
        }
        fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
          (*appearance).baseColor = vec4f(1.0);
        }`,
      displacement: 4,
      lit: false,
    });
    world.addMesh({ geometry: boxGeometry({ size: 0.3 }), material: swaying, position: [-0.9, 0.8, 0] });
    let x = -0.9;
    const step = async (count: number): Promise<void> => {
      for (let frame = 0; frame < count; frame++) {
        x += 1 / 30;
        mover.position = [x, 0, 0];
        places.positions.set([x, -0.8, 0], 0);
        places.touch();
        await engine.step(1 / 60);
      }
    };
    /** Largest difference between the wall and the pixels behind a moving box, and brightness inside of the box. */
    const trail = ({ data, width }: CapturedFrame, row: number): number[] => {
      let begin = 0;
      while (begin < width && data[(row * width + begin) * 4]! < 200) begin++;
      let most = 0;
      for (let at = 0; at < begin - 3; at++)
        most = Math.max(most, Math.abs(data[(row * width + at) * 4]! - 68));
      return [most, data[(row * width + begin + 4) * 4]!, begin];
    };
    const plain = async (): Promise<CapturedFrame> => {
      engine.antialias = 4;
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      engine.antialias = 'taa';
      return frame;
    };
    const distance = (a: CapturedFrame, b: CapturedFrame): number => {
      let sum = 0;
      for (let at = 0; at < a.data.length; at++) sum += Math.abs(a.data[at]! - b.data[at]!);
      return sum / a.data.length;
    };
    const seen: Record<string, number | number[]> = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.antialias = 'taa';
      x = -0.9;
      await step(1);
      await engine.whenReady();
      await step(20);
      const moving = await engine.captureFrame();
      const { height } = moving;
      seen[`${renderer}, node`] = trail(moving, height / 2);
      seen[`${renderer}, instance`] = trail(moving, Math.round(height * 0.815));
      seen[`${renderer}, moving`] = distance(moving, await plain());
    }
    engine.renderer = 'forward';
    await step(1);
    await engine.whenReady();
    for (let frame = 0; frame < 16; frame++) {
      camera.position = [frame * 0.03, 0, 3];
      await engine.step(1 / 60);
    }
    const panned = await engine.captureFrame();
    seen.panned = distance(panned, await plain());
    // A still surface with another colour leaves no ghost of the old one.
    await step(4);
    wall.baseColor = '#ccc';
    await engine.step(0);
    seen.repainted = window.kit.pixel(await engine.captureFrame(), 4, 4)[0]!;
    wall.baseColor = '#444';
    // The other camera sees only the background.
    await step(4);
    world.activeCamera = away;
    await engine.step(1 / 60);
    const cut = await engine.captureFrame();
    seen.cut = new Set(new Uint32Array(cut.data.buffer)).size;
    world.activeCamera = camera;
    await step(2);
    engine.pixelRatio = 2;
    await step(3);
    const large = await engine.captureFrame();
    seen.large = distance(large, await plain());
    engine.pixelRatio = 1;
    // Another view has a history of its own.
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera: away, rect: { x: 0, ...half }, antialias: 'taa' });
    const right = engine.addView({ camera, rect: { x: 0.5, ...half }, antialias: 1 });
    await step(3);
    left.dispose();
    right.dispose();
    engine.antialias = 1;
    await step(1);
    await engine.whenReady();
    await engine.step(0);
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number | number[]>;
    const text = JSON.stringify(seen);
    for (const renderer of ['forward', 'deferred']) {
      for (const kind of ['node', 'instance']) {
        const [most = 255, inside = 0] = seen[`${renderer}, ${kind}`] as number[];
        expect(most, text).toBeLessThan(6);
        expect(inside, text).toBeGreaterThan(240);
      }
      expect(seen[`${renderer}, moving`], text).toBeLessThan(1.5);
    }
    expect(seen.panned, text).toBeLessThan(1.5);
    expect(Math.abs((seen.repainted as number) - 0xcc), text).toBeLessThan(2);
    expect(seen.cut, text).toBe(1);
    expect(seen.large, text).toBeLessThan(1.5);
  },
);
