import { expect, it } from 'vitest';
import { checkPictureOptions, sizeOf, type ViewerPictureOptions } from './picture-blob.js';

it('keeps the proportions of the canvas if one side is missing', () => {
  expect(sizeOf(2, undefined, undefined)).toBeNull();
  expect(sizeOf(2, 100, undefined)).toEqual({ width: 100, height: 50 });
  expect(sizeOf(2, undefined, 100)).toEqual({ width: 200, height: 100 });
  expect(sizeOf(2, 10, 20)).toEqual({ width: 10, height: 20 });
});

it.each([
  [{ type: 'image/gif' }, 'option-invalid', /one of image\/png/],
  [{ quality: 2 }, 'option-out-of-range', /quality of toBlob is 2/],
  [{ quality: Number.NaN }, 'option-out-of-range', /quality/],
  [{ size: 3 }, 'option-unknown', /no option "size"\. It takes type/],
])('rejects the options %j', (options, code, message) => {
  expect(() => checkPictureOptions(options as ViewerPictureOptions)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});
