import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// G5: each view has its own exposure, tone mapping, background, anti-aliasing and effects. A view with its own
// look draws the same bytes as a view without one while the engine has that look.

interface Comparison {
  /** Names of halves of the picture that differ from the expected half. */
  readonly differences: string[];
  /** Number of looks of the engine that change the left half of the picture. */
  readonly changed: number;
}

inEveryMode(
  'G5: a view with its own look draws the bytes of an engine with that look, and other views keep theirs',
  async (engine: Engine) => {
    const { boxGeometry, sphereGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 4 });
    const material = standardMaterial({ baseColor: '#ff7a1a', roughness: 0.4 });
    world.addMesh({ geometry: boxGeometry(), material, rotation: [0.2, 0.3, 0.1, 0.93] });
    const glass = unlitMaterial({ baseColor: '#3af', opacity: 0.5 });
    world.addMesh({ geometry: sphereGeometry({ radius: 0.4 }), material: glass, position: [0.5, 0.4, 0.6] });
    const camera = world.addCamera({ position: [0.6, 0.8, 2.5], lookAt: [0, 0, 0] });
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera, rect: { x: 0, ...half } });
    engine.addView({ camera, rect: { x: 0.5, ...half } });
    const halves = async (): Promise<readonly [string, string]> => {
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      const parts: [number[], number[]] = [[], []];
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width * 4; x++) parts[x < width * 2 ? 0 : 1].push(data[y * width * 4 + x] ?? -1);
      }
      return [parts[0].join(), parts[1].join()];
    };
    const differences: string[] = [];
    let changed = 0;
    const expectSame = (what: string, seen: string, expected: string) => {
      if (seen !== expected) differences.push(what);
    };
    const LOOKS = [
      { exposure: 2.5 },
      { toneMapping: 'aces' },
      { background: '#2040a0' },
      { antialias: 4 },
      { exposure: 0.5, toneMapping: 'agx', background: [0.2, 0.5, 0.1], antialias: 4 },
    ] as const;
    const ENGINE = { exposure: 1, toneMapping: 'none', background: '#000', antialias: 1 } as const;
    const VIEW = { exposure: undefined, toneMapping: undefined, background: undefined, antialias: undefined };
    for (const [renderer, hdr] of [
      ['forward', true],
      ['deferred', true],
      ['forward', false],
    ] as const) {
      engine.renderer = 'forward';
      engine.hdr = hdr;
      engine.renderer = renderer;
      Object.assign(engine, ENGINE);
      Object.assign(left, VIEW);
      const plain = await halves();
      for (const look of LOOKS) {
        const what = `${renderer}, hdr ${hdr}, ${Object.keys(look)}`;
        Object.assign(engine, look);
        const [styled] = await halves();
        Object.assign(engine, ENGINE);
        Object.assign(left, look);
        const mixed = await halves();
        expectSame(`${what}: own look`, mixed[0], styled);
        expectSame(`${what}: other view`, mixed[1], plain[1]);
        changed += Number(styled !== plain[0]);
        // The view keeps its look while the engine's look changes. Without a look of its own, it shows the
        // engine's.
        Object.assign(engine, { ...ENGINE, ...look, exposure: 3 });
        if ('exposure' in look) expectSame(`${what}: kept`, (await halves())[0], styled);
        Object.assign(engine, ENGINE);
        Object.assign(left, VIEW);
        expectSame(`${what}: back`, (await halves())[0], plain[0]);
      }
    }
    // Next, `inEveryMode` loses the device and changes the threads. Both must restore this look.
    Object.assign(engine, { hdr: true, exposure: 2, renderer: 'deferred' });
    Object.assign(left, { exposure: 0.7, toneMapping: 'khronos-neutral', background: '#048', antialias: 4 });
    await engine.step(0);
    return { differences, changed } satisfies Comparison;
  },
  (seen) => expect(seen).toEqual({ differences: [], changed: 15 }),
);

