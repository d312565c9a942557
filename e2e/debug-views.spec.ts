import type { Actor, Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R12, G5: debug views show properties of surfaces, and the work that pixels take, in both renderers.

type Pixels = Record<string, number[]>;

inEveryMode(
  'R12, G5: debug views show the numbers of a surface without exposure, tone mapping and effects, in both renderers',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial, texture } = window.fencepost;
    const { world } = engine;
    engine.background = '#fff';
    engine.exposure = 3;
    engine.toneMapping = 'aces';
    engine.effects = { vignette: { amount: 1 }, bloom: true };
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    world.addDirectionalLight({ direction: [0, -1, -1], intensity: 2, castShadow: true });
    world.addPointLight({ position: [0, 0, 1], intensity: 1 });
    world.addPointLight({ position: [0.2, 0, 1], intensity: 1, range: 9 });
    const occlusionTexture = texture({ width: 1, height: 1, data: new Uint8Array([153, 0, 0, 255]) });
    const material = standardMaterial({
      baseColor: '#c86432',
      emissive: '#204060',
      roughness: 0.25,
      metallic: 0.6,
      occlusionTexture,
    });
    world.addMesh({ geometry: planeGeometry({ size: 1 }), material, position: [-0.5, 0, 0] });
    const blend = standardMaterial({ baseColor: [0, 0, 1, 0.5], roughness: 1 });
    for (const z of [0, 0.2, 0.4]) {
      world.addMesh({ geometry: planeGeometry({ size: 0.5 }), material: blend, position: [0.5, 0, z] });
    }
    const seen: Pixels = {};
    const look = async (name: string): Promise<void> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) =>
        window.kit.pixel(frame, Math.floor(frame.width * x), Math.floor(frame.height * y)).slice(0, 3);
      seen[name] = [...at(0.25, 0.5), ...at(0.75, 0.5), ...at(0.98, 0.02)];
    };
    const names = ['base-color', 'normals', 'roughness', 'metallic', 'occlusion', 'emissive', 'uv'] as const;
    const works = ['overdraw', 'lights', 'cascades'] as const;
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      for (const view of [...names, ...works]) {
        engine.debugView = view;
        await look(`${renderer}, ${view}`);
      }
    }
    engine.renderer = 'forward';
    engine.hdr = false;
    for (const view of [...names, ...works]) {
      engine.debugView = view;
      await look(`display, ${view}`);
    }
    engine.hdr = true;
    // Lights in clusters: seven reach the blended planes, and eight reach nothing.
    for (let index = 0; index < 15; index++) {
      world.addPointLight({ position: [index < 7 ? 0.5 : 10, 0, 0.2], range: 0.2 });
    }
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.debugView = 'lights';
      await look(`${renderer}, clusters`);
    }
    // One view shows normals, and the other the scene.
    engine.debugView = 'none';
    engine.renderer = 'deferred';
    engine.effects = {};
    engine.exposure = 1;
    engine.toneMapping = 'none';
    await look('scene');
    const rect = { x: 0, y: 0, width: 0.5, height: 1 };
    const half: Actor = world.addCamera({ position: [-0.5, 0, 2], orthographic: { halfHeight: 1 } });
    const left = engine.addView({ camera: half, rect, debugView: 'normals' });
    const right = engine.addView({ camera, rect: { ...rect, x: 0.5 }, debugView: 'none' });
    await look('left');
    left.debugView = undefined;
    await look('left, scene');
    left.debugView = 'metallic';
    await look('left, metallic');
    // A translucent view is added while a debug view makes it opaque.
    left.dispose();
    right.dispose();
    engine.debugView = 'normals';
    const far: Actor = world.addCamera({ position: [100, 0, 2], orthographic: { halfHeight: 1 } });
    world.activeCamera = camera;
    engine.addView({ camera: far, background: 'transparent' });
    await look('covered');
    engine.debugView = 'none';
    await look('uncovered');
    return seen;
  },
  (found) => {
    const seen = found as Pixels;
    const near = (name: string, expected: readonly number[], most = 2): void => {
      const pixels = seen[name]!;
      for (const [index, value] of expected.entries()) {
        expect(Math.abs(pixels[index]! - value), `${name}: ${pixels} is not ${expected}`).toBeLessThanOrEqual(
          most,
        );
      }
    };
    const black = [0, 0, 0];
    for (const way of ['forward', 'deferred', 'display']) {
      near(`${way}, base-color`, [200, 100, 50, 0, 0, 255, ...black]);
      near(`${way}, normals`, [128, 128, 255, 128, 128, 255, ...black]);
      near(`${way}, roughness`, [64, 64, 64, 255, 255, 255, ...black]);
      near(`${way}, metallic`, [153, 153, 153, ...black, ...black]);
      near(`${way}, occlusion`, [153, 153, 153, 255, 255, 255, ...black]);
      near(`${way}, emissive`, [32, 64, 96, ...black, ...black]);
      // The pixel's centre is beside the centre of the planes.
      near(`${way}, uv`, [128, 128, 0, 128, 128, 0, ...black], 9);
      // A sun with a shadow, a lamp without a range, and one with a range.
      near(`${way}, lights`, [48, 48, 48, 48, 48, 48, ...black]);
      near(`${way}, cascades`, [255, 64, 64, 255, 64, 64, ...black]);
    }
    // Each draw adds a sixteenth of white, in linear light with hdr and in sRGB bytes without.
    near('forward, overdraw', [71, 71, 71, 120, 120, 120, ...black]);
    near('deferred, overdraw', [71, 71, 71, 120, 120, 120, ...black]);
    near('display, overdraw', [16, 16, 16, 48, 48, 48, ...black]);
    for (const way of ['forward', 'deferred'])
      near(`${way}, clusters`, [48, 48, 48, 160, 160, 160, ...black]);
    expect(seen.scene!.slice(6)).toEqual([255, 255, 255]);
    near('left', [128, 128, 255]);
    expect(seen.left!.slice(3)).toEqual(seen['left, scene']!.slice(3));
    expect(seen['left, scene']!.slice(0, 3)).not.toEqual(seen.left!.slice(0, 3));
    near('left, metallic', [153, 153, 153]);
    near('covered', [...black, ...black, ...black]);
    expect(seen.uncovered).toEqual(seen.scene);
  },
);

