import type { Actor, Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R11: pictures of any size show what the canvas shows, without visible tiles, and samples smooth their edges.

interface Difference {
  /** Average differences of channels in steps of 255: of the whole picture, and of columns near the edges of tiles. */
  readonly mean: number;
  readonly seams: number;
}

inEveryMode(
  'R11: tiles of a large picture fit together, with each effect',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, renderTexture, sphereGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#405060';
    world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2, castShadow: true });
    world.setAmbient('#fff', 1);
    const camera = world.addCamera({ position: [0, 1.5, 4], lookAt: [0, 0, -8], fovY: 0.35 });
    const floor = standardMaterial({ baseColor: '#8d8577', roughness: 0.9 });
    world.addMesh({ geometry: planeGeometry({ size: 60, facing: 'y' }), material: floor });
    const bright = standardMaterial({ baseColor: '#000', emissive: '#fff', emissiveStrength: 4 });
    const outlined: Actor[] = [];
    for (let index = -16; index <= 16; index++) {
      const geometry = index % 2 ? sphereGeometry({ radius: 0.3 }) : boxGeometry({ size: 0.5 });
      const material = index % 5 ? standardMaterial({ baseColor: '#c8553d' }) : bright;
      const mesh = world.addMesh({ geometry, material, position: [index * 0.75, 0.25, -3 - (index % 3)] });
      if (index % 3 === 0) outlined.push(mesh);
    }
    // A column of boxes, out of focus and in it, for a tall picture.
    for (let index = -20; index <= 20; index++)
      world.addMesh({
        geometry: boxGeometry({ size: 0.12 }),
        material: index % 3 ? standardMaterial({ baseColor: '#3d85c8' }) : bright,
        position: [0, index * 0.2, index % 2 ? -4 : -8],
        layers: 2,
      });
    // Three tiles, and textures that are drawn in one piece.
    const [long, short] = [2052, 64];
    const target = renderTexture({ width: long, height: short });
    const view = engine.addView({ camera, target, antialias: 1, layers: 1 });
    const tall = engine.addView({
      camera: world.addCamera({ position: [0, 0, 4], fovY: 0.8 }),
      target: renderTexture({ width: short, height: long }),
      antialias: 1,
      layers: 2,
    });
    const compare = async (of = view): Promise<Difference> => {
      await engine.step(0);
      const isTall = of === tall;
      const [width, height] = isTall ? [short, long] : [long, short];
      // Both pictures are drawn in the same frame, so they have the same grains.
      const [whole, tiled] = await Promise.all([of.captureFrame(), of.captureFrame({ width, height })]);
      let [sum, seamSum, seamCount] = [0, 0, 0];
      for (let at = 0; at < whole.data.length; at++) {
        const difference = Math.abs(whole.data[at]! - tiled.data[at]!);
        const pixel = Math.floor(at / 4);
        const along = isTall ? Math.floor(pixel / width) : pixel % width;
        sum += difference;
        if (Math.abs(along - 1024) >= 16 && Math.abs(along - 2048) >= 16) continue;
        seamSum += difference;
        seamCount++;
      }
      return { mean: sum / whole.data.length, seams: seamSum / seamCount };
    };
    const seen: Record<string, Difference> = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      seen[renderer] = await compare();
    }
    engine.renderer = 'forward';
    view.antialias = 'fxaa';
    seen.fxaa = await compare();
    view.antialias = 1;
    for (const [name, options] of Object.entries({
      vignette: { amount: 1 },
      grain: { amount: 0.3 },
      chromaticAberration: { amount: 0.05 },
      ambientOcclusion: { radius: 1 },
      bloom: { amount: 0.6 },
      fog: { density: 0.1 },
      depthOfField: { focusDistance: 6, fStop: 0.7, sensorHeight: 0.3, maximumBlur: 0.1 },
      outline: { actors: outlined, width: 5, throughThings: true },
      autoExposure: { minimum: 0.001 },
    })) {
      view.effects = { [name]: options } as object;
      seen[name] = await compare();
    }
    for (const [name, options] of Object.entries({
      depthOfField: { focusDistance: 8, fStop: 1, sensorHeight: 0.24, maximumBlur: 0.05 },
      autoExposure: true,
      vignette: { amount: 1 },
    })) {
      tall.effects = { [name]: options } as object;
      seen[`${name}, tall`] = await compare(tall);
    }
    engine.renderer = 'deferred';
    floor.roughness = 0.1;
    view.effects = { ssr: true };
    seen.ssr = await compare();
    view.dispose();
    tall.dispose();
    await engine.step(0);
    return seen;
  },
  (found) => {
    const seen = found as Record<string, Difference>;
    const log = JSON.stringify(seen);
    for (const [name, { mean, seams }] of Object.entries(seen)) {
      // Edges of surfaces may differ in single pixels, because matrices are rounded. Bloom takes its light from a
      // picture of another size.
      expect.soft(mean, `${name}, ${log}`).toBeLessThan(name === 'bloom' ? 0.4 : 0.02);
      expect.soft(seams, `${name}, ${log}`).toBeLessThan(name === 'bloom' ? 0.8 : 0.03);
    }
  },
);

