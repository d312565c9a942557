import { describe, expect, it } from 'vitest';
import { parseCube } from './cube-file.js';

describe('parseCube', () => {
  it('places the colours of a cube in a strip, with red fastest and a square per blue', () => {
    const lines = Array.from({ length: 27 }, (_, index) => `${index} 0.5 -1e-1`);
    const { name, size, isCube, data } = parseCube(
      `# made by hand\nTITLE "x y"\nLUT_3D_SIZE 3\n${lines.join('\n')}`,
    );
    expect([name, size, isCube]).toEqual(['cube', 3, true]);
    const red = (x: number, y: number) => data.texels[(y * 9 + x) * 4];
    // Blue 2, green 1, red 0 is colour 0 + 1 · 3 + 2 · 9.
    expect([red(0, 0), red(1, 0), red(0, 1), red(3, 0), red(6, 1)]).toEqual([0, 1, 3, 9, 21]);
    expect([...data.texels.subarray(1, 4)]).toEqual([0.5, Math.fround(-0.1), 1]);
    expect([data.least, data.most]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });

  it('reads curves and domains, with any line ends', () => {
    const { isCube, data } = parseCube(
      'LUT_1D_SIZE 2\rDOMAIN_MIN -1 0 0\r\nDOMAIN_MAX 2 1 4\n0 0 0\r\n\r\n1 2 3\r\n',
    );
    expect([isCube, data.least, data.most, [...data.texels]]).toEqual([
      false,
      [-1, 0, 0],
      [2, 1, 4],
      [0, 0, 0, 1, 1, 2, 3, 1],
    ]);
    expect(parseCube('LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 0.5 2\n0 0 0\n1 1 1').data).toMatchObject({
      least: [0.5, 0.5, 0.5],
      most: [2, 2, 2],
    });
  });

  it.each([
    ['', 'cube-invalid', 'line 1'],
    ['LUT_3D_SIZE 65', 'cube-too-large', 'line 1'],
    ['\nLUT_1D_SIZE 4097', 'cube-too-large', 'line 2'],
    ['LUT_3D_SIZE 1', 'cube-invalid', 'line 1'],
    ['LUT_3D_SIZE', 'cube-invalid', 'line 1'],
    ['LUT_3D_SIZE 2\n0 0 0', 'cube-truncated', 'line 2: The file ends after 1 of 8 colours.'],
    ['LUT_3D_SIZE 2', 'cube-truncated', 'line 1: The file ends after 0 of 8 colours.'],
    ['LUT_1D_SIZE 2\n0 0', 'cube-invalid', 'line 2'],
    ['LUT_1D_SIZE 2\nnan 0 0', 'cube-invalid', 'line 2'],
    ['LUT_1D_SIZE 2\n0 0 1e999', 'cube-invalid', 'line 2'],
    ['LUT_1D_SIZE 2\n0 0 0\nTITLE x\n1 1 1', 'cube-invalid', 'line 3'],
    ['LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1', 'cube-invalid', 'line 4'],
    ['0 0 0', 'cube-invalid', 'line 1'],
    ['SIZE 2', 'cube-invalid', 'line 1'],
    [
      'LUT_1D_SIZE 2\nDOMAIN_MIN 1 0 0\n0 0 0\n1 1 1',
      'cube-invalid',
      'DOMAIN_MAX has to be greater than DOMAIN_MIN',
    ],
    ['\u0000\u0001binary', 'cube-invalid', 'line 1'],
  ])('refuses %j with %s', (text, code, message) => {
    expect(() => parseCube(text, 'film.cube')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
