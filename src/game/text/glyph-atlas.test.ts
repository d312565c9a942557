import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestWorld, valuesOf } from '../testing/test-world.js';
import { atlasFor } from './glyph-atlas.js';
import { TextComponent } from './text-component.js';
import { linesOf } from './text-lines.js';

/** Returns the colour of all pixels of a text that is drawn with a fill style. */
const INK = (style: string): number => (style === '#fff' ? 0xffffffff : 0xff000000);
const RED_AND_FAINT = 0xff0000ff;

/**
 * A canvas on which every character is 56 pixels wide (64 with margins) and full of ink; 😀 is full of red.
 */
class SolidCanvas {
  getContext(): object {
    let text = '';
    const context = {
      font: '',
      fillStyle: '',
      direction: '',
      clearRect: () => {},
      fillText: (drawn: string) => {
        text = drawn;
        drawnTexts.push(`${context.direction} ${drawn}`);
      },
      measureText: (measured: string) => {
        measuredTexts.push(`${context.direction} ${measured}`);
        const width = 56 * [...measured].length;
        return { width, actualBoundingBoxLeft: 0, actualBoundingBoxRight: width };
      },
      getImageData: (_x: number, _y: number, width: number, height: number) => {
        const pixels = new Uint32Array(width * height);
        pixels.fill(text === '😀' ? RED_AND_FAINT : INK(context.fillStyle));
        // In a text with ink and colours, the left half is in colours.
        if (text.includes('ש😀')) {
          for (let at = 0; at < pixels.length; at++) if (at % width < width / 2) pixels[at] = RED_AND_FAINT;
        }
        return { data: new Uint8ClampedArray(pixels.buffer) };
      },
    };
    return context;
  }
}

let drawnTexts: string[] = [];
let measuredTexts: string[] = [];

const atlasOf = (font: string, text: string) => atlasFor(font, linesOf(text).flat());

