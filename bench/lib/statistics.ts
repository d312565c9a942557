/** Order statistics of a set of samples, in the unit of the samples. */

/** Returns the value below which `fraction` (0 to 1) of the samples lie, by linear interpolation between neighbours. */
export function quantile(samples: readonly number[], fraction: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Returns the standard deviation of the samples. */
export function deviation(samples: readonly number[]): number {
  const middle = mean(samples);
  return Math.sqrt(mean(samples.map((sample) => (sample - middle) ** 2)));
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}
