/**
 * Post-processing effects. The table `EFFECTS` has a row per effect, with a line per option. Types, checks, defaults,
 * the command `setEffect` and the render thread's values derive from the table.
 *
 *   EFFECTS.vignette ─┬─ game: checks and packs what a page sets ─► setEffect { view, effect, state, values }
 *                     └─ render: unpacks the values for the effect's class (`render/effects/registry.ts`)
 *
 * Each option is a number, a switch, a colour, levels of three channels, a table of colours, or a list of actors. In
 * `values`, a colour and levels take three numbers, which are NaN if a colour is missing. A switch takes one number: 1
 * is true. A table takes one number: 1 if an earlier `setEffectTable` has sent the table, 0 without a table. Actors take
 * no number, because `setEffectActors` sends them.
 */
import type { Member, Shape, Shaped, ValueOf } from '../core/options/member.js';
import {
  boolean,
  byDefault,
  changeable,
  color,
  countFrom,
  member,
  numberFrom,
  optional,
  options,
  optionsOr,
} from '../core/options/members.js';
import { ColorTable, type TableData } from './color-table.js';

type Triple = readonly [number, number, number];

const share = numberFrom(0, 1);

/** Accepts a number for all channels, or three numbers. */
const levels = (least: number, most: number): Member<number | Triple> => {
  const isLevel = (value: unknown): boolean => typeof value === 'number' && value >= least && value <= most;
  return member(
    (value) => isLevel(value) || (Array.isArray(value) && value.length === 3 && value.every(isLevel)),
    `a number from ${least} to ${most}, or three of them`,
    { code: 'option-out-of-range', range: [least, most] },
  );
};

const acceptsTable: Member<ColorTable>['accepts'] = (value) => value instanceof ColorTable;
const table = (): Member<ColorTable> =>
  member(acceptsTable, 'a table of colours: await loadColorTable(file)');

/** An actor, or one of its components, as effects take it. */
export interface EffectActor {
  readonly isDestroyed: boolean;
  attachTo(target: null): void;
}

/** Actors of an effect on the render thread: pairs of a scene and a node. */
export interface EffectActors {
  readonly pairs: Uint32Array;
  /** Increases with each change. */
  readonly version: number;
}

const isActor = (value: unknown): value is EffectActor => {
  const { isDestroyed, attachTo } = (value ?? {}) as Partial<EffectActor>;
  return typeof isDestroyed === 'boolean' && typeof attachTo === 'function';
};
const acceptsActors = (value: unknown): value is readonly EffectActor[] =>
  Array.isArray(value) && value.every(isActor);
const actors = (): Member<readonly EffectActor[]> => member(acceptsActors, 'a list of actors');

