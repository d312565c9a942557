// R14: materials with custom shaders, through the public API, and the code blocks of
// docs/guide/shader-materials.md, as printed.
import type { Page } from '@playwright/test';
import type { Engine, EngineOptions } from 'fencepost';
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

declare global {
  interface Window {
    shading: ReturnType<typeof createShading>;
  }
}

/**
 * Returns helpers that run in the page: an engine whose camera sees a plane of 2 × 2 m that fills the
 * picture.
 */
function createShading() {
  const { fencepost, kit } = window;
  return {
    async open(options: EngineOptions) {
      const engine = await fencepost.createEngine(kit.view, {
        antialias: false,
        validation: true,
        ...options,
      });
      engine.world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
      return engine;
    },
    show(engine: Engine, material: import('fencepost').Material, z = 0) {
      const geometry = fencepost.planeGeometry({ size: 2 });
      return engine.world.addMesh({ geometry, material, position: [0, 0, z] });
    },
    /** Returns the pixels at positions from −1 to 1. */
    async pixels(engine: Engine, ...places: [x: number, y: number][]) {
      await engine.step(0);
      const picture = await engine.captureFrame();
      return places.map(([x, y]) =>
        kit.pixel(picture, Math.floor(64 + x * 64), Math.floor(64 - y * 64)).join(),
      );
    },
    halves: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      let isLeft = point.position.x < uniforms.edge;
      (*appearance).baseColor = select(vec4f(uniforms.right, 1.0), uniforms.left, isLeft);
    }`,
  };
}

async function openShading(page: Page, url: string): Promise<void> {
  await openEnginePage(page, url);
  await page.evaluate(`window.shading = (${createShading.toString()})()`);
}

const RED = '255,0,0,255';
const GREEN = '0,255,0,255';
const BLUE = '0,0,255,255';

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R14: WGSL defines a surface’s look and uniforms change it, across changes of threads and devices, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openShading(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { shaderMaterial } = window.fencepost;
      const { open, show, pixels, halves } = window.shading;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await open({ threading });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const material = shaderMaterial({
          lit: false,
          wgsl: halves,
          uniforms: { left: '#f00', right: [0, 0, 1], edge: 0 },
        });
        show(engine, material);
        const first = await pixels(engine, [-0.5, 0], [0.25, 0], [0.75, 0]);
        material.uniforms.edge = 0.5;
        material.uniforms.left = [0, 1, 0, 1];
        const changed = await pixels(engine, [-0.5, 0], [0.25, 0], [0.75, 0]);
        const read = { ...material.uniforms };
        await engine.simulateDeviceLoss();
        const restored = await pixels(engine, [-0.5, 0], [0.75, 0]);
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        const moved = await pixels(engine, [-0.5, 0], [0.75, 0]);
        const { leaks } = await engine.dispose();
        results.push({ first, changed, read, restored, moved, leaks, errors });
      }
      return results;
    }, modesOf(isolation));
    for (const result of seen) {
      expect(result).toEqual({
        first: [RED, BLUE, BLUE],
        changed: [GREEN, GREEN, BLUE],
        read: { left: [0, 1, 0, 1], right: [0, 0, 1], edge: 0.5 },
        restored: [GREEN, BLUE],
        moved: [GREEN, BLUE],
        leaks: [],
        errors: [],
      });
    }
  });
}

test('R12: a shader’s surface is lit like a standard material, forward and deferred, with environment and shadows', async ({
  page,
  isolatedURL,
}) => {
  await openShading(page, isolatedURL);
  const differences = await page.evaluate(async () => {
    const { boxGeometry, planeGeometry, shaderMaterial, sphereGeometry, standardMaterial } = window.fencepost;
    const engine = await window.shading.open({ toneMapping: 'khronos-neutral' });
    const { world } = engine;
    world.addCamera({ position: [2, 2, 4], lookAt: [0, 0, 0] });
    world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2, castShadow: { cascades: 1 } });
    await world.setEnvironment('studio', { intensity: 0.5 });
    world.addMesh({
      geometry: planeGeometry({ size: 6 }),
      material: standardMaterial(),
      rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
      position: [0, -0.6, 0],
    });
    const numbers = { metallic: 0.7, roughness: 0.35 };
    const standard = standardMaterial({ baseColor: '#4a90d0', emissive: [0.02, 0, 0], ...numbers });
    const shaded = shaderMaterial({
      metallic: 1,
      uniforms: { tint: '#4a90d0', ...numbers },
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        (*appearance).baseColor = uniforms.tint;
        (*appearance).emissive = vec3f(0.02, 0.0, 0.0);
        (*appearance).metallic = uniforms.metallic;
        (*appearance).roughness = uniforms.roughness;
        (*appearance).normal = point.normal * 3.0;
      }`,
    });
    const meshes = [
      world.addMesh({ geometry: boxGeometry({ size: 1 }), material: standard, position: [-0.8, 0, 0] }),
      world.addMesh({ geometry: sphereGeometry({ radius: 0.6 }), material: standard, position: [0.8, 0, 0] }),
    ];
    const found: number[] = [];
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      for (const mesh of meshes) mesh.root.material = standard;
      await engine.step(0);
      const { data: expected } = await engine.captureFrame();
      for (const mesh of meshes) mesh.root.material = shaded;
      await engine.step(0);
      const { data } = await engine.captureFrame();
      found.push(data.reduce((most, value, at) => Math.max(most, Math.abs(value - (expected[at] ?? 0))), 0));
    }
    await engine.dispose();
    return found;
  });
  expect(differences[0]).toBeLessThanOrEqual(1);
  expect(differences[1]).toBeLessThanOrEqual(1);
});

