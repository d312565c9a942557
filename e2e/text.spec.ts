import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// Texts and the debug drawer, through the public API.

inEveryMode(
  'a text is drawn with its font, size and place, and a new text replaces it',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    // 16 pixels are 1 m.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const text = await world.addText({ text: 'HHH', size: 20, color: '#f00' });
    /** Returns the first and last rows and columns that show something. */
    const extent = async (): Promise<number[]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const rows: number[] = [];
      const columns: number[] = [];
      for (let y = 0; y < frame.height; y++) {
        for (let x = 0; x < frame.width; x++) {
          if ((kit.pixel(frame, x, y)[0] as number) < 128) continue;
          rows.push(y);
          columns.push(x);
        }
      }
      return [Math.min(...rows), Math.max(...rows), Math.min(...columns), Math.max(...columns)];
    };
    await engine.whenReady();
    const [top = 0, bottom = 0, left = 0, right = 0] = await extent();
    // A capital is about 0.7 of the font size high. The text's centre lies at the actor.
    const isPlaced = [
      Math.abs(bottom - top - 14) <= 2,
      Math.abs(left + right - 127) <= 2,
      Math.abs(top + bottom - 127) <= 8,
    ];
    const hit = await engine.pick((left + right) / 2, 64);
    text.root.text = 'HH\nHHH';
    const two = await extent();
    const isTwice = (two[1] as number) - (two[0] as number) - (bottom - top);
    text.root.size = 10;
    const half = await extent();
    text.root.text = '';
    const empty = await extent();
    text.root.text = 'É';
    const accented = await extent();
    const side = await world.addText({
      text: 'H',
      size: 1,
      sizeUnits: 'metres',
      anchor: [0, 0.5],
      color: '#f00',
    });
    text.destroy();
    const metres = await extent();
    const copy = side.clone({ position: [-3, 0, 0] });
    const copied = await extent();
    return [
      isPlaced,
      hit?.component === text.root,
      Math.round(isTwice),
      Math.abs(((half[3] as number) - (half[2] as number)) / (right - left) - 0.5) < 0.1,
      empty,
      accented.every(Number.isFinite),
      (metres[2] as number) >= 64,
      (copied[2] as number) < 64,
      copy.root.text,
    ];
  },
  (seen) =>
    expect(seen).toEqual([
      [true, true, true],
      true,
      24,
      true,
      [Infinity, -Infinity, Infinity, -Infinity],
      true,
      true,
      true,
      'H',
    ]),
);

inEveryMode(
  'the debug drawer shows lines, boxes and axes for the frame that requested them',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const marker = world.addMesh({ geometry: fencepost.boxGeometry({ size: 0.01 }), position: [-2, -2, 0] });
    const debug = await world.addDebugDrawer({ width: 3 });
    const at = async (x: number, y: number): Promise<string> => {
      const [red = 0, green = 0, blue = 0] = kit.pixel(await engine.captureFrame(), 64 + x * 16, 64 - y * 16);
      return [red, green, blue].map((value) => (value > 100 ? 1 : 0)).join('');
    };
    let isDrawing = true;
    let count = 1;
    world.onTick(() => {
      if (!isDrawing) return;
      for (let index = 0; index < count; index++) debug.line([-3, 3, 0], [3, 3, 0], '#f00');
      debug.box({ min: [0, -1, -1], max: [2, 1, 1] }, '#0f0');
      debug.axes(marker);
    });
    await engine.step(0);
    const first = [await at(0, 3), await at(1, 1), await at(1, 0), await at(-1.5, -2), await at(-2, -1.5)];
    count = 500;
    await engine.step(0);
    const many = [await at(0, 3), await at(1, 1)];
    isDrawing = false;
    await engine.step(0);
    const none = [await at(0, 3), await at(1, 1)];
    isDrawing = true;
    await engine.step(0);
    const again = [await at(0, 3), world.actors.length];
    // This listener runs after all others, in the last tick group.
    world.onTick(() => debug.line([-3, -3, 0], [3, -3, 0], '#00f'), { group: 'post-update' });
    await engine.step(0);
    const last = await at(0, -3);
    debug.dispose();
    await engine.step(0);
    isDrawing = false;
    return [first, many, none, again, last, await at(0, 3), world.actors.length];
  },
  (seen) =>
    expect(seen).toEqual([
      ['100', '010', '000', '100', '010'],
      ['100', '010'],
      ['000', '000'],
      ['100', 3],
      '001',
      '000',
      2,
    ]),
);

