import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FencepostError } from '../../core/errors.js';
import { decodeRadianceHdr, toHalf } from './radiance-hdr.js';

function file(lines: string, ...data: number[]): Uint8Array {
  return Uint8Array.from([...new TextEncoder().encode(lines), ...data]);
}

const HEADER = '#?RADIANCE\n# made by a test\nFORMAT=32-bit_rle_rgbe\n\n';

function fromHalf(half: number): number {
  const exponent = half >> 10;
  const mantissa = half & 0x3ff;
  return exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

function refusal(bytes: Uint8Array): string {
  try {
    decodeRadianceHdr(bytes, 'sky.hdr');
  } catch (error) {
    return `${(error as FencepostError).code} ${(error as Error).message}`;
  }
  throw new Error('It was expected to be refused.');
}

describe('decodeRadianceHdr', () => {
  it('reads plain texels: mantissas times two to the exponent', () => {
    const { width, height, data } = decodeRadianceHdr(
      file(`${HEADER}-Y 1 +X 2\n`, 128, 64, 0, 129, 255, 1, 1, 0),
      'sky.hdr',
    );
    expect([width, height]).toEqual([2, 1]);
    expect([...new Uint16Array(data)].map(fromHalf)).toEqual([1, 0.5, 0, 1, 0, 0, 0, 1]);
  });

  it('rejects a picture of more than 1 GiB', () => {
    const [height, width] = [16384, 8193];
    const bytes = new Uint8Array(100 + height * (4 + 8 * Math.ceil(width / 127)));
    bytes.set(file(`${HEADER}-Y ${height} +X ${width}\n`));
    expect(refusal(bytes)).toBe(
      'asset-too-large "sky.hdr": 8193 × 16384 texels take 1025 MiB of memory. Scale the picture down.',
    );
  });

  it('reads rows of runs and literals, plane by plane', () => {
    const row = [
      2,
      2,
      0,
      8,
      128 + 8,
      128,
      8,
      0,
      16,
      32,
      48,
      64,
      80,
      96,
      112,
      128 + 4,
      1,
      128 + 4,
      2,
      128 + 8,
      129,
    ];
    const { data } = decodeRadianceHdr(file(`${HEADER}-Y 1 +X 8\n`, ...row), 'sky.hdr');
    const texels = [...new Uint16Array(data)].map(fromHalf);
    expect(texels.filter((_, index) => index % 4 === 0)).toEqual(new Array(8).fill(1));
    expect(texels.filter((_, index) => index % 4 === 1)).toEqual([
      0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875,
    ]);
    expect(texels.filter((_, index) => index % 4 === 2).map((value) => value * 128)).toEqual([
      1, 1, 1, 1, 2, 2, 2, 2,
    ]);
  });

  it.each([
    // Each case lists the rows of the expected picture from the top. Texels 1 to 6 are in the order of the file.
    ['-Y 3 +X 2', [1, 2], [3, 4], [5, 6]],
    ['-Y 3 -X 2', [2, 1], [4, 3], [6, 5]],
    ['+Y 3 +X 2', [5, 6], [3, 4], [1, 2]],
    ['+Y 3 -X 2', [6, 5], [4, 3], [2, 1]],
    ['+X 2 -Y 3', [1, 4], [2, 5], [3, 6]],
    ['+X 2 +Y 3', [3, 6], [2, 5], [1, 4]],
    ['-X 2 -Y 3', [4, 1], [5, 2], [6, 3]],
    ['-X 2 +Y 3', [6, 3], [5, 2], [4, 1]],
  ])('writes rows from the top: %s', (size, ...rows) => {
    const data = [1, 2, 3, 4, 5, 6].flatMap((value) => [value * 32, 0, 0, 136]);
    const image = decodeRadianceHdr(file(`${HEADER}${size}\n`, ...data), 'sky.hdr');
    expect([image.width, image.height]).toEqual([2, 3]);
    const texels = [...new Uint16Array(image.data)].map(fromHalf);
    expect(texels.filter((_, at) => at % 4 === 0)).toEqual(rows.flat().map((value) => value * 32));
  });

  it('reads runs of columns', () => {
    const plane = (value: number) => [128 + 8, value];
    const column = (value: number) => [2, 2, 0, 8, ...plane(value), ...plane(0), ...plane(0), ...plane(136)];
    const bytes = file(`${HEADER}-X 2 +Y 8\n`, ...column(64), ...column(128));
    const { width, height, data } = decodeRadianceHdr(bytes, 'sky.hdr');
    expect([width, height]).toEqual([2, 8]);
    expect([...new Uint16Array(data, 0, 8)].map(fromHalf)).toEqual([128, 0, 0, 1, 64, 0, 0, 1]);
  });

  it('reads the runs of files from before 1991: a texel 1 1 1 n repeats the previous one n times', () => {
    const red = [128, 0, 0, 129];
    const green = [0, 128, 0, 129];
    const first = [...red, ...[1, 1, 1, 6], ...green];
    const second = [...green, ...[1, 1, 1, 7]];
    const { data } = decodeRadianceHdr(file(`${HEADER}-Y 2 +X 8\n`, ...first, ...second), 'old.hdr');
    const reds = [...new Uint16Array(data)].filter((_, at) => at % 4 === 0).map(fromHalf);
    expect(reds).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('reads old runs beyond 255 texels, in which each further marker counts 256 times as much', () => {
    const bytes = file(`${HEADER}-Y 1 +X 600\n`, ...[128, 0, 0, 129], ...[1, 1, 1, 87], ...[1, 1, 1, 2]);
    const { data } = decodeRadianceHdr(bytes, 'old.hdr');
    const reds = [...new Uint16Array(data)].filter((_, at) => at % 4 === 0).map(fromHalf);
    expect(reds).toEqual(new Array(600).fill(1));
  });

  it('rejects old runs that are cut off', () => {
    const bytes = file(`${HEADER}-Y 1 +X 8\n`, ...[128, 0, 0, 129], ...[1, 1, 1, 3], ...[128, 0]);
    expect(refusal(bytes)).toContain('hdr-truncated "sky.hdr", row 0');
  });

  it('divides by all exposures and colour corrections, except those of its source pictures', () => {
    const header = [
      '#?RADIANCE',
      'EXPOSURE=2',
      '\tEXPOSURE=100',
      'EXPOSURE= 4.0e+00',
      'COLORCORR= 0.5 1 2',
      'FORMAT=32-bit_rle_rgbe',
    ].join('\n');
    const bytes = file(`${header}\n\n-Y 1 +X 1\n`, 128, 128, 128, 129);
    const texel = [...new Uint16Array(decodeRadianceHdr(bytes, 'sky.hdr').data)].map(fromHalf);
    expect(texel).toEqual([0.25, 0.125, 0.0625, 1]);
  });

  it('converts CIE XYZ to red, green and blue with the primaries of Radiance: white stays white', () => {
    const header = '#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n';
    const read = (...texels: number[]) =>
      [
        ...new Uint16Array(
          decodeRadianceHdr(file(`${header}-Y 1 +X ${texels.length / 4}\n`, ...texels), 'x.hdr').data,
        ),
      ].map(fromHalf);
    expect(read(128, 128, 128, 129)).toEqual([1, 1, 1, 1].map((value) => expect.closeTo(value, 3)));
    // A texel with only Y has negative red and blue, which become 0.
    expect(read(0, 128, 0, 129)).toEqual([0, expect.closeTo(1.9783, 3), 0, 1]);
    expect(read(128, 0, 0, 129)).toEqual([expect.closeTo(2.5653, 2), 0, expect.closeTo(0.0747, 3), 1]);
  });

  it('clamps to the largest half float', () => {
    const { data } = decodeRadianceHdr(file(`${HEADER}-Y 1 +X 1\n`, 255, 128, 1, 180), 'sky.hdr');
    expect([...new Uint16Array(data)].map(fromHalf).slice(0, 3)).toEqual([65504, 65504, 65504]);
  });

  it.each([
    [
      'a file of another format',
      file('P6\n1 1\n255\n'),
      'hdr-invalid "sky.hdr": It does not begin with "#?RADIANCE"',
    ],
    [
      'an unknown texel format',
      file('#?RADIANCE\nFORMAT=64-bit_rgbe\n\n-Y 1 +X 1\n'),
      'Its format is "64-bit_rgbe"',
    ],
    ['no size', file(`${HEADER}8 8\n`), 'It gives no size'],
    ['a size of two heights', file(`${HEADER}-Y 8 +Y 8\n`), 'It gives no size'],
    ['an exposure of 0', file(`#?RADIANCE\nEXPOSURE=0\n\n-Y 1 +X 1\n`, 1, 1, 2, 9), 'EXPOSURE=0'],
    [
      'an exposure that is not a number',
      file(`#?RADIANCE\nEXPOSURE=bright\n\n-Y 1 +X 1\n`, 1, 1, 2, 9),
      'EXPOSURE=bright',
    ],
    [
      'a colour correction of two numbers',
      file(`#?RADIANCE\nCOLORCORR=1 2\n\n-Y 1 +X 1\n`, 1, 1, 2, 9),
      'COLORCORR=1 2',
    ],
    [
      'an old run before the first texel of a row',
      file(`${HEADER}-Y 1 +X 4\n`, 1, 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0),
      'A run in row 0 repeats a texel',
    ],
    ['a size of 0', file(`${HEADER}-Y 0 +X 8\n`), 'Its size is 8 × 0'],
    ['a size beyond all limits', file(`${HEADER}-Y 99999 +X 99999\n`), 'Its size is 99999 × 99999'],
    ['missing texels', file(`${HEADER}-Y 2 +X 1\n`, 1, 2, 3, 129), 'hdr-truncated "sky.hdr", row 0'],
    [
      'a row that ends early',
      file(`${HEADER}-Y 1 +X 8\n`, 2, 2, 0, 8, 136, 1, 136),
      'hdr-truncated "sky.hdr", row 0',
    ],
    [
      'a run beyond the row',
      file(`${HEADER}-Y 1 +X 8\n`, 2, 2, 0, 8, 255, 1, 0, 0, 0, 0, 0, 0),
      'A run in row 0 is empty, or longer',
    ],
    [
      'a run of length 0',
      file(`${HEADER}-Y 1 +X 8\n`, 2, 2, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0),
      'A run in row 0 is empty, or longer',
    ],
  ])('rejects %s', (_, bytes, message) => {
    expect(refusal(bytes)).toContain(message);
  });

  it('rejects runs wherever they are cut off', () => {
    const plane = [128 + 3, 77, 5, 1, 2, 3, 4, 5];
    const row = [2, 2, 0, 8, ...plane, ...plane, ...plane, ...plane];
    const whole = file(`${HEADER}-Y 2 +X 8\n`, ...row, ...row);
    expect(decodeRadianceHdr(whole, 'sky.hdr').data.byteLength).toBe(2 * 8 * 8);
    for (let length = whole.length - 2 * row.length; length < whole.length; length++)
      expect(refusal(whole.subarray(0, length))).toContain('hdr-truncated');
  });

  it('allocates no image for a file that is too short for its size', () => {
    const rows = 16384;
    const short = file(`${HEADER}-Y ${rows} +X 16384\n`, ...new Uint8Array(rows * 4));
    const allocated = vi.spyOn(globalThis, 'Uint16Array');
    try {
      expect(refusal(short)).toContain('hdr-truncated "sky.hdr", row 0');
      expect(allocated).not.toHaveBeenCalled();
    } finally {
      allocated.mockRestore();
    }
  });

  it('decodes any bytes to an image or to a typed error', () => {
    const head = `${HEADER}-Y 2 +X 8\n`;
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 80 }), (data) => {
        try {
          expect(decodeRadianceHdr(file(head, ...data), 'x').data.byteLength).toBe(2 * 8 * 8);
        } catch (error) {
          expect(error).toBeInstanceOf(FencepostError);
        }
      }),
    );
  });
});

describe('toHalf', () => {
  it('rounds to the nearest half float', () => {
    fc.assert(
      fc.property(fc.float({ min: 0, max: 65504, noNaN: true }), (value) => {
        const half = toHalf(value);
        const below = Math.abs(fromHalf(Math.max(0, half - 1)) - value);
        const above = Math.abs(fromHalf(Math.min(0x7bff, half + 1)) - value);
        const error = Math.abs(fromHalf(half) - value);
        expect(error <= below && error <= above).toBe(true);
      }),
    );
    expect([0, 1, 65504, 2 ** -24].map(toHalf)).toEqual([0, 0x3c00, 0x7bff, 1]);
  });
});
