/**
 * Returns the mutants whose row and id are among the given ones, or a random sample of these mutants. A filter that is
 * not given accepts all.
 *
 * @param {readonly import('./mutant.mjs').Mutant[]} mutants
 * @param {{ row?: string, id?: string, sample?: number | null, seed?: number }} filter rows and ids are separated by
 *   commas; the same seed chooses the same sample
 */
export function chooseMutants(mutants, { row, id, sample = null, seed = 1 }) {
  const isOneOf = (value, list) => !list || list.split(',').includes(value);
  const found = mutants.filter((mutant) => isOneOf(mutant.row, row) && isOneOf(mutant.id, id));
  if (sample === null) return found;
  const rest = [...found];
  const random = mulberry32(seed);
  const chosen = [];
  while (chosen.length < sample && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return chosen;
}

/** Returns a generator of numbers from 0 to below 1: mulberry32 by Tommy Ettinger (public domain). */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
