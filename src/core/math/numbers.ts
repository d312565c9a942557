/** Converts degrees to radians. */
export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Converts radians to degrees. */
export function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/** Returns the number from `least` to `most` that is nearest to `value`. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Returns 0 up to `from`, 1 from `to` on, and a linear ramp in between. `isSmooth` smooths both ends. */
export function ramp(value: number, from: number, to: number, isSmooth = false): number {
  const share = clamp((value - from) / (to - from), 0, 1);
  return isSmooth ? share * share * (3 - 2 * share) : share;
}
