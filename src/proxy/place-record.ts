/**
 * The words of places in a `nodePlaces` record. The record has four parts, each with an entry per place. An even number
 * of places aligns all parts to eight bytes.
 *
 *   nodes  n0 n1 …  │ positions  x y z  x y z …  │ rotations  x y z w … │ scales  x y z …
 *   ids             │ metres, 32 bits            │ of any length but 0  │ factors
 */
export const PLACE_WORDS = 11;

/** Offsets of the parts, in words per place. The nodes begin at 0. */
export const PLACE_POSITIONS = 1;
export const PLACE_ROTATIONS = 4;
export const PLACE_SCALES = 8;
