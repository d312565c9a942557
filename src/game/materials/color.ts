/**
 * Colours as callers write them: a CSS string, which is sRGB, or linear numbers as in glTF. Hex digits are
 * parsed here. The browser's own parser, if there is one, handles all other CSS colours.
 */
import { OptionError } from '../../core/errors.js';

/** A CSS colour (sRGB), or linear red, green, blue and optionally alpha. */
export type ColorLike = string | ArrayLike<number>;

/** Converts one sRGB channel, 0 to 1, to linear light (IEC 61966-2-1). */
export function linearFromSrgb(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function parseHex(text: string): number[] | undefined {
  const digits = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.exec(text)?.[1];
  const pairs = digits && digits.length < 5 ? digits.replace(/./g, '$&$&') : digits;
  return pairs?.match(/../g)?.map((pair) => Number.parseInt(pair, 16) / 255);
}

/**
 * Parses a colour by the browser's 2D context. The context keeps its old fill colour if it can't parse the new one. So
 * a colour is invalid if its result depends on the old colour.
 */
function parseByBrowser(text: string): number[] | null {
  // Node and jsdom have no parser and show no colours, so `rgb(…)` and similar colours become white there. Names other
  // than `transparent` are invalid there.
  if (!globalThis.OffscreenCanvas)
    return /^(transparent|[a-z]+\(.+\))$/.test(text) ? [1, 1, 1, +/\(/.test(text)] : null;
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!context) return null;
  const [onBlack, onWhite] = ['#000', '#fff'].map((old) => {
    context.fillStyle = old;
    context.fillStyle = text;
    return context.fillStyle;
  });
  if (onBlack !== onWhite) return null;
  context.fillRect(0, 0, 1, 1);
  return Array.from(context.getImageData(0, 0, 1, 1).data, (value) => value / 255);
}

/**
 * Returns linear red, green, blue and alpha, each from 0 to 1. A colour without an alpha has the alpha 1.
 * @param what the object or function that takes the colour, for messages
 * @param name the property or option, for messages
 * @throws OptionError `color-invalid`
 */
export function parseColor(what: string, name: string, color: ColorLike): [number, number, number, number] {
  if (typeof color === 'string') {
    const text = color.trim();
    const srgb = parseHex(text) ?? parseByBrowser(text);
    if (srgb) {
      const [red, green, blue, alpha = 1] = srgb as [number, number, number, number?];
      return [linearFromSrgb(red), linearFromSrgb(green), linearFromSrgb(blue), alpha];
    }
  } else if (color?.length === 3 || color?.length === 4) {
    const [red, green, blue, alpha = 1] = Array.from(color) as [number, number, number, number?];
    const linear: [number, number, number, number] = [red, green, blue, alpha];
    if (linear.every((value) => value >= 0 && value <= 1)) return linear;
  }
  throw new OptionError(
    'color-invalid',
    `${name} of ${what} is ${typeof color === 'string' ? `'${color}'` : `[${color}]`}, which is neither a CSS colour nor three or four linear numbers from 0 to 1. For 8-bit numbers write 'rgb(255 122 26)'.`,
  );
}