inEveryMode(
  'the debug drawer shows texts above points and actors for the frame that requested them',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    // 16 pixels are 1 m.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const geometry = fencepost.boxGeometry({ size: 1 });
    const box = world.addMesh({ geometry, material: fencepost.unlitMaterial({ baseColor: '#000' }) });
    box.position.set(-2, -2, 0);
    const empty = world.spawn(new fencepost.SceneComponent({ position: [2, -2, 0] }));
    const debug = await world.addDebugDrawer();
    const before = world.actors.length;
    /** Returns all colours in a square of 2 m above each position. */
    const above = async (...places: readonly (readonly [x: number, y: number])[]): Promise<string> => {
      const frame = await engine.captureFrame();
      return places
        .map(([x, y]) => {
          const seen = [0, 0, 0];
          for (let row = 0; row < 20; row++) {
            for (let column = -16; column < 16; column++) {
              const pixel = kit.pixel(frame, 64 + x * 16 + column, 64 - y * 16 - row);
              for (let channel = 0; channel < 3; channel++) {
                if ((pixel[channel] ?? 0) > 100) seen[channel] = 1;
              }
            }
          }
          return seen.join('');
        })
        .join(' ');
    };
    const all = [
      [0, 1],
      [-2, -1.5],
      [2, -2],
    ] as const;
    let texts = 3;
    world.onTick(() => {
      if (texts > 0) debug.text([0, 1, 0], 'MMM', '#f00');
      if (texts > 1) debug.text(box, 'WWW', '#0f0');
      if (texts > 2) debug.text(empty, 'HHH', '#00f');
    });
    await engine.step(0);
    await engine.whenReady();
    await engine.step(0);
    const first = await above(...all);
    texts = 1;
    await engine.step(0);
    const one = await above(...all);
    texts = 0;
    await engine.step(0);
    const none = await above(...all);
    texts = 3;
    // The position lies above the other texts, whose width depends on the machine's font.
    box.position.y = 2;
    await engine.step(0);
    const moved = await above([-2, 2.5], [-2, -1.5]);
    const made = world.actors.length - before;
    debug.dispose();
    await engine.step(0);
    texts = 0;
    return [first, one, none, moved, made, await above(...all), world.actors.length - before];
  },
  (seen) =>
    expect(seen).toEqual(['100 010 001', '100 000 000', '000 000 000', '010 000', 3, '000 000 000', -1]),
);

test('texts match those of a page’s 2D canvas: as dark, as bold, with the letters in the same order', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { kit } = window;
    const cases = [
      ['small dark text', 16, '#000', '#fff'],
      ['small dark text', 14, '#000', '#fff'],
      ['small light text', 16, '#fff', '#000'],
      ['AVATAR Type 24', 24, '#000', '#fff'],
      ['שלום, world (12)!', 16, '#000', '#fff'],
      ['مرحبا بالعالم', 18, '#000', '#fff'],
      ['Hi שלום!', 20, '#000', '#fff'],
    ] as const;
    const all = [];
    for (const [text, size, ink, paper] of cases) {
      const pictures = await kit.bothTexts(text, size, ink, paper);
      const [theirs, ours] = pictures.map(({ data, width }) => {
        const background = paper === '#fff' ? 255 : 0;
        const columns = new Array<number>(width).fill(0);
        let most = 0;
        for (let at = 1; at < data.length; at += 4) {
          const difference = Math.abs((data[at] as number) - background);
          columns[(at >> 2) % width]! += difference / 255;
          most = Math.max(most, difference);
        }
        return { columns, most, sum: columns.reduce((sum, each) => sum + each) };
      });
      // The mean shift of the ink in columns. Letters in another order would shift by many columns.
      let [theirShare, ourShare, shift] = [0, 0, 0];
      for (const [column, ink] of theirs!.columns.entries()) {
        theirShare += ink / theirs!.sum;
        ourShare += (ours!.columns[column] as number) / ours!.sum;
        shift += Math.abs(theirShare - ourShare);
      }
      all.push({
        text,
        size,
        most: ours!.most,
        ratio: ours!.sum / theirs!.sum,
        shift,
      });
    }
    return all;
  });
  for (const { text, size, most, ratio, shift } of seen) {
    const which = `${text}, ${size} pixels`;
    expect(most, `the contrast of ${which}`).toBeGreaterThan(size < 16 ? 230 : 250);
    expect(Math.abs(ratio - 1), `how bold ${which} is`).toBeLessThan(0.1);
    expect(shift, `shift of the ink of ${which}, in pixels`).toBeLessThan(0.5);
  }
});

