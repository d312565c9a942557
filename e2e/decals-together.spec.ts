import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: decals and shadow catchers with other features. The camera sees 4 m of a grey wall, and 32 pixels are 1 m.

type Pixel = readonly number[];

inEveryMode(
  'R14: decals stay on surfaces that move or fade, in averaged, scaled and tiled pictures, and hide nothing from picks',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, renderTexture, texture, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 2 } });
    const grey = unlitMaterial({ baseColor: '#808080' });
    const wall = world.addMesh({ geometry: planeGeometry({ size: 9 }), material: grey });
    const plain = texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const decal = world.addDecal({ texture: plain, size: [1, 1, 0.5], color: [1, 0, 0] });
    decal.attachTo(wall);
    const settle = async () => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
    };
    const at = (picture: Parameters<typeof window.kit.pixel>[0], places: readonly number[]): Pixel[] =>
      places.map((x) => window.kit.pixel(picture, x, 64).slice(0, 3));
    // Columns inside the decal's edges, which lie at 48 and 80, and outside.
    const places = [51, 64, 76, 44, 84];
    const seen: Record<string, Pixel[]> = {};
    await settle();
    const found = await engine.pick(64, 64);
    const picked = found?.component === wall.root;
    engine.resolutionScale = 0.5;
    await settle();
    seen.scaled = at(await engine.captureFrame(), places);
    engine.resolutionScale = 1;
    engine.effects.outline = { actors: [wall], color: '#00c040', width: 2 };
    await settle();
    seen.outlined = at(await engine.captureFrame(), places);
    engine.effects.outline = false;
    engine.debugView = 'base-color';
    await settle();
    const debug = await engine.captureFrame();
    seen.debug = at(debug, [64, 44]);
    engine.debugView = 'none';
    // The wall, with its decal, moves by 1 m in 16 frames.
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.antialias = 'taa';
      wall.position.set(-1, 0, 0);
      await settle();
      for (let frame = 1; frame <= 16; frame++) {
        wall.position.set(frame / 16 - 1, 0, 0);
        await engine.step(1 / 60);
      }
      seen[`${renderer}, moved`] = at(await engine.captureFrame(), places);
      engine.antialias = false;
    }
    engine.renderer = 'forward';

    // A picture of three tiles, and the same picture in one piece. The decal crosses the edges of tiles.
    const catcher = world.addShadowCatcher({
      size: [200, 3],
      softness: 0.2,
      rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2],
    });
    const bar = world.addMesh({
      geometry: boxGeometry({ size: [80, 1, 0.2] }),
      material: grey,
      position: [0, -1, 0.6],
    });
    decal.root.size = [70, 1, 0.5];
    const [width, height] = [2052, 64];
    const view = engine.addView({ camera, target: renderTexture({ width, height }), antialias: 1 });
    await settle();
    const [whole, tiled] = await Promise.all([view.captureFrame(), view.captureFrame({ width, height })]);
    let tiles = 0;
    for (let byte = 0; byte < whole.data.length; byte++)
      tiles = Math.max(tiles, Math.abs((whole.data[byte] as number) - (tiled.data[byte] as number)));
    const isShown = [whole, tiled].map((picture) => window.kit.pixel(picture, 1024, 32).slice(0, 3));
    view.dispose();
    catcher.destroy();
    bar.destroy();
    wall.visible = false;

    // A box that fades out takes its decal only where it is drawn.
    camera.destroy();
    world.addCamera({ position: [0, 0, 16], fovY: Math.PI / 2 });
    const fading = await (async () => {
      const box = boxGeometry({ size: 2 });
      world.addMesh({ lods: [{ geometry: box, screenSize: 0.1 }], material: grey });
      const count = async () => {
        await settle();
        const picture = await engine.captureFrame();
        const counts = { empty: 0, red: 0, grey: 0 };
        for (let index = 0; index < 16; index++) {
          const [red = 0, green = 0] = window.kit.pixel(picture, 62 + (index % 4), 62 + (index >> 2));
          counts[red < 20 ? 'empty' : green < 20 ? 'red' : 'grey']++;
        }
        return counts;
      };
      const bare = await count();
      world.addDecal({ texture: plain, size: 1.9, color: [1, 0, 0], position: [0, 0, 1] });
      const marked = await count();
      return { bare, marked };
    })();
    return { seen, picked, tiles, isShown, fading };
  },
  (found) => {
    const { seen, picked, tiles, isShown, fading } = found as {
      seen: Record<string, number[][]>;
      picked: boolean;
      tiles: number;
      isShown: number[][];
      fading: { bare: Record<string, number>; marked: Record<string, number> };
    };
    const log = JSON.stringify(found);
    expect(picked, log).toBe(true);
    for (const name of ['scaled', 'outlined', 'forward, moved', 'deferred, moved']) {
      for (const [place, color] of (seen[name] ?? []).entries()) {
        const [red, other] = place < 3 ? [255, 0] : [128, 128];
        expect(Math.abs((color[0] as number) - red), `${name} ${place}: ${log}`).toBeLessThan(6);
        expect(Math.abs((color[1] as number) - other), `${name} ${place}: ${log}`).toBeLessThan(6);
      }
    }
    // Debug views show surfaces without decals.
    expect(seen.debug?.[0], log).toEqual(seen.debug?.[1]);
    expect(tiles, log).toBeLessThan(4);
    expect(isShown[0], log).toEqual(isShown[1]);
    expect(fading.bare.empty, log).toBeGreaterThan(0);
    expect(fading.bare.grey, log).toBeGreaterThan(0);
    expect(fading.marked, log).toEqual({ empty: fading.bare.empty, red: fading.bare.grey, grey: 0 });
  },
);
