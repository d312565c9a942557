import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R11: a shadow catcher shows the blurred shadow of the things above it, and nothing else. The camera looks straight
// down from below the tops of the things, so it sees the ground beneath them. 32 pixels are 1 m.

const SOFTNESS = 0.5;
const OPACITY = 0.6;

const encoded = (light: number): number =>
  255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * Math.max(light, 0) ** (1 / 2.4) - 0.055);
/** Returns metres along X, or along Z, of a column or row of pixels. */
const metres = (pixel: number): number => (pixel + 0.5 - 64) / 32;
/** Returns the share of a blurred edge at a distance from it, along X: a Gaussian that ends after three deviations. */
const blurred = (distance: number): number => {
  const deviation = SOFTNESS / 3;
  let [below, all] = [0, 0];
  for (let at = -SOFTNESS; at <= SOFTNESS; at += SOFTNESS / 500) {
    const weight = Math.exp(-0.5 * (at / deviation) ** 2);
    all += weight;
    if (at < distance) below += weight;
  }
  return below / all;
};
const box = (place: number, middle: number): number =>
  blurred(place - middle + 0.5) - blurred(place - middle - 0.5);
/** Strengths of the shadows: one box stands on the ground, the other is half a metre above it. The height is 2 m. */
const shadowAt = (column: number, row = 64): number =>
  (box(metres(column), -0.75) + box(metres(column), 0.75) * 0.75 ** 2) * box(metres(row), 0);

const COLUMNS = [4, 12, 18, 22, 28, 36, 40, 50, 56, 64, 70, 80, 88, 96, 104, 110, 120];

