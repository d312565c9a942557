/**
 * Particle systems as the game sends them. Every particle follows from its number and from the scene time, so a system
 * needs no message per frame, and new threads compute the particles that the old ones showed.
 *
 *   emissions   ├─ rate 100 ────────────┼─ rate 20 ──────────┼─ burst of 50, rate 20 ──►  scene time
 *   births      │ │ │ │ │ │ │ │ │ │ │ │ │     │     │     │  ║  │     │     │
 *   numbers     0 1 2 3 …
 */

/** Steps of scene time per second. Births happen at whole steps, which 32-bit words count without rounding. */
export const TICKS_PER_SECOND = 65_536;

/** Maximum number of stops in `setParticles.sizes`, and in `setParticles.colors`. */
export const MOST_STOPS = 8;

/** Maximum number of particles of a system. */
export const MOST_PARTICLES = 2 ** 21;

/** Bits of `setParticles.flags`. */
export enum ParticleFlag {
  visible = 1,
  additive = 2,
  /** The system's material has a texture. Nothing is drawn until the texture has arrived. */
  textured = 4,
  /** Particles bounce off a plane, or off surfaces with `againstDepth`. */
  collides = 8,
  /** Glass shows the particles. */
  behindGlass = 16,
  /** The record creates the system; otherwise it changes the system. */
  isNew = 32,
  /** Each view draws the particles back to front. */
  sorted = 64,
  /** Particles bounce off the surfaces that the active camera saw in the last frame. */
  againstDepth = 128,
}

/** Shapes in which particles are born. */
export const SOURCE_SHAPES = ['point', 'sphere', 'box', 'disc'] as const;

/** Index of each number in `setParticles.numbers`. */
export enum ParticleNumber {
  lifeLeast,
  lifeMost,
  velocity,
  spread = velocity + 3,
  gravity,
  drag = gravity + 3,
  /** Index in `SOURCE_SHAPES`. */
  shape,
  /** Extents of the source along each axis: radii, or half sides of a box. */
  source,
  planeNormal = source + 3,
  /** Distance of the plane from the world's origin, along its normal. */
  planeDistance = planeNormal + 3,
  bounce,
  friction,
  intensity,
  /** Metres in front of a surface over which particles fade; 0: they do not fade. */
  softness,
  /** Metres behind a surface within which particles return to it. */
  thickness,
  count,
}

/** The births of particles from a moment on. */
export interface Emission {
  /** Scene time, in seconds. */
  readonly start: number;
  /** Number of particles that were born before the start. */
  readonly births: number;
  /** Fraction of the time between two births that has passed at the start, from 0 to below 1. */
  readonly fraction: number;
  /** Births per second. */
  readonly rate: number;
  /** Number of particles that are born at the start. They have the lowest numbers of the emission. */
  readonly burst: number;
}

/** Returns the number of particles that are born up to a moment. Both threads compute it, with equal results. */
export function birthsUntil({ start, births, fraction, rate, burst }: Emission, seconds: number): number {
  return births + burst + Math.floor(fraction + Math.max(seconds - start, 0) * rate);
}

/** Returns the fraction of the time between two births that has passed at a moment. */
export function fractionAt({ start, fraction, rate }: Emission, seconds: number): number {
  const passed = fraction + Math.max(seconds - start, 0) * rate;
  return passed - Math.floor(passed);
}

/** Returns the scene time of a birth, in ticks. @param birth the particle's number, at least `emission.births` */
export function birthTick({ start, births, fraction, rate, burst }: Emission, birth: number): number {
  const regular = birth - births - burst;
  const seconds = regular < 0 ? start : start + (regular + 1 - fraction) / rate;
  return Math.floor(seconds * TICKS_PER_SECOND);
}