inEveryMode(
  'R12, G5: debug views show unlit, masked, transmissive and moved surfaces, and leave no trace',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#fff';
    world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    world.addDirectionalLight({ direction: [0, 0, -1] });
    const geometry = planeGeometry({ size: 0.4 });
    const glass = standardMaterial({ transmission: 1, roughness: 0.2, baseColor: '#0f0' });
    world.addMesh({ geometry, material: glass, position: [-0.5, 0.5, 0] });
    world.addMesh({ geometry, material: unlitMaterial({ baseColor: '#f00' }), position: [0.5, 0.5, 0] });
    const masked = standardMaterial({ baseColor: [0, 0, 1, 0.2], alphaMode: 'mask', alphaCutoff: 0.5 });
    world.addMesh({ geometry, material: masked, position: [-0.5, -0.5, 0] });
    const moved = shaderMaterial({
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
          (*moved).position.x += 1.0;
        }
        fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
          (*appearance).baseColor = vec4f(1.0, 0.0, 1.0, 1.0);
        }`,
      displacement: 1,
    });
    world.addMesh({ geometry: boxGeometry({ size: 0.4 }), material: moved, position: [-0.5, -0.5, 0] });
    const shot = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) =>
        window.kit.pixel(frame, Math.floor(frame.width * x), Math.floor(frame.height * y)).slice(0, 3);
      return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)].flat();
    };
    const before = await shot();
    engine.debugView = 'base-color';
    const colors = await shot();
    engine.antialias = 4;
    const smooth = await shot();
    engine.antialias = false;
    engine.debugView = 'wireframe';
    const wires = await shot();
    // The plane has two triangles, so its border and one diagonal are drawn. The pixels of `shot` lie beside the lines.
    const frame = await engine.captureFrame();
    let red = 0;
    for (let at = 0; at < frame.data.length; at += 4) {
      if (frame.data[at] === 255 && frame.data[at + 2] === 0 && frame.data[at + 1] === 0) red++;
    }
    engine.debugView = 'none';
    return { before, colors, smooth, wires, red: [red], after: await shot() };
  },
  (found) => {
    const { before, colors, smooth, wires, red, after } = found as Pixels;
    // Each side of the red plane has 26 pixels, and so has its diagonal. The whole plane has 655 pixels.
    expect(red![0], `${wires}`).toBeGreaterThan(110);
    expect(red![0]).toBeLessThan(140);
    expect(colors).toEqual([0, 255, 0, 255, 0, 0, 0, 0, 0, 255, 0, 255]);
    expect(smooth).toEqual(colors);
    expect(after).toEqual(before);
  },
);
