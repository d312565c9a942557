/** Of degrees. */
export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Of radians. */
export function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/** The nearest number from `least` to `most`. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** 0 up to `from`, 1 from `to` on, and evenly in between; smooth at both ends where `isSmooth`. */
export function ramp(value: number, from: number, to: number, isSmooth = false): number {
  const share = clamp((value - from) / (to - from), 0, 1);
  return isSmooth ? share * share * (3 - 2 * share) : share;
}