inEveryMode(
  'G5: a view with a translucent background lies over the pictures beneath it, and textures and canvases have the background of their view',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const { world } = engine;
    const paint = (baseColor: string) => unlitMaterial({ baseColor });
    world.addMesh({ geometry: boxGeometry(), material: paint('#ff0000') });
    world.addMesh({
      geometry: planeGeometry({ size: 40 }),
      material: paint('#00ff00'),
      position: [100, 0, 0],
    });
    const box = world.addCamera({ position: [0, 0, 2], fovY: 1 });
    world.addCamera({ position: [100, 0, 2], fovY: 1 });
    const over = engine.addView({ camera: box, background: 'transparent' });
    const target = renderTexture({ width: 16, height: 16 });
    const monitor = engine.addView({ camera: box, target, background: '#0000ff' });
    const canvas = new OffscreenCanvas(16, 16);
    const map = engine.addView({ camera: box, canvas, background: [1, 1, 1, 0] });
    const at = (frame: { width: number; data: Uint8ClampedArray }, x: number, y: number) =>
      [...frame.data.subarray((y * frame.width + x) * 4, (y * frame.width + x) * 4 + 4)].join();
    const results: Record<string, string> = {};
    for (const hdr of [true, false]) {
      engine.hdr = hdr;
      await engine.step(0);
      const frame = await engine.captureFrame();
      results[`corner ${hdr}`] = at(frame, 1, 1);
      results[`middle ${hdr}`] = at(frame, frame.width >> 1, frame.height >> 1);
      const texture = await target.read();
      results[`texture ${hdr}`] = `${at(texture, 0, 0)} ${at(texture, 8, 8)}`;
      const picture = await map.captureFrame();
      results[`canvas ${hdr}`] = `${at(picture, 0, 0)} ${at(picture, 8, 8)}`;
    }
    over.background = '#ffff0080';
    engine.hdr = true;
    await engine.step(0);
    results.half = kit
      .pixel(await engine.captureFrame(), 1, 1)
      .slice(0, 3)
      .join();
    over.background = undefined;
    await engine.step(0);
    results.inherited = kit
      .pixel(await engine.captureFrame(), 1, 1)
      .slice(0, 3)
      .join();
    monitor.dispose();
    map.dispose();
    return results;
  },
  (seen) =>
    expect(seen).toEqual({
      'corner true': '0,255,0,255',
      'middle true': '255,0,0,255',
      'texture true': '0,0,255,255 255,0,0,255',
      'canvas true': '0,0,0,0 255,0,0,255',
      'corner false': '0,255,0,255',
      'middle false': '255,0,0,255',
      'texture false': '0,0,255,255 255,0,0,255',
      'canvas false': '0,0,0,0 255,0,0,255',
      half: '188,255,0',
      inherited: '0,0,0',
    }),
);

test('G5: a wrong look of a view is a typed error, and changes nothing', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'single' });
    const camera = engine.world.addCamera({ position: [0, 0, 2] });
    const view = engine.addView({
      camera,
      exposure: 2,
      toneMapping: 'aces',
      background: '#fff',
      antialias: false,
    });
    const codes: Record<string, string> = {};
    const note = (name: string, run: () => unknown) => {
      try {
        run();
        codes[name] = 'no error';
      } catch (error) {
        const { name: type, code } = error as Error & { code: string };
        codes[name] = `${type} ${code}`;
      }
    };
    const WRONG = {
      exposure: [0, Number.NaN, '2'],
      toneMapping: ['film', 0],
      background: ['none', [2, 0, 0], 5],
      antialias: [2, 'yes'],
    };
    for (const [name, values] of Object.entries(WRONG)) {
      for (const value of values) {
        note(`${name} = ${value}`, () => Object.assign(view, { [name]: value }));
        note(`addView ${name} = ${value}`, () => engine.addView({ camera, [name]: value } as never));
      }
    }
    const { exposure, toneMapping, background, antialias } = view;
    const views = engine.stats().views.length;
    view.dispose();
    note('disposed', () => {
      view.exposure = 1;
    });
    await engine.dispose();
    return { codes, kept: { exposure, toneMapping, background, antialias }, views };
  });
  const { disposed, ...codes } = seen.codes;
  const expected: Record<string, string> = {
    exposure: 'OptionError option-out-of-range',
    toneMapping: 'OptionError option-invalid',
    background: 'OptionError color-invalid',
    antialias: 'OptionError option-invalid',
  };
  for (const [name, code] of Object.entries(codes)) {
    const option = /(\w+) =/.exec(name)?.[1] ?? '';
    expect(code, name).toBe(expected[option]);
  }
  expect(Object.keys(codes)).toHaveLength(20);
  expect(disposed).toBe('OptionError option-invalid');
  expect(seen.kept).toEqual({ exposure: 2, toneMapping: 'aces', background: '#fff', antialias: 1 });
});
