import { afterEach, describe, expect, it, vi } from 'vitest';
import { BILLBOARD_FLOATS } from '../billboards/billboard-component.js';
import { TextComponent } from './text-component.js';
import { linesOf } from './text-lines.js';

/** A canvas on which every text is 32 pixels wide, half the font's size. */
class FlatCanvas {
  getContext(): object {
    return {
      font: '',
      measureText: () => ({ width: 32, actualBoundingBoxLeft: 0, actualBoundingBoxRight: 32 }),
      clearRect: () => {},
      fillText: () => {},
      fillStyle: '',
      getImageData: (_x: number, _y: number, width: number, height: number) => ({
        data: new Uint8ClampedArray(width * height * 4),
      }),
    };
  }
}

/** Returns the number of quads of a text; throws if the atlas lacks a piece. */
function quadsOf(text: string): number {
  const shape = new TextComponent({ text }).shape();
  shape.write(new Float32Array(shape.quads * 4 * BILLBOARD_FLOATS));
  return shape.quads;
}

describe('lines of a text', () => {
  afterEach(() => vi.unstubAllGlobals());

  const textsOf = (text: string) => linesOf(text).map((pieces) => pieces.map((piece) => piece.text));

  it('end at each of the three kinds of line ends', () => {
    expect(textsOf('a\r\nb\rc\nd')).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(textsOf('\r\n\n\r')).toEqual([[], [], [], []]);
    expect(textsOf('')).toEqual([[]]);
  });

  it('keep combined characters together', () => {
    expect(textsOf('e\u0301x\r\n👨‍👩‍👧')).toEqual([['e\u0301', 'x'], ['👨‍👩‍👧']]);
  });

  it('stay whole if characters join, run from right to left, or the direction is set to rtl', () => {
    const seen = (text: string, direction?: 'auto' | 'ltr' | 'rtl') =>
      linesOf(text, direction).flatMap((pieces) => pieces.map((piece) => `${piece.direction} ${piece.text}`));
    expect(seen('שלום, world!\n12')).toEqual(['rtl שלום, world!', 'ltr 1', 'ltr 2']);
    expect(seen('مرحبا')).toEqual(['rtl مرحبا']);
    expect(seen('Hi שלום')).toEqual(['ltr Hi שלום']);
    expect(seen('नमस्ते')).toEqual(['ltr नमस्ते']);
    expect(seen('a\u202eb')).toEqual(['ltr a\u202eb']);
    expect(seen('a!', 'rtl')).toEqual(['rtl a!']);
    expect(seen('שלום', 'ltr')).toEqual(['ltr שלום']);
    expect(seen('Ünï Ω Я 漢かカ한!?€😀')).toHaveLength(16);
  });

  it('have each of their pieces in the atlas, for each pair of 21 unusual characters', () => {
    vi.stubGlobal('OffscreenCanvas', FlatCanvas);
    expect(quadsOf('a\r\nb')).toBe(2);
    // Letters, tabs, zero-width characters, halves of surrogate pairs, accents and joiners without a letter, parts
    // of flags and of Hangul, and line ends.
    const odd = [
      'a',
      'é',
      '\t',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\ud83d',
      '\ude00',
      '\u0301',
      '👩',
      '🇩',
      '🇪',
      '\u1100',
      '\u1161',
      '\u0600',
      '\u2028',
      '\u0085',
      '\0',
      '\r',
      '\n',
      '\r\n',
    ];
    for (const first of odd) {
      for (const second of odd) {
        const text = `${first}${second}`;
        expect(quadsOf(text)).toBe(linesOf(text).flat().length);
      }
    }
  });
});
