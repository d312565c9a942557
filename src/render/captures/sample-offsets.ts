/** Returns a number from 0 to below 1 whose binary digits are those of `index`, mirrored at the binary point. */
function mirrored(index: number): number {
  let share = 0;
  for (let rest = index, weight = 0.5; rest > 0; rest >>>= 1, weight /= 2) share += (rest & 1) * weight;
  return share;
}

/**
 * Returns the places of samples in a pixel: pairs of x and y, from −0.5 to 0.5 pixels from its centre. They are the
 * points of Hammersley, moved so that their average is the centre. So averaged pictures are not shifted.
 */
export function sampleOffsets(count: number): Float64Array {
  const offsets = new Float64Array(count * 2);
  let sumX = 0;
  let sumY = 0;
  for (let index = 0; index < count; index++) {
    const x = index / count;
    const y = mirrored(index);
    offsets[index * 2] = x;
    offsets[index * 2 + 1] = y;
    sumX += x;
    sumY += y;
  }
  for (let index = 0; index < count; index++) {
    offsets[index * 2] = (offsets[index * 2] as number) - sumX / count;
    offsets[index * 2 + 1] = (offsets[index * 2 + 1] as number) - sumY / count;
  }
  return offsets;
}