interface Scaled {
  /** Average differences of channels: made by the effect, and between the view and a larger picture of it. */
  readonly effect: number;
  readonly larger: number;
}

inEveryMode(
  'R11: larger pictures have discs and outlines of the same share, and the exposure of the view, which stays',
  async (engine: Engine) => {
    const { planeGeometry, renderTexture, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    // The picture is tall, so its tiles lie above each other.
    const camera = world.addCamera({ position: [0, 0, 0], fovY: 2.39 });
    const wall = standardMaterial({ baseColor: '#000', emissive: '#fff', emissiveStrength: 0.05 });
    world.addMesh({ geometry: planeGeometry({ size: 200 }), material: wall, position: [0, 0, -11] });
    // Covers the upper half, and is far brighter than the lower half.
    const bright = standardMaterial({ baseColor: '#000', emissive: '#fff', emissiveStrength: 4 });
    world.addMesh({ geometry: planeGeometry({ size: 100 }), material: bright, position: [0, 50, -10] });
    const sign = planeGeometry({ size: 0.8 });
    const signs = [-4, -1.2, 1.2, 4].map((y) =>
      world.addMesh({
        geometry: sign,
        material: unlitMaterial({ baseColor: '#c04020' }),
        position: [0, y, -3],
      }),
    );
    const [width, height, factor] = [48, 288, 8];
    const view = engine.addView({ camera, target: renderTexture({ width, height }) });
    const light = (share: number): number =>
      share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    const lightOf = Float64Array.from({ length: 256 }, (_, value) => light(value / 255));
    const encoded = (value: number): number =>
      255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
    /** Averages squares of pixels of a larger picture, as light. */
    const shrink = ({ data }: { data: ArrayLike<number> }): number[] => {
      const small = Array.from({ length: width * height * 4 }, () => 0);
      for (let y = 0; y < height * factor; y++)
        for (let x = 0; x < width * factor; x++)
          for (let channel = 0; channel < 4; channel++) {
            const to = (Math.floor(y / factor) * width + Math.floor(x / factor)) * 4 + channel;
            small[to]! += lightOf[data[(y * width * factor + x) * 4 + channel]!]! / factor ** 2;
          }
      return small.map(encoded);
    };
    const differ = (first: ArrayLike<number>, second: ArrayLike<number>): number => {
      let sum = 0;
      for (let at = 0; at < first.length; at++) sum += Math.abs(first[at]! - second[at]!);
      return sum / first.length;
    };
    const shown = async (seconds = 0) => {
      await engine.step(seconds);
      return (await view.captureFrame()).data;
    };
    const larger = async () =>
      shrink(await view.captureFrame({ width: width * factor, height: height * factor }));
    const seen: Record<string, Scaled> = {};
    for (const [name, options] of Object.entries({
      depthOfField: { focusDistance: 10, fStop: 0.15, sensorHeight: 1, maximumBlur: 0.05 },
      outline: { actors: signs, color: '#0f0', width: 4 },
      autoExposure: { speedDown: 1 },
    })) {
      view.effects = {};
      const before = await shown();
      view.effects = { [name]: options } as object;
      const after = await shown();
      seen[name] = { effect: differ(before, after), larger: differ(after, await larger()) };
    }
    // More light: exposure falls, and is halfway when the pictures are taken.
    wall.emissiveStrength = 0.2;
    bright.emissiveStrength = 16;
    const blinded = await shown(0.1);
    const captured = await larger();
    const small = await view.captureFrame({ width, height });
    const kept = await shown(0);
    const adapted = await shown(60);
    const exposure = {
      smaller: differ(blinded, small.data),
      larger: differ(blinded, captured),
      kept: differ(blinded, kept),
      adapted: differ(blinded, adapted),
    };
    // A view without pixels on the canvas has no exposure, so its pictures measure their own.
    const rect = { x: 0, y: 0, width: 0.001, height: 0.001 };
    const tiny = engine.addView({ camera, rect, effects: { autoExposure: true } });
    const size = { width: width * factor, height: height * factor };
    const own = differ(shrink(await tiny.captureFrame(size)), adapted);
    tiny.dispose();
    view.dispose();
    await engine.step(0);
    return { seen, exposure, own };
  },
  (found) => {
    const { seen, exposure, own } = found as {
      own: number;
      seen: Record<string, Scaled>;
      exposure: Record<'smaller' | 'larger' | 'kept' | 'adapted', number>;
    };
    const log = JSON.stringify(found);
    for (const [name, { effect, larger }] of Object.entries(seen)) {
      expect.soft(effect, `${name}, ${log}`).toBeGreaterThan(2);
      // Edges of surfaces differ, because the view has one sample per pixel. A wrong size differs by half the effect.
      expect.soft(larger, `${name}, ${log}`).toBeLessThan(effect / 4);
    }
    expect.soft(exposure.kept, log).toBe(0);
    expect.soft(exposure.smaller, log).toBe(0);
    expect.soft(exposure.larger, log).toBeLessThan(1);
    expect.soft(exposure.adapted, log).toBeGreaterThan(10);
    expect.soft(own, log).toBeLessThan(1);
  },
);

inEveryMode(
  'R11: a picture in the size of the canvas has the pixels of the canvas, and samples average the edges of surfaces',
  async (engine: Engine) => {
    const { planeGeometry, sphereGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    world.addDirectionalLight({ direction: [-1, -1, -1], intensity: 2 });
    const ball = world.addMesh({
      geometry: sphereGeometry({ radius: 0.7 }),
      material: standardMaterial({ baseColor: '#c8553d' }),
    });
    const differences: Record<string, number> = {};
    const differ = async (): Promise<number> => {
      await engine.step(0);
      const shown = await engine.captureFrame();
      const drawn = await engine.captureFrame({ width: shown.width });
      let count = Math.abs(drawn.height - shown.height);
      for (let at = 0; at < shown.data.length; at++) if (shown.data[at] !== drawn.data[at]) count++;
      return count;
    };
    engine.effects.vignette = { amount: 0.8 };
    differences.forward = await differ();
    engine.renderer = 'deferred';
    differences.deferred = await differ();
    engine.renderer = 'forward';
    engine.hdr = false;
    differences.display = await differ();
    engine.hdr = true;
    const part = engine.addView({
      camera,
      rect: { x: 0.5, y: 0, width: 0.5, height: 0.5 },
      background: '#080',
    });
    differences.views = await differ();
    const alone = await part.captureFrame({ width: 32, height: 32 });
    const corner = [...alone.data.slice(0, 4)];
    part.dispose();
    engine.background = 'transparent';
    differences.translucent = await differ();
    engine.background = '#000';
    engine.effects.vignette = false;
    ball.destroy();

    // A white square whose edges lie at pixels 38.3 and 89.7 of 128.
    const white = unlitMaterial({ baseColor: '#fff' });
    world.addMesh({ geometry: planeGeometry({ size: 2 * (51.4 / 128) }), material: white });
    const light = (value: number): number =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const row = async (samples: number) => {
      const { data, width } = await engine.captureFrame({ width: 128, height: 128, samples });
      return [37, 38, 39, 64, 88, 89, 90].map((x) => light(data[(64 * width + x) * 4]!));
    };
    const rows = { one: await row(1), many: await row(64) };
    engine.background = 'transparent';
    const clear = await engine.captureFrame({ width: 128, height: 128, samples: 16 });
    engine.background = '#000';
    const edge = [...clear.data.slice((64 * 128 + 38) * 4, (64 * 128 + 39) * 4)];
    await engine.step(0);
    return { differences, corner, rows, edge };
  },
  (found) => {
    const { differences, corner, rows, edge } = found as {
      differences: Record<string, number>;
      corner: number[];
      rows: { one: number[]; many: number[] };
      edge: number[];
    };
    for (const [name, count] of Object.entries(differences)) expect.soft(count, name).toBe(0);
    // The vignette darkens the corner of #080.
    expect(corner).toEqual([0, 63, 0, 255]);
    expect(rows.one).toEqual([0, 1, 1, 1, 1, 1, 0]);
    const [outside, left = 0, inside, middle, , right = 0, beyond] = rows.many;
    expect([outside, inside, middle, beyond]).toEqual([0, 1, 1, 0]);
    expect(Math.abs(left - 0.7), String(rows.many)).toBeLessThan(0.06);
    expect(Math.abs(right - 0.7), String(rows.many)).toBeLessThan(0.06);
    // A white edge over the page stays white, and its alpha is the covered share.
    expect(edge.slice(0, 3)).toEqual([255, 255, 255]);
    expect(Math.abs(edge[3]! / 255 - 0.7)).toBeLessThan(0.1);
  },
);
