// R14: the WGSL functions of `fencepost/shaders`: their ranges, their values, and errors in chunks.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

declare global {
  interface Window {
    chunks: typeof import('fencepost/shaders');
    paint: typeof paint;
  }
}

interface Painting {
  readonly imports: readonly string[];
  /** A WGSL expression of the type `vec4f`. It may use `place`, the position in the picture in pixels, 0 to 128. */
  readonly color: string;
  readonly threading?: 'single' | 'render' | 'render+rhi';
}

/** Draws the colour in a picture of 128 × 128 pixels. Returns its bytes and the engine's errors. Runs in the page. */
async function paint({ imports, color, threading = 'single' }: Painting) {
  const { createEngine, planeGeometry, shaderMaterial } = window.fencepost;
  const engine = await createEngine(window.kit.view, { antialias: false, threading });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
  engine.world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
  const material = shaderMaterial({
    lit: false,
    imports: imports.map((name) => window.chunks[name as 'hash']),
    wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      let place = point.pixel;
      (*appearance).baseColor = ${color};
    }`,
  });
  engine.world.addMesh({ geometry: planeGeometry({ size: 2 }), material });
  await engine.step(0);
  const { data } = await engine.captureFrame();
  const { leaks } = await engine.dispose();
  return { data: [...data], errors, leaks };
}

async function open(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.paint = ${paint}`);
  await page.evaluate(async (file) => {
    window.chunks = (await import(file)) as typeof import('fencepost/shaders');
  }, '/dist/shaders.js');
}

const decoded = (byte: number): number => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

const NOISES = [
  ['valueNoise2', '2', 0, 1],
  ['valueNoise3', '3', 0, 1],
  ['gradientNoise2', '2', -1, 1],
  ['gradientNoise3', '3', -1, 1],
  ['simplexNoise2', '2', -1, 1],
  ['simplexNoise3', '3', -1, 1],
  ['fractalNoise2', '2, 4u, 2.0, 0.5', -1, 1],
  ['fractalNoise3', '3, 4u, 2.0, 0.5', -1, 1],
] as const;

test('R14: noise stays in its documented range, uses most of it, and is continuous', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await open(page, isolatedURL);
  for (const [name, rest, low, high] of NOISES) {
    const argument = (scale: string) => {
      const [dimensions = '', ...others] = rest.split(', ');
      const place = `place * ${scale} - 40.0`;
      const point = dimensions === '2' ? place : `vec3f(${place}, 3.7)`;
      return [point, ...others].join(', ');
    };
    const value = (scale: string) =>
      `vec4f(select(0.0, 1.0, ${name}(${argument(scale)}) < ${low}.0), select(0.0, 1.0, ${name}(${argument(scale)}) > ${high}.0), (${name}(${argument(scale)}) - ${low}.0) / ${high - low}.0, 1.0)`;
    const wide = await page.evaluate((painting) => window.paint(painting), {
      imports: [name],
      color: value('0.73'),
    });
    expect({ name, errors: wide.errors, leaks: wide.leaks }).toEqual({ name, errors: [], leaks: [] });
    const blue = wide.data.filter((_, index) => index % 4 === 2).map(decoded);
    const mean = blue.reduce((sum, each) => sum + each, 0) / blue.length;
    expect(Math.abs(mean - 0.5), name).toBeLessThan(0.06);
    expect(Math.min(...blue), name).toBeLessThan(0.28);
    expect(Math.max(...blue), name).toBeGreaterThan(0.72);
    expect(Math.max(...wide.data.filter((_, index) => index % 4 < 2)), name).toBe(0);
    const near = await page.evaluate((painting) => window.paint(painting), {
      imports: [name],
      color: value('0.015'),
    });
    let largest = 0;
    for (let at = 2; at < near.data.length - 4; at += 4) {
      if ((at + 2) % 512 === 0) continue;
      largest = Math.max(largest, Math.abs(decoded(near.data[at]!) - decoded(near.data[at + 4]!)));
    }
    expect(largest, name).toBeGreaterThan(0.003);
    expect(largest, name).toBeLessThan(0.1);
  }
});

