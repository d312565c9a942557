/**
 * Post-processing effects. The table `EFFECTS` has a row per effect, with a line per option. Types, checks, defaults,
 * the command `setEffect` and the render thread's values derive from the table.
 *
 *   EFFECTS.vignette ─┬─ game: checks and packs what a page sets ─► setEffect { view, effect, state, values }
 *                     └─ render: unpacks the values for the effect's class (`render/effects/registry.ts`)
 *
 * An option is a number, or a colour of three numbers in `values`.
 */
import type { Member, Shape, Shaped, ValueOf } from '../core/options/member.js';
import {
  boolean,
  byDefault,
  changeable,
  color,
  numberFrom,
  optional,
  options,
  optionsOr,
} from '../core/options/members.js';

type Triple = readonly [number, number, number];

const share = numberFrom(0, 1);

export const EFFECTS = {
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
  readonly [Key in keyof (typeof EFFECTS)[Name]]: ValueOf<(typeof EFFECTS)[Name][Key]> extends number
    ? number
    : Triple;
};

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

/** Returns the names of an effect's options and their defaults, in the order of `setEffect.values`. */
export function effectDefaults(name: EffectName): [name: string, byDefault: number | Triple][] {
  return Object.entries(EFFECTS[name]).map(([key, row]) => [key, row.default as number | Triple]);
}

/**
 * Returns the options of an effect by name.
 *
 * @param values values of `setEffect`, from index `at` on
 */
export function unpackEffect<Name extends EffectName>(
  name: Name,
  values: ArrayLike<number>,
  at = 0,
): EffectValues<Name> {
  const unpacked: Record<string, unknown> = {};
  let index = at;
  for (const [key, byDefault] of effectDefaults(name)) {
    const isNumber = typeof byDefault === 'number';
    unpacked[key] = isNumber ? values[index] : [values[index], values[index + 1], values[index + 2]];
    index += isNumber ? 1 : 3;
  }
  return unpacked as EffectValues<Name>;
}
