import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: a decal gives the surfaces in its box another base colour. So a wall with a decal looks like a wall of that
// colour, in both renderers. The camera sees 4 m of the wall, and 32 pixels are 1 m.

inEveryMode(
  'R14: decals paint the surfaces in their box like another base colour, in both renderers',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial, unlitMaterial, texture } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 2 } });
    world.addDirectionalLight({ direction: [-0.3, -0.4, -1], intensity: 2 });
    world.setAmbient('#fff', 0.6);
    const geometry = planeGeometry({ size: 6 });
    const wall = (color: readonly number[], more: object = {}) =>
      standardMaterial({ baseColor: color, roughness: 0.6, metallic: 0.3, ...more });
    const grey = wall([0.5, 0.5, 0.5]);
    const mesh = world.addMesh({ geometry, material: grey });
    // Red, green, blue and white, from the top left to the bottom right. The white quarter is transparent.
    // Linear filters would mix colours at all points that are not exactly in the middle of a quarter.
    const wrap = 'clamp-to-edge';
    const quarters = texture(
      {
        width: 2,
        height: 2,
        data: Uint8Array.of(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 0),
      },
      { sampler: { wrapU: wrap, wrapV: wrap, magnify: 'nearest', minify: 'nearest', mipmap: 'none' } },
    );
    const plain = texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const tilted = texture({
      width: 1,
      height: 1,
      data: Uint8Array.of(200, 128, 200, 255),
    });
    const seen: Record<string, number[][]> = {};
    // Points in the four quarters of a decal of 2 m in the middle, and a point beside it.
    const places = [
      [48, 48],
      [80, 48],
      [48, 80],
      [80, 80],
      [110, 64],
    ] as const;
    const see = async (name: string) => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const picture = await engine.captureFrame();
      seen[name] = places.map(([x, y]) => window.kit.pixel(picture, x, y).slice(0, 3));
    };
    await see('bare');
    const decal = world.addDecal({ texture: quarters, size: [2, 2, 0.5] });
    await see('quarters');
    decal.visible = false;
    for (const [name, color] of Object.entries({
      red: [1, 0, 0],
      green: [0, 1, 0],
      blue: [0, 0, 1],
      mixed: [0.75, 0.25, 0.25],
    })) {
      mesh.root.material = wall(color);
      await see(name);
    }
    mesh.root.material = grey;
    decal.destroy();
    const mark = world.addDecal({ texture: plain, size: [2, 2, 0.5], color: [1, 0, 0] });
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      await see(`${renderer}, red`);
      mark.root.opacity = 0.5;
      await see(`${renderer}, half`);
      engine.effects.ambientOcclusion = { radius: 1 };
      await see(`${renderer}, occlusion`);
      engine.effects.ambientOcclusion = false;
      engine.effects.fog = { density: 0.1, color: [0.2, 0.3, 0.4] };
      await see(`${renderer}, fog`);
      engine.effects.fog = false;
      mark.root.opacity = 1;
    }
    engine.renderer = 'forward';
    engine.effects.fog = { density: 0.1, color: [0.2, 0.3, 0.4] };
    mark.visible = false;
    mesh.root.material = wall([0.75, 0.25, 0.25]);
    await see('mixed, fog');
    engine.effects.fog = false;
    mesh.root.material = grey;
    mark.visible = true;
    engine.antialias = true;
    await see('multisampled');
    engine.antialias = false;
    engine.hdr = false;
    await see('display');
    engine.hdr = true;

    // A decal in another order, turned by a quarter, moved out of reach, facing away, in another layer.
    const cover = world.addDecal({ texture: plain, size: 2, color: [0, 0, 1], renderOrder: -1 });
    await see('beneath');
    cover.root.renderOrder = 1;
    await see('above');
    cover.destroy();
    mark.root.size = [2, 1, 0.5];
    mark.rotation = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
    mark.position = [-0.5, 0, 0];
    await see('turned');
    mark.root.size = 2;
    mark.rotation = [0, 0, 0, 1];
    mark.position = [0, 0, 1.1];
    await see('out of reach');
    mark.position = [0, 0, 0];
    mark.rotation = [0, 1, 0, 0];
    await see('facing away');
    mark.rotation = [0, 0, 0, 1];
    mark.root.layers = 2;
    const view = engine.addView({ camera, layers: 1 });
    await see('other layer');
    view.dispose();
    mark.root.layers = 1;

    // Materials with a normal map, and decals with one.
    mesh.root.material = wall([1, 0, 0], { normalTexture: tilted });
    mark.visible = false;
    await see('tilted wall');
    mark.visible = true;
    mark.destroy();
    mesh.root.material = grey;
    const bump = world.addDecal({ texture: plain, size: 2, color: [1, 0, 0], normalMap: tilted });
    await see('tilted decal');
    bump.destroy();

    // Surfaces without light, with and without tone mapping, and surfaces in front of the decal.
    const sign = world.addDecal({ texture: plain, size: 2, color: [0, 0, 1] });
    engine.toneMapping = 'aces';
    mesh.root.material = unlitMaterial({ baseColor: '#fff' });
    await see('unmapped');
    engine.toneMapping = 'none';
    const veil = world.addMesh({
      geometry,
      material: unlitMaterial({ baseColor: [1, 0, 0, 0.5], alphaMode: 'blend' }),
      position: [0, 0, 0.5],
    });
    await see('veil');
    veil.root.material = standardMaterial({ baseColor: '#fff', transmission: 1, roughness: 0, ior: 1 });
    await see('glass');
    veil.destroy();
    const copy = sign.clone();
    sign.destroy();
    mesh.root.material = grey;
    await see('copy');
    copy.destroy();
    await see('destroyed');
    world.addDecal({ texture: quarters, size: 2 });
    const refused: string[] = [];
    for (const options of [
      {},
      { texture: 'mark.png' },
      { texture: plain, size: 0 },
      { texture: plain, size: [1, 2] },
      { texture: plain, opacity: 2 },
      { texture: plain, color: 'reddish' },
      { texture: plain, normalMap: 1 },
      { texture: plain, renderOrder: 0.5 },
      { texture: plain, depth: 1 },
    ]) {
      try {
        world.addDecal(options as never);
        refused.push('nothing was refused');
      } catch (error) {
        refused.push((error as { code: string }).code);
      }
    }
    await see('at last');
    return { seen, refused };
  },
  (found) => {
    const { seen, refused } = found as { seen: Record<string, number[][]>; refused: string[] };
    const log = JSON.stringify(seen);
    /** Compares places of two pictures. */
    const expectSame = (name: string, place: number, other: string, otherPlace = place, most = 2) => {
      for (const channel of [0, 1, 2]) {
        const [a = -99, b = 99] = [seen[name]?.[place]?.[channel], seen[other]?.[otherPlace]?.[channel]];
        expect(Math.abs(a - b), `${name} ${place}, ${other} ${otherPlace}: ${log}`).toBeLessThanOrEqual(most);
      }
    };
    for (const [place, color] of ['red', 'green', 'blue'].entries()) expectSame('quarters', place, color);
    expectSame('quarters', 3, 'bare');
    expectSame('quarters', 4, 'bare');
    for (const place of [0, 1, 2, 3]) {
      for (const renderer of ['forward', 'deferred']) {
        expectSame(`${renderer}, red`, place, 'red');
        expectSame(`${renderer}, half`, place, 'mixed');
        expectSame(`${renderer}, fog`, place, 'mixed, fog');
      }
      expectSame('deferred, occlusion', place, 'forward, occlusion');
      expectSame('multisampled', place, 'red');
      expectSame('display', place, 'red');
      expectSame('beneath', place, 'red');
      expectSame('above', place, 'blue');
      for (const name of ['out of reach', 'facing away', 'other layer']) expectSame(name, place, 'bare');
      expectSame('tilted decal', place, 'tilted wall', place, 3);
      expect(seen.unmapped?.[place], log).toEqual([0, 0, 255]);
      // Half red over blue.
      expect(seen.veil?.[place]?.[0], log).toBeGreaterThan(180);
      expect(seen.veil?.[place]?.[1], log).toBe(0);
      expectSame('copy', place, 'blue');
    }
    expect(seen['tilted wall']).not.toEqual(seen.red);
    expect(seen.glass?.[0]?.[2], log).toBeGreaterThan(200);
    expect(seen.glass?.[0]?.[0], log).toBeLessThan(60);
    for (const place of [0, 2]) expectSame('turned', place, 'red');
    for (const place of [1, 3]) expectSame('turned', place, 'bare');
    expectSame('destroyed', 0, 'bare');
    for (const [place, color] of ['red', 'green', 'blue', 'bare'].entries())
      expectSame('at last', place, color);
    expect(refused).toEqual([
      'option-invalid',
      'option-invalid',
      'option-out-of-range',
      'option-invalid',
      'option-out-of-range',
      'color-invalid',
      'option-invalid',
      'option-out-of-range',
      'option-unknown',
    ]);
  },
);