test('R14: functions of fencepost/shaders return their documented values', async ({ page, plainURL }) => {
  await open(page, plainURL);
  // PCG on the CPU.
  const hash1 = (value: number): number => {
    const state = (Math.imul(value, 747796405) + 2891336453) >>> 0;
    const word = Math.imul(((state >>> ((state >>> 28) + 4)) ^ state) >>> 0, 277803737) >>> 0;
    return ((word >>> 22) ^ word) >>> 0;
  };
  const hash2 = (x: number, y: number): number => hash1((hash1(x) + y) >>> 0);
  const near = (one: string, other: string) => `all(abs(${one} - ${other}) < vec3f(1e-4))`;
  const claims: readonly (readonly [imports: string, claim: string])[] = [
    ['hash', `hash1(7u) == ${hash1(7)}u && hash1(4000000000u) == ${hash1(4000000000)}u`],
    ['hash', `hash2(vec2u(3u, 9u)) == ${hash2(3, 9)}u`],
    ['hash', `hash3(vec3u(3u, 9u, 5u)) == ${hash1((hash2(3, 9) + 5) >>> 0)}u`],
    ['hash', 'random1(place.x) >= 0.0 && random1(place.x) < 1.0 && random1(1.0) != random1(2.0)'],
    ['hash', 'random2(place) < 1.0 && random3(vec3f(place, 1.0)) >= 0.0'],
    ['gradientNoise2', 'gradientNoise2(floor(place)) == 0.0 && gradientNoise2(place * 0.3) != 0.0'],
    ['gradientNoise3', 'gradientNoise3(vec3f(floor(place), 2.0)) == 0.0'],
    ['valueNoise2', 'valueNoise2(vec2f(3.0, 9.0)) == unitFloat(hash2(vec2u(3u, 9u)))'],
    ['fractalNoise2', 'abs(fractalNoise2(place * 0.3, 1u, 2.0, 0.5) - gradientNoise2(place * 0.3)) < 1e-5'],
    ['voronoi2', 'voronoi2(place * 0.1).x <= voronoi2(place * 0.1).y && voronoi2(place * 0.1).x < 1.4143'],
    ['voronoi2', 'voronoi2(place * 0.1).z >= 0.0 && voronoi2(place * 0.1).z < 1.0'],
    ['voronoi3', 'voronoi3(vec3f(place, 5.0) * 0.1).x <= voronoi3(vec3f(place, 5.0) * 0.1).y'],
    ['hueShift', near('hueShift(vec3f(1.0, 0.0, 0.0), 1.0 / 3.0)', 'vec3f(0.0, 1.0, 0.0)')],
    ['hueShift', near('hueShift(vec3f(0.4), 0.21)', 'vec3f(0.4)')],
    ['palette', near('palette(0.5, vec3f(0.5), vec3f(0.5), vec3f(1.0), vec3f(0.0))', 'vec3f(0.0)')],
    ['rotate', near('vec3f(rotate2(vec2f(1.0, 0.0), 1.57079633), 0.0)', 'vec3f(0.0, 1.0, 0.0)')],
    [
      'rotate',
      near('rotateAbout(vec3f(1.0, 2.0, 0.0), vec3f(0.0, 0.0, 1.0), 1.57079633)', 'vec3f(-2.0, 1.0, 0.0)'),
    ],
    ['remap', 'remap(3.0, 2.0, 4.0, 10.0, 20.0) == 15.0 && remap(5.0, 2.0, 4.0, 10.0, 20.0) == 25.0'],
    ['remap', 'remapClamped(5.0, 2.0, 4.0, 10.0, 20.0) == 20.0 && remap(place.x, 1.0, 1.0, 3.0, 7.0) == 7.0'],
    ['fresnel', 'fresnel(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 0.0, 1.0), 5.0) < 1e-6'],
    ['fresnel', 'abs(fresnel(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 0.0, 1.0), 5.0) - 1.0) < 1e-6'],
  ];
  const imports = [...new Set(claims.map(([name]) => name))];
  // Column n of the picture is white if claim n is true.
  const cases = claims.map(([, claim], index) => `(column == ${index} && (${claim}))`).join(' || ');
  for (const threading of MODES) {
    const { data, errors } = await page.evaluate((painting) => window.paint(painting), {
      imports,
      threading,
      color: `vec4f(vec3f(select(0.0, 1.0, isTrue(place))), 1.0); } fn isTrue(place: vec2f) -> bool {
        let column = i32(place.x) % ${claims.length};
        return ${cases};`,
    });
    expect(errors).toEqual([]);
    const failed = claims.filter((_, index) => {
      const rows = Array.from({ length: 128 }, (_, row) => data[(row * 128 + index) * 4]);
      return !rows.every((value) => value === 255);
    });
    expect(failed).toEqual([]);
  }
});

