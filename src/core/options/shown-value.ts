/** An object with names, and no list. */
export function isObject<T>(value: T): value is T & Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: short, with text in quotes, and an n behind a BigInt, which reads like a number otherwise. */
export function shownValue<T>(value: T): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The entry of `candidates` that begins like `name`, or ends with it, as a question; empty where that would be a wild guess. */
export function guessOf(name: string, candidates: readonly string[]): string {
  const lower = name.toLowerCase();
  const beginning = lower.slice(0, 3);
  const found =
    candidates.find((candidate) => candidate.toLowerCase().startsWith(beginning)) ??
    candidates.find((candidate) => lower.length > 2 && candidate.toLowerCase().endsWith(lower));
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}
