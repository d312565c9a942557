/** The option `collide` of `world.addParticles`, and its checks. */
import { checkOption, checkOptions, fillOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shape, Shaped } from '../../core/options/member.js';
import { byDefault, numberFrom, oneOf, threeNumbers } from '../../core/options/members.js';

const share = numberFrom(0, 1);

const BOUNCES = {
  /** Share of the speed towards the surface that a particle has after a bounce. Default 0.5. */
  bounce: byDefault(share, 0.5),
  /** Share of the speed along the surface that a bounce removes. Default 0.1. */
  friction: byDefault(share, 0.1),
};

const PLANE = {
  /** Direction away from the plane, in the world. Default 0, 1, 0: a floor. */
  normal: byDefault(threeNumbers('three numbers'), [0, 1, 0]),
  /** Metres from the world's origin to the plane, along the normal. Default 0. */
  distance: byDefault(numberFrom(-1e6, 1e6), 0),
  ...BOUNCES,
};

const SURFACES = {
  /** `depth`: the surfaces that the active camera saw in the last frame. */
  against: oneOf('depth'),
  /**
   * Metres behind a surface within which a particle returns to it. Particles further behind pass. 0.001 to 1,000.
   * Default 0.5.
   */
  thickness: byDefault(numberFrom(1e-3, 1e3), 0.5),
  ...BOUNCES,
};

/** A plane off which particles bounce. */
export type ParticlePlane = Shaped<typeof PLANE>;

/** Bounces off the surfaces that the active camera sees. */
export type ParticleSurfaces = Shaped<typeof SURFACES>;

/** The option `collide` with all defaults: a plane, or surfaces. */
export type ParticleCollision =
  | (Required<ParticlePlane> & { readonly against?: undefined })
  | Required<ParticleSurfaces>;

/** Returns `collide` with defaults filled in and a unit normal; `null` without collisions. @throws OptionError */
export function checkCollision(
  call: string,
  collide: boolean | 'depth' | ParticlePlane | ParticleSurfaces,
): ParticleCollision | null {
  if (collide === false) return null;
  const what = `collide of ${call}`;
  const isObject = typeof collide === 'object' && collide !== null;
  const isRight = isObject || collide === true || collide === 'depth';
  checkOption(what, collide, isRight, "true, false, 'depth', or an object");
  const isSurfaces = collide === 'depth' || (isObject && 'against' in collide);
  const options = isObject ? collide : isSurfaces ? { against: 'depth' } : {};
  const table: Shape = isSurfaces ? SURFACES : PLANE;
  checkOptions(what, options, table, (name) => `collide.${name} of ${call}`);
  if (isSurfaces) return Object.freeze(fillOptions(what, options, SURFACES));
  const plane = fillOptions(what, options, PLANE);
  const [x, y, z] = plane.normal as readonly [number, number, number];
  const length = checkNumber(what, 'the length of normal', Math.hypot(x, y, z), 1e-6, 1e6);
  return Object.freeze({ ...plane, normal: [x / length, y / length, z / length] as const });
}
