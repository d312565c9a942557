/** Actors whose transform a motion overwrites. A drag of such a part ends, instead of throwing at each movement. */
import type { Actor } from '../components/actor.js';

/**
 * Returns whether a motion drives a part of an actor's transform, and reports `motion-drives` if so.
 * @param part offset of the part: `POSITION`, `ROTATION` or `SCALE`
 */
export function isDriven({ root }: Actor, part: number): boolean {
  try {
    root.mover?.checkPart(part);
    return false;
  } catch (error) {
    root.updates?.reportError(error);
    return true;
  }
}