test('R14: a texture is sampled along each axis by `triplanar`', async ({ page, plainURL }) => {
  await open(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { boxGeometry, createEngine, shaderMaterial, texture } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    engine.world.addCamera({ position: [4, 4, 4], lookAt: [0, 0, 0], orthographic: { halfHeight: 2 } });
    const data = new Uint8Array([255, 0, 0, 255, 0, 255, 0, 255]);
    const sampler = { magnify: 'nearest', minify: 'nearest', mipmap: 'none' } as const;
    const material = shaderMaterial({
      lit: false,
      imports: [window.chunks.triplanar],
      textures: { halves: texture({ width: 2, height: 1, data }, { colorSpace: 'linear', sampler }) },
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        (*appearance).baseColor = triplanar(halves, halvesSampler, point.position, point.normal, 8.0);
      }`,
    });
    engine.world.addMesh({ geometry: boxGeometry({ size: 2 }), material });
    await engine.whenReady();
    await engine.step(0);
    const frame = await engine.captureFrame();
    const { leaks } = await engine.dispose();
    const counts = new Map<string, number>();
    for (let at = 0; at < frame.data.length; at += 4) {
      const color = frame.data.subarray(at, at + 3).join();
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    return { red: counts.get('255,0,0') ?? 0, green: counts.get('0,255,0') ?? 0, leaks };
  });
  expect(seen.red).toBeGreaterThan(2000);
  expect(Math.abs(seen.red - seen.green)).toBeLessThan(400);
  expect(seen.leaks).toEqual([]);
});

test('an error in a chunk names the chunk; an error after imports has the place in the page’s own text', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/does not compile/);
  await open(page, plainURL);
  const messages = await page.evaluate(async () => {
    const { createEngine, planeGeometry, shaderMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    engine.world.addCamera({ position: [0, 0, 2] });
    const add = async (imports: { name: string; wgsl: string }[], body: string) => {
      const wgsl = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        ${body}
      }`;
      const material = shaderMaterial({ name: 'gold', imports, wgsl });
      const mesh = engine.world.addMesh({ geometry: planeGeometry(), material });
      await engine.step(0);
      await engine.flush({ until: 'completed' });
      mesh.destroy();
      return errors.splice(0)[0] ?? '';
    };
    const dents = { name: 'dents', wgsl: 'fn dents() -> f32 {\n  return missing;\n}' };
    const seen = [
      await add([window.chunks.gradientNoise3, dents], '(*appearance).roughness = dents();'),
      await add([window.chunks.gradientNoise3], '(*appearance).roughness = missing;'),
    ];
    await engine.dispose();
    return seen;
  });
  expect(messages[0]).toContain('the chunk "dents" of "gold", line 2, column 10: ');
  expect(messages[1]).toContain(': "gold", line 2, column 35: ');
});
