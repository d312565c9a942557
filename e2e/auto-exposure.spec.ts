import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: exposure follows the brightness of the picture, per view.

interface Seen {
  readonly [name: string]: readonly number[];
}

inEveryMode(
  'R14: automatic exposure shows every scene as middle grey, at once or by time, and starts anew after cuts',
  async (engine: Engine) => {
    const { planeGeometry, shaderMaterial, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    const other = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    world.activeCamera = camera;
    const wall = standardMaterial({ baseColor: '#000', emissive: [1, 1, 1] });
    world.addMesh({ geometry: planeGeometry({ size: 2 }), material: wall });
    const sign = unlitMaterial({ baseColor: '#4080c0' });
    world.addMesh({ geometry: planeGeometry({ size: 0.2 }), material: sign, position: [0.6, 0.6, 0.1] });
    // Lights a tenth of the picture, so it is left out.
    const lamp = standardMaterial({ baseColor: '#000', emissive: [1, 1, 1], emissiveStrength: 50 });
    world.addMesh({ geometry: planeGeometry({ size: 0.5 }), material: lamp, position: [0, 0.6, 0.1] });
    const broken = shaderMaterial({
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let zero = min(point.color.r, 0.0);
        (*appearance).emissive = vec3f(zero / zero, 1.0 / zero, sqrt(zero - 1.0));
      }`,
    });
    world.addMesh({ geometry: planeGeometry({ size: 0.1 }), material: broken, position: [-0.6, 0.6, 0.1] });
    const seen: Record<string, number[]> = {};
    /** Linear light of the wall, and the sign's sRGB. */
    const look = async (name: string, seconds = 0): Promise<void> => {
      await engine.step(seconds);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) => window.kit.pixel(frame, x, y);
      const value = at(64, 100)[0]! / 255;
      const light = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      seen[name] = [light, ...at(64 + 38, 64 - 38).slice(0, 3)];
    };
    for (const way of ['forward', 'smooth', 'deferred', 'toned', 'display'] as const) {
      engine.renderer = way === 'deferred' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      engine.hdr = way !== 'display';
      engine.exposure = way === 'toned' ? 2 : 1;
      engine.effects.autoExposure = false;
      wall.emissiveStrength = way === 'display' ? 0.5 : 2;
      await engine.step(0);
      await engine.whenReady();
      engine.effects.autoExposure = true;
      await look(way);
      await engine.whenReady();
      await look(way);
    }
    engine.exposure = 1;
    engine.hdr = true;
    engine.effects.autoExposure = { minimum: 0.01, speedUp: 1, speedDown: 2 };
    wall.emissiveStrength = 1;
    world.activeCamera = other;
    await look('cut');
    // Four times the light: exposure falls by two steps, with a share of 1 − exp(−2 · 0.5).
    wall.emissiveStrength = 4;
    await look('same moment');
    engine.resolutionScale = 0.5;
    await look('other resolution');
    engine.resolutionScale = 1;
    await look('full resolution');
    await look('half a second', 0.5);
    await look('end', 60);
    wall.emissiveStrength = 1;
    await look('darker', 0.5);
    engine.effects.autoExposure.compensation = 1;
    await look('brighter', 60);
    engine.effects.autoExposure = { maximum: 0.1 };
    await look('limited', 60);
    const half = { y: 0, width: 1, height: 0.5 };
    const top = engine.addView({ camera, rect: { x: 0, ...half }, effects: { autoExposure: false } });
    const bottom = engine.addView({
      camera,
      rect: { x: 0, ...half, y: 0.5 },
      effects: { autoExposure: { compensation: -1 } },
    });
    await look('bottom');
    await engine.step(0);
    const frame = await engine.captureFrame();
    seen.top = [window.kit.pixel(frame, 64, 50)[0]!];
    top.dispose();
    bottom.dispose();
    engine.effects.autoExposure = true;
    await look('last', 60);
    return seen;
  },
  (found) => {
    const seen = found as Seen;
    const text = JSON.stringify(seen);
    const light = (name: string): number => seen[name]![0]!;
    const sign = [64, 128, 192];
    for (const way of ['forward', 'smooth', 'deferred']) {
      expect(light(way), `${way} ${text}`).toBeGreaterThan(0.17);
      expect(light(way), `${way} ${text}`).toBeLessThan(0.19);
      expect(seen[way]!.slice(1), `${way} ${text}`).toEqual(sign);
    }
    expect(Math.abs(light('toned') - 0.36), text).toBeLessThan(0.02);
    expect(Math.abs(light('display') - 0.18), text).toBeLessThan(0.02);
    expect(Math.abs(light('cut') - 0.18), text).toBeLessThan(0.01);
    expect(Math.abs(light('same moment') - 0.72), text).toBeLessThan(0.03);
    for (const name of ['other resolution', 'full resolution'])
      expect(Math.abs(light(name) - 0.72), text).toBeLessThan(0.03);
    expect(Math.abs(light('half a second') - 0.18 * 2 ** (2 * Math.exp(-1))), text).toBeLessThan(0.02);
    expect(Math.abs(light('end') - 0.18), text).toBeLessThan(0.01);
    expect(Math.abs(light('darker') - 0.18 * 2 ** (-2 * Math.exp(-0.5))), text).toBeLessThan(0.01);
    expect(Math.abs(light('brighter') - 0.36), text).toBeLessThan(0.015);
    expect(Math.abs(light('limited') - 0.1), text).toBeLessThan(0.01);
    expect(Math.abs(light('bottom') - 0.09), text).toBeLessThan(0.01);
    expect(seen.top![0], text).toBe(255);
  },
);
