/**
 * The pose and the limits of the camera, from the attributes and the model.
 *
 *   attributes: values or auto ─┐
 *   frameModel: the defaults ───┴─► Aim: target, azimuth, polar, distance, fovY, limits
 */
import { type Bounds, OptionError } from '../index.js';
import { frameModel, placeAround } from './framing.js';
import { AUTO_ORBIT, AUTO_TARGET, type Distance, type Orbit, type Target } from './orbit-syntax.js';

/** Vertical field of view in radians. */
const FOV_Y = 0.6;
/** Distance of the near plane, in radii of the model. */
const NEAR = 0.01;
/** Least distance of the controls, in radii of the model. */
const NEAREST = 0.2;
/** Greatest distance of the controls, in radii of the model. */
const FARTHEST = 20;
/** Bounds of an empty stage, in metres. */
const NO_MODEL: Bounds = { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] };

/** Values of the camera's attributes. `null` means `auto`. */
export interface CameraSettings {
  orbit: Orbit;
  target: Target;
  fieldOfView: number | null;
  minOrbit: Orbit;
  maxOrbit: Orbit;
  minFieldOfView: number | null;
  maxFieldOfView: number | null;
}

export const automaticCamera = (): CameraSettings => ({
  orbit: AUTO_ORBIT,
  target: AUTO_TARGET,
  fieldOfView: null,
  minOrbit: AUTO_ORBIT,
  maxOrbit: AUTO_ORBIT,
  minFieldOfView: null,
  maxFieldOfView: null,
});

/** Limits of the orbit controls. Radians and metres. */
interface Limits {
  readonly minAzimuth: number;
  readonly maxAzimuth: number;
  readonly minPolar: number;
  readonly maxPolar: number;
  readonly minDistance: number;
  readonly maxDistance: number;
}

/** A pose of the camera with its lens and limits. */
export interface Aim {
  readonly position: [number, number, number];
  readonly target: [number, number, number];
  /** Vertical field of view in radians. */
  readonly fovY: number;
  /** Metres. */
  readonly near: number;
  /** Radius of the sphere around the model, in metres. */
  readonly radius: number;
  readonly limits: Limits;
}

/**
 * Returns the pose and the limits of the camera.
 * @param bounds box of the model; `null` without a model
 * @param aspect width by height of the picture
 */
export function aimCamera(settings: CameraSettings, bounds: Bounds | null, aspect: number): Aim {
  const { orbit, minFieldOfView, maxFieldOfView } = settings;
  const wanted = settings.fieldOfView ?? FOV_Y;
  const fovY = clamp(wanted, minFieldOfView ?? 0, maxFieldOfView ?? Math.PI);
  const hasBox = bounds && [...bounds.min, ...bounds.max].every(Number.isFinite);
  const framing = frameModel(hasBox ? bounds : NO_MODEL, fovY, aspect);
  const { radius } = framing;
  const limits = limitsOf(settings, framing.distance, radius);
  const azimuth = orbit.azimuth ?? framing.azimuth;
  const polar = clamp(orbit.polar ?? framing.polar, limits.minPolar, limits.maxPolar);
  const wantedDistance = metres(orbit.distance, framing.distance) ?? framing.distance;
  const distance = clamp(wantedDistance, limits.minDistance, limits.maxDistance);
  const [x, y, z] = framing.target.map((value, axis) => settings.target[axis] ?? value) as [
    number,
    number,
    number,
  ];
  return {
    position: placeAround([x, y, z], azimuth, polar, distance),
    target: [x, y, z],
    fovY,
    near: Math.min(radius * NEAR, distance / 2),
    radius,
    limits,
  };
}

/**
 * Checks that no least value exceeds its greatest value. A distance in % is compared only with one in %.
 * @throws OptionError `option-out-of-range`
 */
export function checkLimits({ minOrbit, maxOrbit, minFieldOfView, maxFieldOfView }: CameraSettings): void {
  for (const part of ['azimuth', 'polar'] as const) {
    checkPair(minOrbit[part], maxOrbit[part], 'camera-orbit', part === 'azimuth' ? 'first' : 'second');
  }
  const [least, most] = [minOrbit.distance, maxOrbit.distance];
  if (least && most && least.isShare === most.isShare) {
    checkPair(least.value, most.value, 'camera-orbit', 'third');
  }
  checkPair(minFieldOfView, maxFieldOfView, 'field-of-view', 'only');
}

function checkPair(least: number | null, most: number | null, attribute: string, part: string): void {
  if (least === null || most === null || least <= most) return;
  const where = part === 'only' ? '' : `the ${part} part of `;
  throw new OptionError(
    'option-out-of-range',
    `In <fencepost-viewer>, ${where}min-${attribute} exceeds ${where}max-${attribute}. Swap or correct them.`,
  );
}

function limitsOf({ minOrbit, maxOrbit, orbit }: CameraSettings, framed: number, radius: number): Limits {
  const wanted = metres(orbit.distance, framed) ?? framed;
  const most = metres(maxOrbit.distance, framed);
  const least = metres(minOrbit.distance, framed);
  const maxDistance = most ?? Math.max(radius * FARTHEST, wanted, least ?? 0);
  const minDistance = Math.min(least ?? Math.min(radius * NEAREST, wanted), maxDistance);
  const maxPolar = clamp(maxOrbit.polar ?? Math.PI, 0, Math.PI);
  return {
    minAzimuth: minOrbit.azimuth ?? -Infinity,
    maxAzimuth: maxOrbit.azimuth ?? Infinity,
    minPolar: clamp(minOrbit.polar ?? 0, 0, maxPolar),
    maxPolar,
    minDistance,
    maxDistance,
  };
}

function metres(distance: Distance | null, framed: number): number | null {
  return distance && distance.value * (distance.isShare ? framed : 1);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
