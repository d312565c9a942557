import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// Environments from KTX2 files, and sums of several environments (`world.setEnvironment`), through the public
// API.

test('KTX2 cube maps in half floats and BC6H blocks have their faces in the right directions', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    const COLORS = ['100', '010', '001', '110', '011', '101'].map((digits) => [...digits].map(Number));
    // 0x3c00 is 1 as a half float.
    const texels = COLORS.flatMap((color) => Array.from({ length: 64 }, () => [...color, 1]).flat());
    const halves = Uint16Array.from(texels, (value) => value * 0x3c00);
    // Blocks of one colour: mode 3 with two equal ends of 10 bits per channel, where 495 means 1.
    const blocks = new Uint8Array(6 * 16);
    for (const [face, color] of COLORS.entries()) {
      const ends = [...color, ...color].map((value) => value * 495);
      const bits = [3, ...ends].flatMap((value, index) =>
        Array.from({ length: index === 0 ? 5 : 10 }, (_, bit) => (value >> bit) & 1),
      );
      for (const [bit, value] of bits.entries()) blocks[face * 16 + (bit >> 3)]! |= value << (bit & 7);
    }
    const camera = world.addCamera({ position: [0, 0, 0], fovY: 0.5 });
    const results: string[][] = [];
    for (const file of [kit.ktx2(97, 8, 6, halves), kit.ktx2(143, 4, 6, blocks)]) {
      await world.setEnvironment(file, { background: true });
      const around: string[] = [];
      for (const [x, y, z] of [
        [1, 0, 0],
        [-1, 0, 0],
        [0.001, 1, 0],
        [0.001, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
      ] as const) {
        camera.lookAt([x, y, z]);
        await engine.step(0);
        const pixel = kit.pixel(await engine.captureFrame(), 64, 64);
        around.push(pixel.slice(0, 3).join());
      }
      results.push(around);
    }
    await engine.dispose();
    return results;
  });
  const colors = ['255,0,0', '0,255,0', '0,0,255', '255,255,0', '0,255,255', '255,0,255'];
  expect(seen).toEqual([colors, colors]);
});

inEveryMode(
  'several environments, loaded and computed, are added by weight',
  async (engine) => {
    const { world } = engine;
    const { kit } = window;
    world.addCamera({ position: [0, 0, 0], lookAt: [1, 0, 0], fovY: 0.5 });
    const red = Uint16Array.from({ length: 6 * 4 * 4 }, (_, index) => (index % 4 === 0 ? 0x3c00 : 0));
    const cube = kit.ktx2(97, 2, 6, red);
    // Every texel is 0.5: mantissas of 256 with exponent 15.
    const half = (256 | (256 << 9) | (256 << 18) | (15 << 27)) >>> 0;
    const grey = kit.ktx2(123, 4, 1, new Uint32Array(8).fill(half));
    const blend = [
      { source: cube, weight: 0.5 },
      { source: grey, weight: 1.5 },
      { source: null, weight: 5 },
      { source: 'sky', weight: 0 },
    ];
    await world.setEnvironment(blend, { background: true, intensity: 0.5 });
    await engine.step(0);
    return kit
      .pixel(await engine.captureFrame(), 64, 64)
      .slice(0, 3)
      .join();
  },
  // Weight × intensity is 0.25 for red and 0.75 for grey 0.5. So red is 0.25 + 0.75 × 0.5 = 0.625, and green and blue
  // are 0.375. The expected values are in sRGB.
  (seen) => expect(seen).toBe('207,165,165'),
);

test('invalid lists of environments are refused, and the previous environment stays', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const { kit } = window;
    const engine = await createEngine(kit.view);
    const { world } = engine;
    world.addCamera();
    await world.setEnvironment('studio', { background: true });
    await engine.step(0);
    const before = await kit.picture(engine);
    const studio = { source: 'studio', weight: 1 };
    const lists: unknown[] = [
      [],
      Array.from({ length: 9 }, () => studio),
      [{ source: 'studio' }],
      [{ source: 'studio', weight: -1 }],
      [{ source: 'studio', weight: Number.NaN }],
      [{ weight: 1 }],
      [{ source: 'studio', wait: 1 }],
      ['studio'],
      [studio, { source: new ArrayBuffer(40), weight: 1 }],
      [studio, { source: 'no-such-file.ktx2', weight: 1 }],
    ];
    const codes: string[] = [];
    for (const list of lists) {
      codes.push((await kit.refusal(() => world.setEnvironment(list as never))).code);
    }
    await engine.step(0);
    const after = await kit.picture(engine);
    await engine.dispose();
    return { codes, isSame: before === after };
  });
  expect(seen).toEqual({
    codes: [
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-invalid',
      'option-unknown',
      'option-invalid',
      'hdr-invalid',
      'fetch-failed',
    ],
    isSame: true,
  });
});