inEveryMode(
  'R11: a shadow catcher shows soft shadow of what stands on it, in both renderers, and nothing else',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#fff';
    const camera = world.addCamera({
      position: [0, 0.2, 0],
      rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
      near: 0.01,
      orthographic: { halfHeight: 2 },
    });
    const material = standardMaterial({ baseColor: '#888' });
    const standing = world.addMesh({ geometry: boxGeometry(), material, position: [-0.75, 0.5, 0] });
    world.addMesh({ geometry: boxGeometry(), material, position: [0.75, 1, 0] });
    const catcher = world.addShadowCatcher({ size: 4, softness: 0.5, opacity: 0.6 });
    const rows: Record<string, number[]> = {};
    const see = async (name: string, channel = 0) => {
      await engine.step(0);
      const { data, width } = await engine.captureFrame();
      rows[name] = Array.from({ length: width }, (_, x) => data[(64 * width + x) * 4 + channel] as number);
      return data;
    };
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      const data = await see(renderer);
      rows[`${renderer}, along Z`] = Array.from(
        { length: 128 },
        (_, y) => data[(y * 128 + 40) * 4] as number,
      );
    }
    engine.renderer = 'forward';
    engine.antialias = true;
    await see('multisampled');
    engine.antialias = false;
    engine.hdr = false;
    await see('display');
    engine.hdr = true;

    // Materials without tone mapping are drawn into a target of their own. A floor in the same plane casts nothing.
    engine.toneMapping = 'aces';
    const floor = world.addMesh({
      geometry: planeGeometry({ size: 9, facing: 'y' }),
      material: unlitMaterial({ baseColor: '#fff' }),
    });
    await see('unmapped floor');
    engine.toneMapping = 'none';
    await see('floor');
    floor.destroy();

    engine.effects.fog = { density: 2, color: '#fff' };
    await see('fog');
    engine.effects.fog = false;

    const veil = world.addMesh({
      geometry: planeGeometry({ size: 9, facing: 'y' }),
      material: unlitMaterial({ baseColor: [1, 0, 0, 0.5], alphaMode: 'blend' }),
      position: [0, 0.1, 0],
      castShadow: false,
    });
    await see('veil');
    await see('veil, green', 1);
    engine.transparency = 'weighted';
    await see('veil, weighted');
    engine.transparency = 'sorted';
    veil.destroy();
    const pane = world.addMesh({
      geometry: planeGeometry({ size: 9, facing: 'y' }),
      material: standardMaterial({ baseColor: '#fff', transmission: 1, roughness: 0, ior: 1 }),
      position: [0, 0.1, 0],
      castShadow: false,
    });
    await see('glass');
    pane.destroy();

    engine.background = [0, 0, 0, 0];
    await see('transparent', 3);
    await see('transparent, red', 0);
    engine.background = '#fff';

    const hit = await engine.pick(40, 64);
    const seen = { rows, picked: hit?.actor.name ?? null, refused: [] as string[], size: [] as unknown[] };

    standing.position = [-0.5, 0.5, 0];
    await see('moved');
    standing.position = [-0.75, 0.5, 0];
    standing.visible = false;
    await see('hidden');
    standing.visible = true;
    catcher.root.opacity = 1;
    catcher.root.softness = 0;
    await see('hard');
    catcher.root.size = [2, 4];
    catcher.root.softness = 0.5;
    catcher.root.height = 2;
    await see('narrow');
    catcher.root.size = 4;
    catcher.root.opacity = 0.6;
    catcher.root.height = undefined;
    catcher.rotation = [1, 0, 0, 0];
    await see('from below');
    catcher.rotation = [0, 0, 0, 1];
    catcher.root.layers = 2;
    const view = engine.addView({ camera, layers: 1 });
    await see('other layer');
    view.layers = 3;
    await see('both layers');
    view.dispose();
    catcher.visible = false;
    await see('invisible');
    catcher.visible = true;
    // A light whose shadows the catcher neither casts nor receives.
    world.addDirectionalLight({ direction: [0, -1, 0], castShadow: true });
    standing.position = [-0.5, 0.5, 0];
    await see('moved, in light');
    standing.position = [-0.75, 0.5, 0];
    const copy = catcher.clone();
    catcher.destroy();
    await see('copy');
    seen.size.push(copy.root.size, copy.root.height, copy.root.softness);
    copy.destroy();
    await see('destroyed');
    world.addShadowCatcher({ size: [3, 4], softness: 0.3 });
    await see('at last');
    for (const options of [
      { size: 0 },
      { size: [1, 2, 3] },
      { size: [1, -1] },
      { softness: -1 },
      { softness: Number.NaN },
      { opacity: 2 },
      { opacity: '1' },
      { height: 0 },
      { layers: 0.5 },
      { colour: '#000' },
    ]) {
      try {
        world.addShadowCatcher(options as never);
        seen.refused.push('nothing was refused');
      } catch (error) {
        seen.refused.push((error as { code: string }).code);
      }
    }
    return seen;
  },
  (found) => {
    const { rows, picked, refused, size } = found as {
      rows: Record<string, number[]>;
      picked: string | null;
      refused: string[];
      size: unknown[];
    };
    const expectRow = (name: string, expected: (column: number) => number, most = 3) => {
      for (const column of COLUMNS) {
        const seen = rows[name]?.[column] ?? -99;
        const wanted = expected(column);
        expect(
          Math.abs(seen - wanted),
          `${name}, column ${column}: ${seen}, not ${wanted}; ${rows[name]}`,
        ).toBeLessThanOrEqual(most);
      }
    };
    const shaded = (column: number) => encoded(1 - OPACITY * shadowAt(column));
    for (const name of ['forward', 'deferred', 'multisampled', 'floor', 'unmapped floor', 'copy'])
      expectRow(name, shaded);
    for (const renderer of ['forward', 'deferred'])
      expectRow(`${renderer}, along Z`, (row) => encoded(1 - OPACITY * shadowAt(40, row)));
    expectRow('display', (column) => 255 * (1 - OPACITY * shadowAt(column)));
    expectRow('both layers', shaded);
    for (const name of ['other layer', 'from below', 'invisible', 'destroyed']) expectRow(name, () => 255, 0);
    expectRow('fog', (column) => encoded(1 - OPACITY * shadowAt(column) * Math.exp(-2 * 0.2)));
    for (const name of ['veil', 'veil, weighted'])
      expectRow(name, (column) => encoded(0.5 + 0.5 * (1 - OPACITY * shadowAt(column))), 4);
    expectRow('veil, green', (column) => encoded(0.5 * (1 - OPACITY * shadowAt(column))), 4);
    expectRow('glass', shaded, 14);
    expectRow('transparent', (column) => 255 * OPACITY * shadowAt(column));
    expectRow('transparent, red', () => 0, 0);
    expect(picked).toBeNull();
    expect(rows.moved).not.toEqual(rows.forward);
    for (const name of ['moved', 'moved, in light'])
      expectRow(name, (column) =>
        encoded(1 - OPACITY * (box(metres(column), -0.5) + box(metres(column), 0.75) * 0.75 ** 2)),
      );
    expectRow('hidden', (column) => encoded(1 - OPACITY * box(metres(column), 0.75) * 0.75 ** 2));
    const hard = (column: number) =>
      Math.abs(metres(column) + 0.75) < 0.5 ? 1 : Math.abs(metres(column) - 0.75) < 0.5 ? 0.75 ** 2 : 0;
    expectRow('hard', (column) => encoded(1 - hard(column)));
    // The narrow ground ends 1 m from its middle, and shadow fades out before.
    const narrow = rows.narrow ?? [];
    for (const column of [4, 18, 30]) expect(narrow[column]).toBe(255);
    expect(narrow[36]).toBeLessThan(250);
    expect(narrow[36]).toBeGreaterThan(narrow[46] as number);
    expect(refused).toEqual([
      'option-out-of-range',
      'option-invalid',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-unknown',
    ]);
    expect(size).toEqual([[4, 4], 2, 0.5]);
  },
);
