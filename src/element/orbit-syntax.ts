/**
 * Parses the attributes of the camera, in the syntax of `<model-viewer>`: numbers with units, separated by spaces.
 *
 *   camera-orbit="30deg 75deg 2.5m"     azimuth from +Z towards +X, angle from straight above, distance
 *   camera-target="0m 1m 0m"            a point
 *   field-of-view="30deg"               vertical
 *
 * `auto` stands for the default. Angles are in `deg` or `rad`, lengths in `m`, `cm` or `mm`. A distance in `%` is a
 * share of the distance that shows the whole model.
 */
import { OptionError } from '../index.js';

/** A distance in metres, or as a share of the distance that shows the whole model. */
export interface Distance {
  readonly value: number;
  readonly isShare: boolean;
}

/** The parts of `camera-orbit` in radians; `null` for `auto`. */
export interface Orbit {
  readonly azimuth: number | null;
  readonly polar: number | null;
  readonly distance: Distance | null;
}

/** Coordinates of a point in metres; `null` for `auto`. */
export type Target = readonly [x: number | null, y: number | null, z: number | null];

export const AUTO_ORBIT: Orbit = { azimuth: null, polar: null, distance: null };
export const AUTO_TARGET: Target = [null, null, null];

const ANGLES: Readonly<Record<string, number>> = { deg: Math.PI / 180, rad: 1 };
const LENGTHS: Readonly<Record<string, number>> = { m: 1, cm: 0.01, mm: 0.001 };
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?Infinity)(deg|rad|m|cm|mm|%)?$/i;

const EXAMPLES = {
  orbit: 'an azimuth, an angle from above and a distance, such as "30deg 75deg 2.5m" or "auto auto 150%"',
  target: 'three lengths, such as "0m 1m 0m", or auto',
  angle: 'an angle, such as "30deg", or auto',
};

/**
 * Parses `camera-orbit` or one of its limits.
 * @param name name of the attribute; only limits may be infinite
 * @throws OptionError `option-invalid`
 */
export function parseOrbit(name: string, text: string): Orbit {
  const parts = partsOf(name, text, 3, 'orbit');
  const [azimuth, polar] = [0, 1].map((part) => numberOf(name, text, parts[part], ANGLES, 'orbit'));
  const last = parts[2];
  const share = last !== 'auto' && last?.unit === '%';
  const distance = numberOf(name, text, last, share ? { '%': 0.01 } : LENGTHS, 'orbit');
  if (distance !== null && !(distance > 0)) throw invalid(name, text, 'orbit');
  return {
    azimuth: azimuth ?? null,
    polar: polar ?? null,
    distance: distance === null ? null : { value: distance, isShare: share },
  };
}

/** Parses `camera-target`. @throws OptionError `option-invalid` */
export function parseTarget(name: string, text: string): Target {
  const parts = partsOf(name, text, 3, 'target');
  const [x = null, y = null, z = null] = parts.map((part) => numberOf(name, text, part, LENGTHS, 'target'));
  return [x, y, z];
}

/** Parses `field-of-view` or one of its limits: radians between 0 and π; `null` for `auto`. @throws OptionError */
export function parseFieldOfView(name: string, text: string): number | null {
  const angle = numberOf(name, text, partsOf(name, text, 1, 'angle')[0], ANGLES, 'angle');
  if (angle !== null && !(angle > 0 && angle < Math.PI)) throw invalid(name, text, 'angle');
  return angle;
}

type Part = 'auto' | { readonly value: number; readonly unit: string };

function partsOf(name: string, text: string, count: number, kind: keyof typeof EXAMPLES): readonly Part[] {
  const parts = text
    .trim()
    .split(/\s+/)
    .map((word): Part | null => {
      if (word === 'auto') return 'auto';
      const [, value, unit = ''] = QUANTITY.exec(word) ?? [];
      return value === undefined ? null : { value: Number(value), unit: unit.toLowerCase() };
    });
  if (parts.length !== count || parts.includes(null)) throw invalid(name, text, kind);
  return parts as Part[];
}

/** Returns a quantity in the unit of 1; `null` for `auto`. A unit may be missing only from 0 and infinite values. */
function numberOf(
  name: string,
  text: string,
  part: Part | undefined,
  units: Readonly<Record<string, number>>,
  kind: keyof typeof EXAMPLES,
): number | null {
  if (part === 'auto' || part === undefined) return null;
  const { value, unit } = part;
  const factor = units[unit] ?? (unit === '' && (value === 0 || !Number.isFinite(value)) ? 1 : undefined);
  if (factor === undefined || (!Number.isFinite(value) && !/^m(in|ax)-/.test(name))) {
    throw invalid(name, text, kind);
  }
  return value * factor;
}

function invalid(name: string, text: string, kind: keyof typeof EXAMPLES): OptionError {
  return new OptionError(
    'option-invalid',
    `The attribute ${name} of <fencepost-viewer> is ${JSON.stringify(text)}; it takes ${EXAMPLES[kind]}.`,
  );
}
