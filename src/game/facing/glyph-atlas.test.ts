import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestWorld, valuesOf } from '../world.test-helper.js';
import { atlasFor } from './glyph-atlas.js';
import { TextComponent } from './text-component.js';

/** A canvas on which every character is 64 pixels wide and opaque black. */
class SolidCanvas {
  getContext(): object {
    return {
      font: '',
      clearRect: () => {},
      fillText: () => {},
      measureText: () => ({ width: 56, actualBoundingBoxLeft: 0, actualBoundingBoxRight: 56 }),
      getImageData: (_x: number, _y: number, width: number, height: number) => ({
        data: new Uint8ClampedArray(new Uint32Array(width * height).fill(0xff000000).buffer),
      }),
    };
  }
}

describe('an atlas of glyphs', () => {
  beforeEach(() => void vi.stubGlobal('OffscreenCanvas', SolidCanvas));
  afterEach(() => vi.unstubAllGlobals());

  it('grows in place: only the pixels of characters that it lacks are sent', () => {
    const { world, send } = createTestWorld();
    const text = new TextComponent({ text: 'plain', font: 'growing' });
    world.spawn(text);
    const first = valuesOf(send(), 'createTexture');
    // 16 characters a row, so six rows for ASCII.
    expect(first).toMatchObject([{ width: 1024, height: 6 * 92 }]);
    // The first atlas has room for one more, at the end of the last row; then another one has twice the height.
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
    // White, as opaque as the canvas says, and there again for another stream.
    const { texture: atlas } = atlasFor('growing', 'öü');
    const { image, changes } = atlas.takeImage()!;
    const pixels = new Uint32Array(image as ArrayBuffer);
    expect([pixels[6 * 92 * 1024 + 64], pixels[6 * 92 * 1024 + 191], pixels[6 * 92 * 1024 + 192]]).toEqual([
      0xffffffff, 0xffffffff, 0x00ffffff,
    ]);
    expect(changes).toBe(1);
    // What it has already is not sent again.
    text.text = 'üö';
    expect(valuesOf(send(), 'updateTexture')).toEqual([]);
  });

  it('is sent as it is to a world that shows it first when it has grown', () => {
    atlasFor('shared', 'é');
    atlasFor('shared', 'ñ');
    atlasFor('shared', 'ö');
    const { world, send } = createTestWorld();
    world.spawn(new TextComponent({ text: 'ñö', font: 'shared' }));
    const records = send();
    expect(valuesOf(records, 'createTexture')).toHaveLength(1);
    expect(valuesOf(records, 'updateTexture')).toEqual([]);
  });
});
