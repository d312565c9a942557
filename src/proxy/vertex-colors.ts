/** Colours of three numbers with an alpha of 1 each. */
export function withAlpha(colors: ArrayLike<number>): Float32Array {
  const result = new Float32Array((colors.length / 3) * 4).fill(1);
  for (let index = 0; index < colors.length; index++) {
    result[Math.floor(index / 3) * 4 + (index % 3)] = colors[index] as number;
  }
  return result;
}
