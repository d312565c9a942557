import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { decodePng, encodePng, readPng, writePng } from './png.js';

const images = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
      .map((data) => ({ width, height, data })),
  );

describe('PNG files', () => {
  it('decode to the same pixels in another decoder', () => {
    fc.assert(
      fc.property(images, (image) => {
        const decoded = PNG.sync.read(Buffer.from(encodePng(image)));
        expect([decoded.width, decoded.height]).toEqual([image.width, image.height]);
        expect([...decoded.data]).toEqual([...image.data]);
      }),
    );
  });

  it('that another encoder writes are read, with each filter', () => {
    fc.assert(
      fc.property(images, fc.constantFrom(0, 1, 2, 3, 4), (image, filterType) => {
        const png = new PNG({ width: image.width, height: image.height, filterType });
        png.data = Buffer.from(image.data);
        expect([...decodePng(PNG.sync.write(png, { filterType })).data]).toEqual([...image.data]);
      }),
    );
  });

  it('without alpha are read as opaque', () => {
    const png = new PNG({ width: 1, height: 1 });
    png.data = Buffer.from([9, 8, 7, 255]);
    expect([...decodePng(PNG.sync.write(png, { colorType: 2 })).data]).toEqual([9, 8, 7, 255]);
  });

  it('are written into new folders, and the error for an invalid file names the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-png-'));
    try {
      const path = join(folder, 'new', 'dot.png');
      writePng(path, { width: 1, height: 1, data: new Uint8Array([1, 2, 3, 4]) });
      expect([...readPng(path).data]).toEqual([1, 2, 3, 4]);
      writeFileSync(join(folder, 'text.png'), 'hello');
      expect(() => readPng(join(folder, 'text.png'))).toThrow('text.png');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