export const EFFECTS = {
  /** Dims ambient and image-based light in corners and where objects touch. */
  ambientOcclusion: {
    /** Distance in metres within which surfaces block light from each other. */
    radius: changeable(
      'metres within which surfaces block light from each other',
      byDefault(numberFrom(0.001, 1000), 0.5),
    ),
    /** Share of the occlusion that is applied. */
    intensity: changeable('share of the occlusion that is applied', byDefault(share, 1)),
    /** Exponent of the share of light that arrives; 1 is physically right. */
    power: changeable('exponent of the share of light that arrives', byDefault(numberFrom(0.1, 8), 1)),
    /** 1 reads 8 depths per pixel, 2 reads 16, 3 reads 48 and 4 reads 96. */
    quality: changeable('number of depths that a pixel reads, as a level', byDefault(countFrom(1, 4), 2)),
  },
  /** Mirrors the picture's own surfaces in smooth surfaces. Only the deferred renderer draws it. */
  ssr: {
    /** Share of the reflections that is applied. */
    intensity: changeable('share of the reflections that is applied', byDefault(share, 1)),
    /** Length of a reflected ray, in metres. */
    distance: changeable('length of a reflected ray, in metres', byDefault(numberFrom(0.01, 1e5), 50)),
    /** Depth of every surface behind what the camera sees of it, in metres. */
    thickness: changeable('depth of surfaces, in metres', byDefault(numberFrom(0.001, 1e4), 0.5)),
    /** Roughness from which on surfaces have no reflections. */
    maximumRoughness: changeable('roughness without reflections', byDefault(share, 0.5)),
  },
  /** Scatters light between the camera and surfaces. */
  fog: {
    /** Optical density up to `height`, per metre: light loses 1 − exp(−density) of itself on each metre. */
    density: changeable('optical density per metre', byDefault(numberFrom(0, 1e4), 0.02)),
    /** Colour of the fog, as light of the scene. Default: the environment behind the scene, or the background. */
    color: changeable('colour of the fog', optional(color<string | Triple>())),
    /** World height up to which the fog has its full density, in metres. */
    height: changeable('height up to which the fog is dense, in metres', byDefault(numberFrom(-1e6, 1e6), 0)),
    /** Rate at which the density decreases above `height`, per metre; 0: the fog is equally dense everywhere. */
    heightFalloff: changeable('decrease of the density above the height', byDefault(numberFrom(0, 1e3), 0)),
    /** Distance from the camera at which the fog begins, in metres. */
    start: changeable('distance at which the fog begins, in metres', byDefault(numberFrom(0, 1e6), 0)),
    /** Share of the brightest directional light that the fog scatters to the camera. */
    sunAmount: changeable('share of the sun’s light that the fog scatters', byDefault(share, 0)),
  },
  /** Blurs surfaces out of focus, as a lens does. */
  depthOfField: {
    /** Distance of the sharp surfaces from the camera, along its axis, in metres. */
    focusDistance: changeable('distance of sharp surfaces, in metres', byDefault(numberFrom(0.01, 1e6), 5)),
    /** Focal length divided by the diameter of the aperture: smaller numbers blur more. */
    fStop: changeable('focal length by the diameter of the aperture', byDefault(numberFrom(0.1, 128), 2.8)),
    /** Height of the sensor in metres. With the field of view, it decides the focal length. */
    sensorHeight: changeable('height of the sensor, in metres', byDefault(numberFrom(0.001, 1), 0.024)),
    /** Largest radius of a blurred point, as a share of the view's height. */
    maximumBlur: changeable('largest radius of a blurred point', byDefault(numberFrom(0, 0.1), 0.03)),
  },
  /** Scatters a part of the light around bright places. No light is gained or lost. */
  bloom: {
    /** Share of the light that is scattered. */
    amount: changeable('share of the light that is scattered', byDefault(share, 0.15)),
    /** Share of the scattered light that goes on to larger distances, at each doubling of the distance. */
    radius: changeable('share of the light that goes on to larger distances', byDefault(share, 0.7)),
    /** Light up to this brightness is not scattered; 1 is white. 0 scatters all light. */
    threshold: changeable('brightness up to which light is not scattered', byDefault(numberFrom(0, 1e4), 0)),
  },
  /** Exposes the picture by its own brightness, as an eye does. */
  autoExposure: {
    /** Least factor on all light. */
    minimum: changeable('least factor on all light', byDefault(numberFrom(1e-4, 1e4), 1 / 16)),
    /** Greatest factor on all light. */
    maximum: changeable('greatest factor on all light', byDefault(numberFrom(1e-4, 1e4), 16)),
    /** Rate at which the factor increases in the dark, per second. */
    speedUp: changeable('rate at which the factor increases', byDefault(numberFrom(0, 1000), 1)),
    /** Rate at which the factor decreases in bright light, per second. */
    speedDown: changeable('rate at which the factor decreases', byDefault(numberFrom(0, 1000), 3)),
    /** Steps by which the picture is brighter than middle grey; each doubles the light. */
    compensation: changeable('steps by which the picture is brighter', byDefault(numberFrom(-10, 10), 0)),
  },
  /** Draws a line around actors, such as the selected ones. */
  outline: {
    /** Actors with a line around them, each with everything that is attached to it. */
    actors: changeable('actors with a line around them', byDefault(actors(), [])),
    /** Colour of the line, which neither exposure nor tone mapping changes. */
    color: changeable('colour of the line', byDefault(color<string | Triple>(), [1, 0.35, 0])),
    /** Width of the line, in CSS pixels. */
    width: changeable('width of the line in CSS pixels', byDefault(numberFrom(0.5, 32), 3)),
    /** Share with which the line covers the picture. */
    opacity: changeable('share with which the line covers the picture', byDefault(share, 1)),
    /** Whether parts of the actors behind other surfaces have a line too. */
    throughThings: changeable('whether hidden parts have a line', byDefault(boolean(), false)),
  },
  /** Darkens the picture towards its corners. */
  vignette: {
    /** Share of the light that the corners lose. */
    amount: changeable('share of the light that the corners lose', byDefault(share, 0.5)),
    /** Distance from the middle of the view at which the darkening begins: 0 is the middle, 1 the corners. */
    radius: changeable('distance from the middle at which the darkening begins', byDefault(share, 0.3)),
    /** Share of the distance from `radius` to the corners over which the darkening grows; 0 is a hard edge. */
    softness: changeable('share of the distance over which the darkening grows', byDefault(share, 1)),
    /** Colour that replaces the lost light. */
    color: changeable('colour that replaces the lost light', byDefault(color<string | Triple>(), [0, 0, 0])),
  },
  /** Changes the tones of the finished picture. */
  colorGrading: {
    /** Shifts white: -1 is blue, 1 is yellow. */
    temperature: changeable('shift of white from blue to yellow', byDefault(numberFrom(-1, 1), 0)),
    /** Shifts white: -1 is green, 1 is magenta. */
    tint: changeable('shift of white from green to magenta', byDefault(numberFrom(-1, 1), 0)),
    /** Added to dark colours; white stays. */
    lift: changeable('addition to dark colours', byDefault(levels(-1, 1), [0, 0, 0])),
    /** Exponent of the middle tones: above 1 is brighter. */
    gamma: changeable('brightness of middle tones', byDefault(levels(0.1, 10), [1, 1, 1])),
    /** Factor on bright colours; black stays. */
    gain: changeable('factor on bright colours', byDefault(levels(0, 10), [1, 1, 1])),
    /** Factor on the distance to middle grey. */
    contrast: changeable('factor on the distance to middle grey', byDefault(numberFrom(0, 4), 1)),
    /** Factor on the distance to grey of the same brightness; 0 is grey. */
    saturation: changeable('factor on the distance to grey', byDefault(numberFrom(0, 4), 1)),
    /** Table that replaces colours. */
    table: changeable('table that replaces colours', optional(table())),
    /** Share with which the table replaces colours. */
    tableAmount: changeable('share with which the table replaces colours', byDefault(share, 1)),
  },
  /** Draws red light larger and blue light smaller than green light, as a simple lens does. */
  chromaticAberration: {
    /** Share by which red light is larger, and blue light smaller. */
    amount: changeable('share by which red light is larger', byDefault(numberFrom(0, 0.1), 0.005)),
  },
  /** Adds noise to the brightness, as the grains of a film do. Each frame has other grains. */
  grain: {
    /** Largest change of a channel; 1 is the distance between black and white, as sRGB. */
    amount: changeable('largest change of a channel', byDefault(share, 0.05)),
    /** Width of a grain, in pixels of the canvas. */
    size: changeable('width of a grain in pixels', byDefault(numberFrom(1, 64), 1)),
  },
} satisfies Record<string, Shape>;

