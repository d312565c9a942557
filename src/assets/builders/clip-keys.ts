/**
 * Repairs animation keys: drops keys with numbers that are not finite, and sorts the rest by strictly ascending times.
 * Valid keys, the usual case, are not copied.
 *
 *   times  0  1  1  NaN  3  2      ─► drop non-finite keys    ─► sort ─► keep the last of equal times
 *   keys   a  b  c  d    e  f      ─► a b c e f               ─► a b c f e ─► a c f e
 */

/**
 * The faults in the keys and interpolations of a clip. Equal faults become one warning, because exporters repeat them
 * in every channel.
 */
export class KeyFaults {
  readonly #paths = new Map<string, Set<string>>();

  constructor(
    readonly file: string,
    readonly warnings: string[],
  ) {}

  /** Adds a fault. @param text the fault and the reaction to it */
  add(jsonPath: string, text: string): void {
    const paths = this.#paths.get(text) ?? new Set();
    this.#paths.set(text, paths.add(jsonPath));
  }

  /** Adds one warning per kind of fault to `warnings`. */
  addWarnings(): void {
    for (const [text, [first, ...others]] of this.#paths) {
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      this.warnings.push(`"${this.file}", ${first}${more}: ${text}`);
    }
  }
}

interface SoundKeys {
  readonly times: Float32Array;
  readonly values: Float32Array;
}

/** Returns keys with finite numbers and ascending times. @param perKey count of values per key */
export function soundKeys(
  times: Float32Array,
  values: Float32Array,
  perKey: number,
  jsonPath: string,
  faults: KeyFaults,
): SoundKeys {
  const keys = areSound(times, values)
    ? { times, values }
    : mendedKeys(times, values, perKey, jsonPath, faults);
  if ((keys.times[0] ?? 0) < 0)
    faults.add(`${jsonPath}.input`, 'Keys lie before 0 s; the clip begins at 0 s.');
  return keys;
}

function areSound(times: Float32Array, values: Float32Array): boolean {
  const isRising = times.every((time, key) => key === 0 || time > (times[key - 1] as number));
  return isRising && times.every(Number.isFinite) && values.every(Number.isFinite);
}

function mendedKeys(
  times: Float32Array,
  values: Float32Array,
  perKey: number,
  jsonPath: string,
  faults: KeyFaults,
): SoundKeys {
  const timeOf = (key: number): number => times[key] as number;
  const all = Array.from(times.keys());
  const finite = all.filter(
    (key) =>
      Number.isFinite(timeOf(key)) &&
      values.subarray(key * perKey, (key + 1) * perKey).every(Number.isFinite),
  );
  if (finite.length < all.length)
    faults.add(jsonPath, 'Keys have numbers that are not finite; they are left out.');
  const sorted = [...finite].sort((a, b) => timeOf(a) - timeOf(b));
  if (sorted.some((key, index) => key !== finite[index]))
    faults.add(`${jsonPath}.input`, 'Keys are not in the order of their times; they are sorted.');
  // The sort is stable, so the file's last key of a time is still the last one.
  const kept = sorted.filter((key, index) => timeOf(key) !== times[sorted[index + 1] ?? -1]);
  if (kept.length < sorted.length)
    faults.add(`${jsonPath}.input`, 'Keys have equal times; the last of them is used.');
  const mended = new Float32Array(kept.length * perKey);
  kept.forEach((key, index) => {
    mended.set(values.subarray(key * perKey, (key + 1) * perKey), index * perKey);
  });
  return { times: Float32Array.from(kept, timeOf), values: mended };
}