test('R14: shader materials support named textures, masks, blending, clones and merged draws', async ({
  page,
  plainURL,
}) => {
  await openShading(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { shaderMaterial, texture, unlitMaterial } = window.fencepost;
    const { open, show, pixels, halves } = window.shading;
    const engine = await open({});
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const bytes = (...texels: number[][]) => new Uint8Array(texels.flat());
    const image = (left: number[], right: number[]) =>
      texture(
        { width: 2, height: 1, data: bytes(left, right) },
        { colorSpace: 'linear', sampler: { magnify: 'nearest', minify: 'nearest', mipmap: 'none' } },
      );
    const background = show(engine, unlitMaterial({ baseColor: '#00f' }), -0.5);
    const mixed = shaderMaterial({
      lit: false,
      alphaMode: 'mask',
      uniforms: { strength: 1 },
      textures: {
        paint: image([255, 0, 0, 255], [0, 255, 0, 255]),
        holes: image([255, 0, 0, 0], [0, 0, 0, 0]),
      },
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let paint = textureSample(paint, paintSampler, point.uv);
        let hole = textureSample(holes, holesSampler, point.uv.yx).r;
        (*appearance).baseColor = vec4f(paint.rgb * uniforms.strength, 1.0 - hole);
      }`,
    });
    const mesh = show(engine, mixed);
    await engine.whenReady();
    const cut = await pixels(engine, [-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]);
    const dim = mixed.clone();
    dim.uniforms.strength = 0;
    mesh.root.material = dim;
    const cloned = await pixels(engine, [-0.5, -0.5], [-0.5, 0.5]);
    mesh.root.material = shaderMaterial({
      lit: false,
      alphaMode: 'blend',
      uniforms: { left: [1, 0, 0, 0.5], right: [0, 1, 0], edge: 0 },
      wgsl: halves,
    });
    const blended = await pixels(engine, [-0.5, 0], [0.5, 0]);
    // Materials with the same code and other uniforms share one draw.
    background.visible = mesh.visible = false;
    for (const x of [-1, 0, 1]) {
      const material = shaderMaterial({
        lit: false,
        uniforms: { left: '#f00', right: [0, 1, 0], edge: x },
        wgsl: halves,
      });
      show(engine, material).position.set(x * 2, 0, 0);
    }
    await engine.step(0);
    await engine.flush({ until: 'completed' });
    const { drawCalls } = engine.stats();
    const { leaks } = await engine.dispose();
    return { cut, cloned, blended, drawCalls, errors, leaks };
  });
  const BLACK = '0,0,0,255';
  expect(seen.cut.slice(0, 2)).not.toEqual(seen.cut.slice(2));
  expect([...new Set(seen.cut)].sort()).toEqual([BLUE, GREEN, RED].sort());
  expect([...seen.cloned].sort()).toEqual([BLACK, BLUE].sort());
  // Half-transparent red over blue, mixed in linear light.
  expect(seen.blended).toEqual(['188,0,188,255', GREEN]);
  expect(seen.errors).toEqual([]);
  expect(seen.leaks).toEqual([]);
});

test('R14: a shader material reads 12 textures and 19 colours', async ({ page, isolatedURL }) => {
  await openShading(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { shaderMaterial, texture } = window.fencepost;
    const { open, show, pixels } = window.shading;
    const names = Array.from({ length: 12 }, (_, index) => `map${index}`);
    const colors = Array.from({ length: 19 }, (_, index) => `color${index}`);
    // The green channel is the sum of the textures' values, and blue the sum of the uniforms' values.
    const wgsl = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      var sum = vec2f(0.0);
      ${names.map((name) => `sum.x += textureSample(${name}, ${name}Sampler, point.uv).g;`).join('\n')}
      ${colors.map((name) => `sum.y += uniforms.${name}.b;`).join('\n')}
      (*appearance).baseColor = vec4f(0.0, sum, 1.0);
    }`;
    const engine = await open({});
    const textures = Object.fromEntries(
      names.map((name, index) => {
        const data = new Uint8Array([0, index + 1, 0, 255]);
        return [name, texture({ width: 1, height: 1, data }, { colorSpace: 'linear' })];
      }),
    );
    const uniforms = Object.fromEntries(colors.map((name, index) => [name, [0, 0, index / 255, 1]]));
    show(engine, shaderMaterial({ wgsl, textures, uniforms, lit: false }));
    await engine.whenReady();
    const [seen] = await pixels(engine, [0, 0]);
    await engine.dispose();
    return seen;
  });
  // 1 + 2 + … + 12 = 78 and 0 + 1 + … + 18 = 171 of 255, as linear light, are 150 and 214 in sRGB.
  expect(seen).toBe('0,150,214,255');
});

