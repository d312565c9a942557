/** Options of `world.setSky`, their checks, and the numbers that the sky consists of. */
import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, numberFrom, optional } from '../../core/options/members.js';
import { shownValue } from '../../core/options/shown-value.js';
import type { Actor } from '../components/actor.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { DirectionalLightComponent } from './light-component.js';
import { placeSky } from './sun-position.js';
import { sunlightAt } from './sunlight.js';

const CALL = 'setSky';
/** `PlacedSky.starRows` of a sky without a place and a date: the pole of the stars is straight up. */
const UPRIGHT = [1, 0, 0, 0, 0, -1, 0, 1, 0];
/** Range in which stars fade in, as y of the direction to the sun: from 3° to 12° below the horizon. */
const [DUSK, NIGHT] = [-0.052, -0.208];

const OPTIONS = {
  /**
   * Direction in which the sun's light travels, as for a directional light. Default -1, -2, -1.5. It excludes
   * `latitude`, `longitude` and `date`.
   */
  sunDirection: optional(anything<VectorLike>()),
  /** Degrees north of the equator, −90 to 90. With `longitude` and `date`, it decides where the sun is. */
  latitude: optional(numberFrom(-90, 90)),
  /** Degrees east of Greenwich, −180 to 180. */
  longitude: optional(numberFrom(-180, 180)),
  /** The time, as a Date or in milliseconds since 1970, from the year 1600 to the end of 2499. Default: now. */
  date: optional(anything<Date | number>()),
  /** Haze: 1 is clear air, 10 is dense haze. Default 2.5. */
  turbidity: byDefault(numberFrom(1, 10), 2.5),
  /** Colour of the ground below the horizon. Default: dark grey. */
  groundAlbedo: optional(anything<ColorLike>()),
  /** Factor on the brightness of the stars at night, 0 to 100. Default 1. */
  stars: byDefault(numberFrom(0, 100), 1),
  /** Factor on the light of sun and sky, 0 to 1,000,000. Default 1. */
  intensity: byDefault(numberFrom(0, 1e6), 1),
  /** Whether the sky is shown as the background. Default true. */
  background: byDefault(boolean(), true),
  /** A directional light that becomes the sun: the call sets its direction, colour and intensity. */
  light: optional(anything<Actor<DirectionalLightComponent>>()),
};

export type SkyOptions = Shaped<typeof OPTIONS>;

/** The sun of a sky. */
export interface SkySun {
  /** Direction in which the sun's light travels, of unit length. */
  readonly direction: readonly [x: number, y: number, z: number];
  /** Linear red, green and blue; the largest is 1. */
  readonly color: readonly [red: number, green: number, blue: number];
  /** Lux on a surface that faces the sun; 0 once the whole disc is below the horizon. */
  readonly intensity: number;
  /** Radians above the horizon, without refraction; negative below the horizon. */
  readonly altitude: number;
}

/** Settings of a sky, as the game sends them to the render thread. */
export interface SkySettings {
  readonly toSun: readonly [number, number, number];
  readonly turbidity: number;
  readonly ground: readonly number[];
  /** Brightness of the stars; 0 by day. */
  readonly stars: number;
  /** See `PlacedSky.starRows`. */
  readonly starRows: readonly number[];
  /** Light of the sun on a surface on the ground that faces the sun, without the factor `intensity`. */
  readonly sunlight: readonly [number, number, number];
  readonly intensity: number;
  readonly background: boolean;
}

/** Checks the options, and returns the sky. Sets direction, colour and intensity of `light`. @throws OptionError */
export function readSky(options: SkyOptions): { readonly settings: SkySettings; readonly sun: SkySun } {
  const filled = fillOptions(CALL, options, OPTIONS);
  const { turbidity, intensity, background, light } = filled;
  const [red, green, blue] = parseColor(CALL, 'groundAlbedo', filled.groundAlbedo ?? [0.18, 0.18, 0.18]);
  const { toSun, starRows } = findSun(filled);
  const sunlight = sunlightAt(toSun[1], turbidity);
  const night = Math.min(Math.max((toSun[1] - DUSK) / (NIGHT - DUSK), 0), 1);
  const stars = filled.stars * night * night * (3 - 2 * night);
  const brightest = Math.max(...sunlight);
  const sun: SkySun = {
    direction: [-toSun[0], -toSun[1], -toSun[2]],
    color:
      brightest > 0 ? [sunlight[0] / brightest, sunlight[1] / brightest, sunlight[2] / brightest] : [1, 1, 1],
    intensity: brightest * intensity,
    altitude: Math.asin(Math.min(Math.max(toSun[1], -1), 1)),
  };
  if (light !== undefined) shineAs(light, sun);
  const ground = [red, green, blue];
  return { settings: { toSun, turbidity, ground, stars, starRows, sunlight, intensity, background }, sun };
}

/** Gives a directional light the direction, the colour and the intensity of the sun. @throws OptionError */
function shineAs(light: Actor<DirectionalLightComponent>, { direction, color, intensity }: SkySun): void {
  const root: unknown = light?.root;
  if (!(root instanceof DirectionalLightComponent)) {
    throw new OptionError(
      'option-invalid',
      `light of ${CALL} has to be a directional light, such as world.addDirectionalLight().`,
    );
  }
  root.turnTowards(...direction);
  root.color = color;
  root.intensity = intensity;
}

/** Returns the directions of the sun and of the stars. @throws OptionError */
function findSun({
  sunDirection,
  latitude,
  longitude,
  date,
}: Pick<SkyOptions, 'sunDirection' | 'latitude' | 'longitude' | 'date'>): Pick<
  SkySettings,
  'toSun' | 'starRows'
> {
  const isPlaced = latitude !== undefined || longitude !== undefined || date !== undefined;
  if (isPlaced && sunDirection !== undefined) {
    throw new OptionError('option-invalid', `${CALL} takes sunDirection or a place and a date, not both.`);
  }
  if (!isPlaced) {
    const [x, y, z] = checkVector(CALL, 'sunDirection', sunDirection ?? [-1, -2, -1.5], 3);
    const length = checkNumber(CALL, 'the length of sunDirection', Math.hypot(x, y, z), 1e-12, 1e30);
    return { toSun: [-x / length, -y / length, -z / length], starRows: UPRIGHT };
  }
  if (latitude === undefined || longitude === undefined) {
    throw new OptionError('option-invalid', `${CALL} takes latitude and longitude together.`);
  }
  const time = date ?? Date.now();
  if (typeof time !== 'number' && !isDate(time)) {
    throw new OptionError(
      'option-invalid',
      `date of ${CALL} is ${shownValue(time)}; it has to be a Date or a number of milliseconds since 1970.`,
    );
  }
  const milliseconds = Number(time);
  // From the year 1600 to the end of 2499. The formulas are meaningless outside of this range.
  checkNumber(CALL, 'date', milliseconds, -11_676_096_000_000, 16_725_225_600_000);
  return placeSky(latitude, longitude, milliseconds);
}

/** Whether a value is a Date, of this page or of another frame in it. */
const isDate = (value: unknown): value is Date => Object.prototype.toString.call(value) === '[object Date]';
