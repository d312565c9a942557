import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: colour grading follows the guide's formulas for tone-mapped colours, and spares all other colours.

type Triple = readonly [number, number, number];

const LIGHT: Triple = [0.5, 0.2, 0.05];
const encoded = (light: number): number =>
  light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
const SHOWN = LIGHT.map(encoded);

function expectColor(
  seen: number[] | undefined,
  expected: readonly number[],
  name: string,
  most = 1.5,
): void {
  for (const [channel, value] of expected.entries()) {
    const difference = Math.abs((seen?.[channel] ?? -99) - 255 * Math.min(1, Math.max(0, value)));
    expect(difference, `${name}: ${seen}, not ${expected.map((each) => 255 * each)}`).toBeLessThan(most);
  }
}

inEveryMode(
  'R14: colour grading changes mapped colours by its options and tables, in each view, and spares other colours',
  async (engine: Engine) => {
    const { loadColorTable, parseCube, planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#8060c0';
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    const geometry = planeGeometry({ size: 0.9 });
    const baseColor = [0.5, 0.2, 0.05] as const;
    const mapped = unlitMaterial({ baseColor, toneMapped: true });
    world.addMesh({ geometry, material: mapped, position: [-0.5, 0.5, 0] });
    world.addMesh({ geometry, material: unlitMaterial({ baseColor }), position: [0.5, 0.5, 0] });
    const seen: Record<string, number[][]> = {};
    /** The mapped surface, the unmapped one, and the background. */
    const see = async (name: string) => {
      await engine.step(0);
      const picture = await engine.captureFrame();
      seen[name] = [
        [30, 30],
        [96, 30],
        [64, 100],
      ].map(([x, y]) => window.kit.pixel(picture, x!, y!));
    };
    const corners = (invert: boolean) =>
      Array.from({ length: 8 }, (_, index) =>
        [index & 1, (index >> 1) & 1, index >> 2].map((bit) => (invert ? 1 - bit : bit)).join(' '),
      ).join('\n');
    const inverted = parseCube(
      `TITLE "inverted"\n# a comment\nLUT_3D_SIZE 2\n${corners(true)}\n`,
      'inverted',
    );
    const curves = parseCube('LUT_1D_SIZE 3\r\n0 0.5 1\r\n0.25 0.5 0.5\r\n1 0.5 0\r\n');
    // Red and green are swapped in a strip of 4 squares.
    const strip = new OffscreenCanvas(16, 4);
    const context = strip.getContext('2d')!;
    for (let blue = 0; blue < 4; blue++)
      for (let green = 0; green < 4; green++)
        for (let red = 0; red < 4; red++) {
          context.fillStyle = `rgb(${green * 85}, ${red * 85}, ${blue * 85})`;
          context.fillRect(blue * 4 + red, green, 1, 1);
        }
    const swapped = await loadColorTable(await strip.convertToBlob());
    await see('off');
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.colorGrading = true;
      await see(`${renderer}, defaults`);
      engine.effects.colorGrading = { saturation: 0 };
      await see(`${renderer}, grey`);
    }
    engine.renderer = 'forward';
    engine.effects.colorGrading = { contrast: 1.5 };
    await see('contrast');
    engine.effects.colorGrading = { lift: [0.1, 0, -0.1], gamma: 1.5, gain: [1, 1.2, 0.8] };
    await see('levels');
    engine.effects.colorGrading = { temperature: 0.5 };
    await see('warm');
    engine.effects.colorGrading = { temperature: -0.5, tint: 0.5 };
    await see('cool');
    engine.effects.colorGrading = { table: inverted };
    await see('table');
    engine.effects.colorGrading.tableAmount = 0.25;
    await see('a part of the table');
    engine.effects.colorGrading = { table: curves };
    await see('curves');
    engine.effects.colorGrading = { table: swapped };
    await see('strip');
    engine.hdr = false;
    await see('display');
    engine.hdr = true;
    engine.toneMapping = 'aces';
    await see('aces');
    engine.effects.colorGrading = false;
    await see('aces, off');
    engine.toneMapping = 'none';
    engine.effects.colorGrading = { table: inverted };
    const view = engine.addView({ camera, rect: { x: 0, y: 0, width: 1, height: 0.5 } });
    view.effects.colorGrading = { table: curves };
    await engine.step(0);
    const picture = await engine.captureFrame();
    const views = [window.kit.pixel(picture, 48, 15)];
    view.dispose();
    const codes: string[] = [];
    for (const text of [
      '',
      'LUT_3D_SIZE 65',
      'LUT_1D_SIZE 2\n0 0 0',
      'LUT_1D_SIZE 2\n0 0 x\n1 1 1',
      'LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1',
      'LUT_3D_SIZE 2.5',
      'GAMMA 2',
      'LUT_1D_SIZE 2\nLUT_3D_SIZE 2',
      'LUT_1D_SIZE 2\nDOMAIN_MAX 0 1 1\n0 0 0\n1 1 1',
    ]) {
      try {
        parseCube(text, 'film.cube');
        codes.push('nothing was refused');
      } catch (error) {
        codes.push(`${(error as { code: string }).code}: ${(error as Error).message}`);
      }
    }
    const refused: string[] = [];
    for (const colorGrading of [
      { saturation: 5 },
      { gamma: 0 },
      { gain: [1, 1] },
      { table: 'film.cube' },
      { exposure: 1 },
    ]) {
      try {
        Object.assign(engine.effects, { colorGrading });
        refused.push('nothing was refused');
      } catch (error) {
        refused.push((error as { code: string }).code);
      }
    }
    const square = new OffscreenCanvas(5, 5);
    square.getContext('2d')!.fillRect(0, 0, 1, 1);
    for (const source of [square.convertToBlob(), 7, 'data:text/plain,LUT_1D_SIZE']) {
      refused.push((await window.kit.refusal(async () => loadColorTable((await source) as never))).code);
    }
    await see('at the end');
    return { seen, views, codes, refused, table: [inverted.name, inverted.size, inverted.isCube] };
  },
  (found) => {
    const { seen, views, codes, refused, table } = found as {
      seen: Record<string, number[][]>;
      views: number[][];
      codes: string[];
      refused: string[];
      table: unknown[];
    };
    const log = JSON.stringify(seen);
    for (const [name, [, unmapped, background]] of Object.entries(seen)) {
      if (name === 'display') continue;
      expectColor(unmapped, SHOWN, `unmapped, ${name}`);
      expect(background, `background, ${name}`).toEqual([0x80, 0x60, 0xc0, 255]);
    }
    const brightness = SHOWN[0]! * 0.2126 + SHOWN[1]! * 0.7152 + SHOWN[2]! * 0.0722;
    for (const renderer of ['forward', 'deferred']) {
      expect(seen[`${renderer}, defaults`]?.[0]).toEqual(seen.off?.[0]);
      expectColor(seen[`${renderer}, grey`]?.[0], [brightness, brightness, brightness], `grey ${log}`);
    }
    expectColor(
      seen.contrast?.[0],
      SHOWN.map((value) => (value - 0.5) * 1.5 + 0.5),
      `contrast ${log}`,
    );
    const lift = [0.1, 0, -0.1];
    const gain = [1, 1.2, 0.8];
    expectColor(
      seen.levels?.[0],
      SHOWN.map(
        (value, index) => Math.max(0, gain[index]! * (value + lift[index]! * (1 - value))) ** (1 / 1.5),
      ),
      `levels ${log}`,
    );
    const [off = [], warm = [], cool = []] = [seen.off?.[0], seen.warm?.[0], seen.cool?.[0]];
    expect(warm[0]! > off[0]! && warm[2]! < off[2]!, log).toBe(true);
    expect(cool[0]! < off[0]! && cool[2]! > off[2]!, log).toBe(true);
    const inverted = SHOWN.map((value) => 1 - value);
    expectColor(seen.table?.[0], inverted, `table ${log}`);
    expectColor(
      seen['a part of the table']?.[0],
      SHOWN.map((value) => value * 0.75 + (1 - value) * 0.25),
      `part ${log}`,
    );
    // The first curve is 0, 0.25, 1, the second one constant, and the third one 1, 0.5, 0.
    const curved = [0.25 + (SHOWN[0]! - 0.5) * 2 * 0.75, 0.5, 1 - SHOWN[2]!];
    expectColor(seen.curves?.[0], curved, `curves ${log}`);
    const swapped = [SHOWN[1]!, SHOWN[0]!, SHOWN[2]!];
    for (const name of ['strip', 'display', 'at the end'])
      expectColor(seen[name]?.[0], name === 'at the end' ? inverted : swapped, `${name} ${log}`);
    const aces = seen['aces, off']?.[0]?.map((value) => value / 255) ?? [];
    expectColor(seen.aces?.[0], [aces[1]!, aces[0]!, aces[2]!], `aces ${log}`, 2.5);
    expectColor(views[0], curved, 'view');
    expect(codes).toEqual([
      'cube-invalid: "film.cube", line 1: The file has no LUT_1D_SIZE or LUT_3D_SIZE.',
      'cube-too-large: "film.cube", line 1: A 3D table may have 64 colours along an edge, and this one has 65.',
      expect.stringContaining('cube-truncated: "film.cube", line 2: The file ends after 1 of 2 colours.'),
      'cube-invalid: "film.cube", line 2: "0 0 x" is not 3 numbers.',
      'cube-invalid: "film.cube", line 4: The table has more colours than its size of 2 allows.',
      'cube-invalid: "film.cube", line 1: The size "2.5" is not a whole number from 2 on.',
      'cube-invalid: "film.cube", line 1: The keyword "GAMMA" is unknown.',
      'cube-invalid: "film.cube", line 2: The file has a second size. Use a file with one table.',
      'cube-invalid: "film.cube", line 3: DOMAIN_MAX has to be greater than DOMAIN_MIN.',
    ]);
    expect(refused).toEqual([
      'option-out-of-range',
      'option-out-of-range',
      'option-out-of-range',
      'option-invalid',
      'option-unknown',
      'table-image-invalid',
      'option-invalid',
      'cube-invalid',
    ]);
    expect(table).toEqual(['inverted', 2, true]);
  },
);