test('an invalid shader is refused; a compile error is reported with its line, and the rest is drawn', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/does not compile/);
  await openShading(page, plainURL);
  const result = await page.evaluate(async () => {
    const { shaderMaterial, texture, unlitMaterial } = window.fencepost;
    const { open, show, pixels, halves } = window.shading;
    const wgsl = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';
    const codes: string[] = [];
    const refuse = async (make: () => unknown) => codes.push((await window.kit.refusal(make)).code);
    const data = new Uint8Array(4);
    await refuse(() => shaderMaterial({ wgsl: 'fn other() {}' }));
    await refuse(() => shaderMaterial({ wgsl, uniforms: { 'no name': 1 } }));
    await refuse(() => shaderMaterial({ wgsl, uniforms: { many: [1, 2, 3, 4, 5] } }));
    await refuse(() => shaderMaterial({ wgsl, uniforms: { color: 'no colour' } }));
    await refuse(() =>
      shaderMaterial({
        wgsl,
        uniforms: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`u${i}`, '#fff'])),
      }),
    );
    await refuse(() => shaderMaterial({ wgsl, textures: { map: texture({ width: 1, height: 1, data }) } }));
    await refuse(() => shaderMaterial({ wgsl, alphamode: 'blend' } as never));
    const vertex = 'fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {}';
    await refuse(() => shaderMaterial({ wgsl: vertex }));
    await refuse(() => shaderMaterial({ wgsl: vertex, displacement: -1 }));
    await refuse(() => shaderMaterial({ wgsl: 'fn vertex() -> vec3f {}', displacement: 1 }));
    const material = shaderMaterial({ wgsl: halves, uniforms: { left: '#f00', right: [0, 0, 1], edge: 0 } });
    await refuse(() => {
      material.uniforms.right = [1, 2];
    });
    await refuse(() => {
      material.baseColorTexture = texture({ width: 1, height: 1, data });
    });
    const engine = await open({ validation: false });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    show(engine, unlitMaterial({ baseColor: '#0f0' }), -0.5);
    const broken = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      (*appearance).baseColor = point.nothing;
    }`;
    show(engine, shaderMaterial({ wgsl: broken, uniforms: { tint: '#f00' }, name: 'hall\nof mirrors' }));
    const drawn = await pixels(engine, [0, 0]);
    const messages = errors.splice(0);
    // A broken `vertex` function also breaks the mesh's shadow. The rest is drawn all the same.
    const moved = shaderMaterial({
      displacement: 1,
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        (*moved).position = textureSample(none, noneSampler, point.uv).xyz;
      }`,
      name: 'wind',
    });
    show(engine, moved, 0.5);
    engine.world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3, castShadow: true });
    const behind = await pixels(engine, [0, 0]);
    await engine.dispose();
    return { codes, errors: messages, drawn, ofVertex: errors, behind };
  });
  expect(result.codes).toEqual([
    'option-invalid',
    'option-invalid',
    'option-invalid',
    'color-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-unknown',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-invalid',
    'option-invalid',
  ]);
  expect(result.errors.length).toBeGreaterThan(0);
  expect(result.errors[0]).toContain('"hall of mirrors", line 2, column 33: ');
  expect(result.errors[0]).toContain('point.nothing');
  expect(result.errors[0]).not.toContain('what follows');
  expect(result.drawn).toEqual([GREEN]);
  // The new light compiles the earlier broken shader again, so its errors are left out.
  const ofVertex = result.ofVertex.filter((message) => !message.includes('hall of mirrors'));
  expect(ofVertex.length).toBeGreaterThan(0);
  for (const message of ofVertex) expect(message).toContain('"wind", line 2, column ');
  expect(result.behind).toEqual([GREEN]);
});

