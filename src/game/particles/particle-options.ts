/** Options of `world.addParticles`, and their checks. */
import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkNames } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  byDefault,
  countFrom,
  having,
  numberFrom,
  oneOf,
  optional,
  property,
} from '../../core/options/members.js';
import { MOST_PARTICLES, MOST_STOPS, SOURCE_SHAPES } from '../../proxy/particles.js';
import type { ColorLike } from '../materials/color.js';
import type { Texture } from '../textures/texture.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import type { ParticlePlane, ParticleSurfaces } from './particle-collisions.js';

/** A value for the whole life, values at equal distances, or pairs of a share of the life and a value. */
export type StopsOf<Value> = Value | readonly Value[] | readonly (readonly [at: number, value: Value])[];

/**
 * The shape in which particles are born, in the space of the actor. `sphere` and `disc` are radii in metres, `box` has
 * the lengths of its sides in metres.
 */
export type ParticleSource =
  | 'point'
  | { readonly sphere: number }
  | { readonly box: VectorLike }
  | { readonly disc: number };

/** Maximum life of a particle, in seconds. */
const LONGEST_LIFE = 3600;
const FASTEST = 1e6;

export const PARTICLES_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** Births per second, 0 to 1,000,000. Default 50. */
  rate: property(numberFrom(0, 1e6)),
  /** Seconds that a particle lives, or the least and the most. 0.001 to 3,600. Default 2. */
  life: optional(anything<number | readonly [least: number, most: number]>()),
  /** Velocity at birth, in metres per second along the actor's axes. Default 0, 1, 0. */
  velocity: optional(anything<VectorLike>()),
  /** Metres per second: maximum length of the random velocity that is added at birth. Default 0.2. */
  spread: property(numberFrom(0, FASTEST)),
  /** Shape in which particles are born, around the actor's position. Default `point`. */
  source: optional(anything<ParticleSource>()),
  /**
   * Distance in front of surfaces over which particles fade, in metres, 0 to 1,000,000. Default 0: they end in a sharp
   * line where they touch a surface.
   */
  softness: byDefault(numberFrom(0, 1e6), 0),
  /** Width in metres, over the life. Default 0.1. */
  size: optional(anything<StopsOf<number>>()),
  /** Colour with alpha, over the life. It multiplies the texture. Default white, which fades out. */
  color: optional(anything<StopsOf<ColorLike>>()),
  /** Factor on the colour, for particles that are brighter than white. 0 to 10,000. Default 1. */
  intensity: property(numberFrom(0, 1e4)),
  /** Picture of a particle. Default: none, so that particles are discs with a soft edge. */
  texture: optional(
    having('transformOf', "a texture, such as texture('spark.png')") as never as TextureMember,
  ),
  /** Acceleration in the world, in metres per second squared. Default 0, 0, 0. */
  gravity: optional(anything<VectorLike>()),
  /** Rate at which the air slows particles down, as a share of the speed per second. 0 to 1,000. Default 0. */
  drag: byDefault(numberFrom(0, 1e3), 0),
  /**
   * Plane off which particles bounce; `true` is a floor at height 0. `'depth'`: particles bounce off the surfaces that
   * the active camera saw in the last frame. Default false.
   */
  collide: optional(anything<boolean | 'depth' | ParticlePlane | ParticleSurfaces>()),
  /**
   * Whether each view draws the particles from back to front, which takes the GPU more time. Default false: the oldest
   * ones are drawn first.
   */
  sort: byDefault(boolean(), false),
  /** Maximum number of particles at a time, 1 to 2,097,152; the oldest ones end first. Default 10,000. */
  maximumCount: byDefault(countFrom(1, MOST_PARTICLES), 10_000),
  /** Number from which all random numbers follow, 0 to 4,294,967,295. Default: another one for each system. */
  seed: optional(countFrom(0, 0xffffffff)),
  /** Whether particles cover the colours behind them, or are added to them as light. Default `normal`. */
  blending: byDefault(oneOf('normal|additive'), 'normal'),
  /**
   * Whether particles are drawn before glass, so that glass shows them. Glass behind such particles then covers them.
   * Default false: they are drawn last.
   */
  behindGlass: byDefault(boolean(), false),
  /** Layers of the system, one bit each; a view can show only some of them. Default 1: the first layer. */
  layers: property(countFrom(0, 0xffffffff)),
};

