/** Place of a primitive in the order of drawing, unless the primitive is transmissive. */
export enum DrawClass {
  /** Not blended, with a negative `renderOrder`. */
  early = 0,
  /** Not blended, with `renderOrder` 0, depth test and depth writes. */
  opaque = 1,
  /** Drawn after the opaque scene: blended, with a positive `renderOrder`, or without depth test or depth writes. */
  sorted = 2,
}