test('R14: the guide’s materials show, as printed', async ({ page, context, isolatedURL }) => {
  const guide = readGuide('docs/guide/shader-materials.md');
  await showProgram(guide, {
    page,
    context,
    origin: isolatedURL,
    file: 'stripes.js',
    width: 256,
    height: 128,
  });
  const counts = await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: Engine };
    const { data } = await engine.captureFrame();
    const counted = { red: 0, blue: 0 };
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      if (red > 80 && green < 60) counted.red++;
      if (blue > 180 && red < 170) counted.blue++;
    }
    await engine.dispose();
    return counted;
  });
  expect(counts.red).toBeGreaterThan(200);
  expect(counts.blue).toBeGreaterThan(500);
});

test('R14: the guide’s flag waves, and light passes through its screen, as printed', async ({
  page,
  context,
  isolatedURL,
}) => {
  const guide = readGuide('docs/guide/shader-materials.md');
  await showProgram(guide, { page, context, origin: isolatedURL, file: 'waves.js', width: 256, height: 160 });
  const seen = await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: Engine };
    engine.stop();
    const red: number[] = [];
    let dark = 0;
    let before: Uint8ClampedArray | undefined;
    let changed = 0;
    for (let frame = 0; frame < 2; frame++) {
      await engine.step(0.4);
      const { data } = await engine.captureFrame();
      const isRed = (at: number): boolean => (data[at] ?? 0) > 60 && (data[at + 1] ?? 0) < 40;
      const pixels = Array.from({ length: data.length / 4 }, (_, index) => index * 4);
      red.push(pixels.filter(isRed).length);
      // Shadow pixels on the floor are grey and darker than lit ones.
      dark = pixels.filter((at) => data[at] === data[at + 1] && (data[at] ?? 0) < 150).length;
      changed = pixels.filter((at) => before && Math.abs((data[at] ?? 0) - (before[at] ?? 0)) > 20).length;
      before = data;
    }
    await engine.dispose();
    return { red, dark, changed };
  });
  expect(Math.min(...seen.red)).toBeGreaterThan(1000);
  expect(seen.dark).toBeGreaterThan(300);
  expect(seen.changed).toBeGreaterThan(200);
});
