/** Levels of nested arrays and objects that are compared. */
const DEPTH = 4;

/**
 * Returns whether two props have the same value. A page often writes `position={[0, 1, 0]}` inline, which is another
 * array in every render. So arrays and plain objects are compared by content. Everything else is compared by identity.
 */
export function isSame(one: unknown, other: unknown, depth = DEPTH): boolean {
  if (Object.is(one, other)) return true;
  if (depth === 0 || !isPlain(one) || !isPlain(other) || Array.isArray(one) !== Array.isArray(other))
    return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], depth - 1))
  );
}

/**
 * Returns a copy of a vector or rotation of an actor, and every other value unchanged. An actor changes its vectors in
 * place, so without a copy the next render could not see the change.
 */
export function snapshotOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isPlain(value)) return value;
  const { x, y, z, w } = value as Readonly<Record<string, unknown>>;
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number') return value;
  return typeof w === 'number' ? { x, y, z, w } : { x, y, z };
}

/** Returns whether a value is an array or an object without a class. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