type TextureMember = ReturnType<typeof anything<Texture>>;

export type ParticlesOptions = Shaped<typeof PARTICLES_OPTIONS>;

/** A list of stops with the share of the life at which each value is reached. */
export type Stops<Value> = readonly (readonly [at: number, value: Value])[];

/** @throws OptionError */
export function checkLife(call: string, life: ParticlesOptions['life'] = 2): readonly [number, number] {
  if (typeof life === 'number') {
    const seconds = checkNumber(call, 'life', life, 1e-3, LONGEST_LIFE);
    return [seconds, seconds];
  }
  const [least, most] = checkVector(call, 'life', life, 2, 'a number or ');
  checkNumber(call, 'the first number of life', least, 1e-3, LONGEST_LIFE);
  return [least, checkNumber(call, 'the second number of life', most, least, LONGEST_LIFE)];
}

/** Returns three numbers of limited size. @throws OptionError */
export function checkVelocity(
  call: string,
  name: string,
  value: VectorLike,
): readonly [number, number, number] {
  const vector = checkVector(call, name, value, 3);
  for (const axis of vector) checkNumber(call, name, axis, -FASTEST, FASTEST);
  return vector;
}

/** Returns the index of the shape in `SOURCE_SHAPES`, and its extents. @throws OptionError */
export function checkSource(
  call: string,
  source: ParticleSource = 'point',
): readonly [shape: number, x: number, y: number, z: number] {
  if (source === 'point') return [0, 0, 0, 0];
  const names = SOURCE_SHAPES.slice(1);
  const table = Object.fromEntries(names.map((name) => [name, optional(anything())]));
  const [name, ...others] = typeof source === 'object' && source ? Object.keys(source) : [];
  if (name === undefined || others.length > 0) {
    throw new OptionError(
      'option-invalid',
      `source of ${call} has to be 'point', or an object with one of ${names.join(', ')}.`,
    );
  }
  checkNames(`source of ${call}`, source as object, table);
  const shape = SOURCE_SHAPES.indexOf(name as (typeof SOURCE_SHAPES)[number]);
  const value = (source as Readonly<Record<string, unknown>>)[name];
  const option = `source.${name}`;
  if (name !== 'box') {
    const radius = checkNumber(call, option, value, 0, 1e6);
    return [shape, radius, radius, radius];
  }
  const [x, y, z] = checkVector(call, option, value as VectorLike, 3);
  for (const side of [x, y, z]) checkNumber(call, option, side, 0, 1e6);
  return [shape, x / 2, y / 2, z / 2];
}

/**
 * Returns the stops of a value over the life.
 * @param isValue returns whether something is a single value rather than a list of stops
 * @param check checks a value, and returns it in the form in which it is sent
 * @throws OptionError
 */
export function checkStops<Value, Checked>(
  call: string,
  name: string,
  stops: StopsOf<Value>,
  isValue: (value: unknown) => boolean,
  check: (value: Value) => Checked,
): Stops<Checked> {
  if (isValue(stops)) return [[0, check(stops as Value)]];
  const list = stops as readonly unknown[];
  if (!Array.isArray(list) || list.length < 1 || list.length > MOST_STOPS) {
    throw new OptionError(
      'option-invalid',
      `${name} of ${call} has to be a value, or a list of 1 to ${MOST_STOPS} values or of pairs [share of the life, value].`,
    );
  }
  const arePairs = list.every((item) => Array.isArray(item) && item.length === 2 && !isValue(item));
  if (!arePairs)
    return list.map((value, index) => [index / Math.max(list.length - 1, 1), check(value as Value)]);
  let least = 0;
  return (list as readonly (readonly [number, Value])[]).map(([at, value]) => {
    least = checkNumber(call, `a share of ${name}`, at, least, 1);
    return [at, check(value)];
  });
}