export type EffectName = keyof typeof EFFECTS;

/** Names of effects. The index of a name is the effect's number in `setEffect`. */
export const EFFECT_NAMES = Object.keys(EFFECTS) as EffectName[];

/** Options of an effect as a page gives them. */
export type EffectOptions<Name extends EffectName> = Shaped<(typeof EFFECTS)[Name]>;
/** `false` is off, `true` is on with the defaults. */
export type EffectSetting<Name extends EffectName> = boolean | EffectOptions<Name>;
/** Options of effects by name. A missing effect is off in the engine, and inherited from the engine in a view. */
export type EffectsOptions = { readonly [Name in EffectName]?: EffectSetting<Name> | undefined };

/** All options of an effect, as the effect's class receives them. Colours are linear. */
export type EffectValues<Name extends EffectName> = {
  readonly [Key in keyof (typeof EFFECTS)[Name]]: EffectValue<ValueOf<(typeof EFFECTS)[Name][Key]>>;
};

type EffectValue<Value> = [Value] extends [number]
  ? number
  : [Value] extends [boolean]
    ? boolean
    : [Value] extends [ColorTable]
      ? TableData | null
      : [Value] extends [readonly EffectActor[]]
        ? EffectActors
        : Triple;

/** Values of `setEffect.state`. */
export enum EffectState {
  off = 0,
  on = 1,
  /** The view uses the engine's setting. */
  inherited = 2,
}

/** Returns the declaration of an option that holds effects by name. */
export const effectsOption = (): Member<EffectsOptions> =>
  options(
    Object.fromEntries(
      EFFECT_NAMES.map((name) => [
        name,
        changeable(`the effect ${name}, or its options`, optional(optionsOr(boolean(), EFFECTS[name]))),
      ]),
    ),
  );

/** Returns an effect's options by name, in the order of `setEffect.values`. */
export const effectRows = (name: EffectName): [name: string, row: Member][] => Object.entries(EFFECTS[name]);

/** Returns whether an option is a table of colours. */
export const isTable = (row: Member): boolean => row.accepts === acceptsTable;

/** Returns whether an option is a list of actors. */
export const isActors = (row: Member): boolean => row.accepts === acceptsActors;

const NO_ACTORS: EffectActors = { pairs: new Uint32Array(0), version: 0 };

/**
 * Returns the options of an effect by name.
 *
 * @param values values of `setEffect`, from index `at` on
 * @param table table of the effect, if it has one
 * @param actors actors of the effect, if it has any
 */
export function unpackEffect<Name extends EffectName>(
  name: Name,
  values: ArrayLike<number>,
  at = 0,
  table: TableData | null = null,
  actors: EffectActors = NO_ACTORS,
): EffectValues<Name> {
  const unpacked: Record<string, unknown> = {};
  let index = at;
  for (const [key, row] of effectRows(name)) {
    if (isActors(row)) {
      unpacked[key] = actors;
      continue;
    }
    const first = values[index++] as number;
    if (isTable(row)) unpacked[key] = first === 1 ? table : null;
    else if (typeof row.default === 'number') unpacked[key] = first;
    else if (typeof row.default === 'boolean') unpacked[key] = first === 1;
    else unpacked[key] = [first, values[index++], values[index++]];
  }
  return unpacked as EffectValues<Name>;
}