inEveryMode(
  'emoji keep their own colours beside the text’s ink, and fade with the text',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    await kit.addColorFont('Colour');
    engine.background = '#fff';
    // 16 pixels are 1 m.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    // The font's glyphs are squares with a side of 0.8 of the font size: 'A' in ink, the emoji half red, half blue.
    // Each character of the first line is a piece of its own. The direction mark makes the second line one piece.
    const text = await world.addText({
      text: 'A😀\n\u200eA😀',
      font: 'Colour',
      size: 30,
      color: '#000',
      align: 'left',
    });
    const look = async (): Promise<string[]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      // Squares are 24 pixels wide, the text is 48 pixels wide, and its lines are 36 pixels high.
      return [50, 84].map((y) =>
        [52, 70, 82].map((x) => kit.pixel(frame, x, y).slice(0, 3).join()).join(' '),
      );
    };
    await engine.whenReady();
    const seen = [await look()];
    text.root.material.baseColor = '#0f0';
    seen.push(await look());
    // Half of the light is 188 in sRGB.
    text.root.material.opacity = 0.5;
    seen.push(await look());
    return seen;
  },
  (seen) =>
    expect(seen).toEqual([
      ['0,0,0 255,0,0 0,0,255', '0,0,0 255,0,0 0,0,255'],
      ['0,255,0 255,0,0 0,0,255', '0,255,0 255,0,0 0,0,255'],
      ['188,255,188 255,188,188 188,188,255', '188,255,188 255,188,188 188,188,255'],
    ]),
);

test('texts and the debug drawer reject invalid input with named errors', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const codes = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    const code = async (action: () => unknown) => (await kit.refusal(action)).code;
    const text = await world.addText({ text: 'a' });
    const debug = await world.addDebugDrawer();
    const all = Array.from({ length: 9000 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    return [
      await code(() => world.addText({} as never)),
      await code(() => world.addText({ text: 'a', font: '12px serif' })),
      await code(() => world.addText({ text: 'a', size: -1 })),
      await code(() => world.addText({ text: 'a', align: 'justify' as never })),
      await code(() => world.addText({ text: 'a', direction: 'down' as never })),
      await code(() => world.addText({ text: all })),
      await code(() => {
        text.root.text = 3 as never;
      }),
      await code(() => world.addDebugDrawer({ width: -1 })),
      await code(() => debug.line([0, 0], [1, 1, 1])),
      await code(() => debug.line([0, 0, Number.NaN], [1, 1, 1])),
      await code(() => debug.text([0, 0], 'a')),
      await code(() => debug.text([0, 0, Number.NaN], 'a')),
      await code(() => debug.text([0, 0, 0], 3 as never)),
      await code(() => debug.text([0, 0, 0], 'a', 'no colour')),
      await code(() => debug.text(null as never, 'a')),
      world.actors.length,
    ];
  });
  expect(codes).toEqual([
    'option-invalid',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'color-invalid',
    'option-invalid',
    2,
  ]);
});