describe('an atlas of glyphs', () => {
  beforeEach(() => {
    drawnTexts = [];
    vi.stubGlobal('OffscreenCanvas', SolidCanvas);
  });
  afterEach(() => vi.unstubAllGlobals());

  it('sends only the pixels of missing characters, and is replaced by one twice as high when it is full', () => {
    const { world, send } = createTestWorld();
    const text = new TextComponent({ text: 'plain', font: 'growing' });
    world.spawn(text);
    const first = valuesOf(send(), 'createTexture');
    // A row has 16 characters, so the 95 printable ASCII characters take six rows.
    expect(first).toMatchObject([{ width: 1024, height: 6 * 92 }]);
    // The first atlas fits one more character, at the end of the last row. The next atlas is twice as high.
    text.text = 'é';
    expect(valuesOf(send(), 'createTexture')).toEqual([]);
    text.text = 'plain ñ';
    const second = valuesOf(send(), 'createTexture');
    expect(second).toMatchObject([{ width: 1024, height: 12 * 92 }]);
    const { texture } = second[0]!;
    text.text = 'öü';
    const records = send();
    expect(valuesOf(records, 'createTexture')).toEqual([]);
    expect(valuesOf(records, 'updateTexture')).toMatchObject([
      { texture, x: 64, y: 6 * 92, width: 128, height: 92 },
    ]);
    // Ink is white with the canvas's alpha. The image is available again for another stream.
    const { texture: atlas } = atlasOf('growing', 'öü');
    const { image, changes } = atlas.takeImage()!;
    const pixels = new Uint32Array(image as ArrayBuffer);
    expect([pixels[6 * 92 * 1024 + 64], pixels[6 * 92 * 1024 + 191], pixels[6 * 92 * 1024 + 192]]).toEqual([
      0xffffffff, 0xffffffff, 0x00ffffff,
    ]);
    expect(changes).toBe(1);
    // Existing characters are not sent again.
    text.text = 'üö';
    expect(valuesOf(send(), 'updateTexture')).toEqual([]);
  });

  it('has a cell of ink, of colours, or both for each piece', () => {
    const { glyphs } = atlasOf('coloured', 'a😀');
    expect(glyphs.get('a')?.cells.map(({ kind }) => kind)).toEqual(['ink']);
    expect(glyphs.get('😀')?.cells.map(({ kind }) => kind)).toEqual(['colors']);
    const { glyphs: mixed, texture } = atlasOf('coloured', 'ש😀');
    const [ink, colors] = mixed.get('rtl\nש😀')?.cells ?? [];
    expect([ink?.kind, colors?.kind]).toEqual(['ink', 'colors']);
    expect(colors?.rectangle).toEqual(ink?.rectangle);
    const { image, width, height } = texture.takeImage()!;
    const pixels = new Uint32Array(image as ArrayBuffer);
    const row = (cell = ink): number[] => {
      const [left = 0, , right = 0, top = 0] = cell?.uvs ?? [];
      const from = Math.round(top * height) * width;
      return [...pixels.slice(from + Math.round(left * width), from + Math.round(right * width))];
    };
    // A row has 2 × 56 pixels of text and a margin of 4 on either side. Transparent pixels beside red ones are red,
    // too.
    const half = (pixel: number): number[] => new Array(60).fill(pixel);
    expect(row(ink)).toEqual([...half(0x00ffffff), ...half(0xffffffff)]);
    expect(row(colors)).toEqual([...half(0xff0000ff), ...half(0x000000ff)]);
  });

  it('measures the distance of two characters in their own direction', () => {
    const [first, second] = linesOf('AV')[0]!;
    const atlas = atlasOf('kerned', 'AV');
    atlasOf('kerned', 'שלום');
    measuredTexts = [];
    atlas.kerning(first!, second!);
    expect(measuredTexts).toEqual(['ltr AV', 'ltr A', 'ltr V']);
  });

  it('cuts a long line into adjacent cells', () => {
    const line = `ש${'ל'.repeat(40)}`;
    const { glyphs } = atlasOf('long', line);
    const { cells = [], advance } = glyphs.get(`rtl\n${line}`) ?? {};
    expect(advance).toBe((41 * 56) / 64);
    // 41 × 56 pixels and two margins, in parts of 1016.
    expect(cells.map(({ rectangle: [left, , right] }) => [left * 64, right * 64])).toEqual([
      [-4, 1012],
      [1012, 2028],
      [2028, 41 * 56 + 4],
    ]);
    for (const { uvs } of cells) expect(uvs[0] * 1024).toBe(4);
    expect(new Set(drawnTexts.slice(-6))).toEqual(new Set([`rtl ${line}`]));
  });

  it('starts again with the pieces of the new text if all pieces together do not fit', () => {
    const row = (index: number): string =>
      `ש${String.fromCodePoint(0x5d0 + (index % 20)).repeat(15)}${index}`;
    const { texture: first } = atlasOf('full', row(0));
    let last = first;
    for (let index = 1; index < 60; index++) last = atlasOf('full', row(index)).texture;
    expect(last).not.toBe(first);
    const { glyphs } = atlasOf('full', row(59));
    expect([glyphs.has(`rtl\n${row(59)}`), glyphs.has(`rtl\n${row(0)}`)]).toEqual([true, false]);
    const refusal = (): unknown =>
      atlasOf('full', Array.from({ length: 60 }, (_, index) => row(index)).join('\n'));
    expect(refusal).toThrow(expect.objectContaining({ code: 'option-out-of-range' }));
  });

  it('is sent completely to a world that first uses it after it has grown', () => {
    atlasOf('shared', 'é');
    atlasOf('shared', 'ñ');
    atlasOf('shared', 'ö');
    const { world, send } = createTestWorld();
    world.spawn(new TextComponent({ text: 'ñö', font: 'shared' }));
    const records = send();
    expect(valuesOf(records, 'createTexture')).toHaveLength(1);
    expect(valuesOf(records, 'updateTexture')).toEqual([]);
  });
});
