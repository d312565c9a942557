/** Options of the orbit controls, their checks, and the settings that the properties of the controls change. */
import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkNumber, checkRadians, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  type func,
  member,
  numberFrom,
  optional,
  property,
} from '../../core/options/members.js';
import type { Bounds } from '../components/bounds.js';
import type { ControlsSource } from './controls-host.js';
import { EASINGS, type Easing } from './orbit-flight.js';

/** The source of the user's input, as for all controls. */
export type OrbitControlsHost = ControlsSource;

export const ORBIT_OPTIONS = {
  /** The point that the camera turns about. Default: the origin. */
  target: optional(anything<VectorLike>()),
  /** Least distance in metres. Default 0.01. */
  minDistance: property(anything<number>()),
  /** Greatest distance in metres. Default Infinity. */
  maxDistance: property(anything<number>()),
  /** Least angle from +Y in radians, 0 to π. Default 0: straight above the target. */
  minPolar: property(anything<number>()),
  /**
   * Greatest angle from +Y in radians, 0 to π. Default: slightly less than π/2, so that the camera stays above a floor
   * at the height of the target. A camera that begins lower can return to its first angle.
   */
  maxPolar: property(anything<number>()),
  /** Least angle about +Y in radians, from +Z towards +X. Default −Infinity. */
  minAzimuth: property(anything<number>()),
  /** Greatest angle about +Y in radians, from +Z towards +X. Default Infinity. */
  maxAzimuth: property(anything<number>()),
  /** Box that the target stays in, such as `level.bounds`. Default `null`: none. */
  targetBounds: property(anything<Bounds | null>()),
  /** Seconds in which the camera covers about two thirds of a movement. With 0 it moves at once. Default 0.06. */
  damping: property(numberFrom(0, 10)),
  /** Radians per second about +Y, in a started engine, while no pointer is pressed. Default 0. */
  autoRotate: property(numberFrom(-100, 100)),
  /** Whether the user can move the target. Default true. */
  enablePan: property(boolean()),
  /** Whether the user can change the distance. Default true. */
  enableZoom: property(boolean()),
  /** Whether zooming keeps the point under the pointer in its place, instead of the target. Default false. */
  zoomToPointer: property(boolean()),
  /** Whether keys move the camera while the canvas has the focus. The canvas can then be focused. Default false. */
  keys: property(boolean()),
  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  clickAfterDrag: property(boolean()),
};

export type OrbitControlsOptions = Shaped<typeof ORBIT_OPTIONS>;

const easing = (): ReturnType<typeof func<Easing>> =>
  member(
    (value) => typeof value === 'function' || (typeof value === 'string' && Object.hasOwn(EASINGS, value)),
    `one of ${Object.keys(EASINGS).join(', ')}, or a function`,
  );

export const MOVE_OPTIONS = {
  /** Duration of the movement, 0 (at once) to 3600 seconds. Default 0. */
  seconds: optional(numberFrom(0, 3600)),
  /** Pace of the movement: a name, or a function of the elapsed share that returns the covered share. */
  easing: optional(easing()),
};

export type OrbitMoveOptions = Shaped<typeof MOVE_OPTIONS>;

export const FLIGHT_OPTIONS = {
  /** New position of the camera in metres. Default: the camera moves along with the target. */
  position: optional(anything<VectorLike>()),
  /** New target in metres. Default: the current target. */
  target: optional(anything<VectorLike>()),
  /** Duration of the flight, 0 (at once) to 3600 seconds. Default 1. */
  seconds: MOVE_OPTIONS.seconds,
  /** Pace of the flight. Default `'ease-in-out'`. */
  easing: MOVE_OPTIONS.easing,
};

export type OrbitFlightOptions = Shaped<typeof FLIGHT_OPTIONS>;

/** The current values of the controls' properties. */
export interface OrbitSettings {
  isEnabled: boolean;
  minDistance: number;
  maxDistance: number;
  minPolar: number;
  maxPolar: number;
  minAzimuth: number;
  maxAzimuth: number;
  targetBounds: Bounds | null;
  damping: number;
  autoRotate: number;
  enablePan: boolean;
  enableZoom: boolean;
  zoomToPointer: boolean;
  keys: boolean;
  clickAfterDrag: boolean;
}

export const defaultSettings = (): OrbitSettings => ({
  isEnabled: true,
  minDistance: 0.01,
  maxDistance: Infinity,
  minPolar: 0,
  maxPolar: Math.PI,
  minAzimuth: -Infinity,
  maxAzimuth: Infinity,
  targetBounds: null,
  damping: 0.06,
  autoRotate: 0,
  enablePan: true,
  enableZoom: true,
  zoomToPointer: false,
  keys: false,
  clickAfterDrag: false,
});

/** Returns three numbers. Throws `option-invalid`, or `option-out-of-range` beyond 1e30 metres. */
export function checkPoint(what: string, name: string, point: VectorLike): [number, number, number] {
  const [x, y, z] = checkVector(what, name, point, 3);
  checkNumber(what, `the length of ${name}`, Math.hypot(x, y, z), 0, 1e30);
  return [x, y, z];
}

/**
 * Returns a copy of the box.
 * @throws OptionError `option-invalid`; `option-out-of-range` for a box that is not finite, or whose `min` exceeds `max`
 */
export function checkBox(what: string, bounds: Bounds, message: string): Bounds {
  const { min, max } = bounds ?? {};
  if (min?.length !== 3 || max?.length !== 3) throw new OptionError('option-invalid', message);
  for (const axis of [0, 1, 2] as const) {
    const [least, most] = [min[axis], max[axis]];
    checkNumber(what, `min[${axis}]`, least, -1e30, 1e30);
    checkNumber(what, `max[${axis}]`, most, least, 1e30);
  }
  return { min: [min[0], min[1], min[2]], max: [max[0], max[1], max[2]] };
}

/** Checks a limit of the azimuth: an infinite number, or one of up to two turns. Throws `option-out-of-range`. */
export function checkAzimuthLimit(name: string, radians: number, least: number, most: number): number {
  if (Math.abs(radians) === Infinity && radians >= least && radians <= most) return radians;
  const turns = 4 * Math.PI;
  return checkRadians('orbitControls', name, radians, Math.max(least, -turns), Math.min(most, turns));
}
