/** A mesh of many vertices that compresses badly: a hilly square, 2 m wide, with noise in heights and normals. */

export interface HillyPatch {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly normals: Float32Array<ArrayBuffer>;
  readonly uvs: Float32Array<ArrayBuffer>;
  readonly indices: Uint32Array<ArrayBuffer>;
}

/**
 * Returns a patch.
 * @param edge vertices along each side
 * @param random returns numbers from 0 to 1
 * @param stride vertices from one corner of a triangle to the next, along rows and columns
 */
export function hillyPatch(edge: number, random: () => number, stride = 1): HillyPatch {
  const positions = new Float32Array(edge * edge * 3);
  const normals = new Float32Array(edge * edge * 3);
  const uvs = new Float32Array(edge * edge * 2);
  const indices = new Uint32Array(((edge - 1) / stride) ** 2 * 6);
  const step = 2 / (edge - 1);
  let at = 0;
  for (let row = 0; row < edge; row++) {
    for (let column = 0; column < edge; column++) {
      const vertex = row * edge + column;
      const [x, z] = [column * step - 1, row * step - 1];
      const height = Math.sin(x * 5) * Math.cos(z * 7) * 0.2 + random() * 0.01;
      positions.set([x, height, z], vertex * 3);
      const slope = [
        -Math.cos(x * 5) * Math.cos(z * 7) + random() * 0.1,
        1,
        Math.sin(x * 5) * Math.sin(z * 7) * 1.4,
      ];
      const length = Math.hypot(...slope);
      normals.set(
        slope.map((value) => value / length),
        vertex * 3,
      );
      uvs.set([column / (edge - 1), row / (edge - 1)], vertex * 2);
      if (row === edge - 1 || column === edge - 1 || row % stride > 0 || column % stride > 0) continue;
      const [right, below] = [vertex + stride, vertex + edge * stride];
      indices.set([vertex, below, right, right, below, below + stride], at);
      at += 6;
    }
  }
  return { positions, normals, uvs, indices };
}
