/** Returns whether the value is an object, but not an array. */
export function isObject<T>(value: T): value is T & Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value as text for messages. Strings are in quotes, and a bigint ends with n. Objects become their kind. */
export function shownValue<T>(value: T): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Returns a question that suggests a candidate: one with the same first three letters as `name`, else one that ends
 * with `name`. Case is ignored. The question begins with a space. Without such a candidate, the result is empty.
 */
export function guessOf(name: string, candidates: readonly string[]): string {
  const lower = name.toLowerCase();
  const beginning = lower.slice(0, 3);
  const found =
    candidates.find((candidate) => candidate.toLowerCase().startsWith(beginning)) ??
    candidates.find((candidate) => lower.length > 2 && candidate.toLowerCase().endsWith(lower));
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}
