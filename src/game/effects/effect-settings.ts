/**
 * Effects set by a page, for the engine or for one view. They are checked at once and sent with the next frame.
 * Pages read them through a proxy. The proxy also checks an assignment of one effect or one option, and throws for
 * unknown names.
 *
 *   engine.effects = { vignette: { amount: 0.6 } }  ─┐
 *   engine.effects.vignette = true                  ─┼─► check ─► pack ─► setEffect, once per changed effect
 *   engine.effects.vignette.amount = 0.6            ─┘
 */
import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  EFFECT_NAMES,
  type EffectName,
  type EffectOptions,
  type EffectSetting,
  EffectState,
  effectDefaults,
  effectsOption,
} from '../../proxy/effects.js';
import { parseColor } from '../materials/color.js';

/** Options of an effect that is on; each can be set by itself. */
type ShownOptions<Name extends EffectName> = {
  -readonly [Option in keyof EffectOptions<Name>]: EffectOptions<Name>[Option];
};
/** An effect as it can be set. It reads as `false`, or as all its options. */
type ShownEffect<Name extends EffectName> = boolean | ShownOptions<Name>;
/** All effects by name; each can be set by itself. */
export type Effects = { [Name in EffectName]: ShownEffect<Name> };
/** Effects of a view by name; `undefined`: taken from the engine. */
export type ViewEffects = { [Name in EffectName]: ShownEffect<Name> | undefined };

const TABLE = { effects: effectsOption() };

/** Options of an effect by name. */
type Options = Readonly<Record<string, unknown>>;

interface Setting {
  readonly state: EffectState;
  /** All options, copied, with defaults filled in; `null` if the effect is not on. */
  readonly options: Options | null;
  /** Values of the options as they are sent, in the order of the effect's row in `EFFECTS`. */
  readonly values: readonly number[];
}

const OFF: Setting = { state: EffectState.off, options: null, values: [] };
const INHERITED: Setting = { state: EffectState.inherited, options: null, values: [] };

export class EffectSettings<Shown extends ViewEffects> {
  /** The object that a page reads, and to which it assigns single effects. */
  readonly shown: Shown;
  readonly #what: string;
  readonly #beforeChange: () => void;
  /** State of an effect that was not set. */
  readonly #unset: Setting;
  readonly #settings: Record<EffectName, Setting>;
  /** Target of the proxy `shown`. */
  readonly #read: Record<EffectName, unknown>;
  /**
   * Proxies for the options of effects that are on. They stay the same objects, so that a page may keep them.
   */
  readonly #shownOptions: Record<EffectName, object>;
  readonly #readOptions: Record<EffectName, Record<string, unknown>>;
  readonly #dirty = new Set<EffectName>();

  /**
   * @param what owner of the effects, for messages
   * @param unset value of an effect that was not set
   * @param beforeChange called before each change; if it throws, nothing changes
   */
  constructor(what: string, unset: false | undefined, beforeChange: () => void) {
    this.#what = what;
    this.#beforeChange = beforeChange;
    this.#unset = unset === false ? OFF : INHERITED;
    this.#settings = byName(() => this.#unset);
    this.#read = byName<unknown>(() => unset);
    this.#readOptions = byName(() => ({}));
    this.#shownOptions = byName((name) =>
      withSetter(this.#readOptions[name], (option, value) => this.#setOption(name, option, value)),
    );
    this.shown = withSetter(this.#read, (name, value) =>
      this.#apply(this.#check({ [name]: value }, this.#what)),
    ) as Shown;
  }

  /**
   * Sets all effects; missing ones become unset.
   * @param what the function to which they were passed, for messages
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`; nothing
   * has changed then
   */
  assign(effects: object, what = this.#what): void {
    const settings = this.#check(effects, what);
    for (const name of EFFECT_NAMES) settings[name] ??= this.#unset;
    this.#apply(settings);
  }

  /** Marks all set effects to be sent to another stream. */
  resend(): void {
    for (const name of EFFECT_NAMES) if (this.#settings[name] !== this.#unset) this.#dirty.add(name);
  }

  /** Per change: writes changed effects. @param view id of a view; NO_ID: all views */
  write(writer: StreamWriter, view: number): void {
    if (this.#dirty.size === 0) return;
    for (const name of this.#dirty) {
      const { state, values } = this.#settings[name];
      const at = writer.reserve(RenderOpcode.setEffect, 4 + values.length);
      const { words, floats } = writer;
      words[at] = view;
      words[at + 1] = EFFECT_NAMES.indexOf(name);
      words[at + 2] = state;
      words[at + 3] = values.length;
      floats.set(values, at + 4);
    }
    this.#dirty.clear();
  }

  #check(effects: object, what: string): Partial<Record<EffectName, Setting>> {
    checkOptions(what, { effects }, TABLE);
    const settings: Partial<Record<EffectName, Setting>> = {};
    for (const [name, given] of Object.entries(effects) as [EffectName, EffectSetting<EffectName>][])
      settings[name] = given === undefined ? this.#unset : settingOf(name, given, what);
    return settings;
  }

  #apply(settings: Partial<Record<EffectName, Setting>>): void {
    this.#beforeChange();
    for (const [name, setting] of Object.entries(settings) as [EffectName, Setting][]) {
      const { state, options } = setting;
      // Skip effects that stay off or inherited. When a page assigns all effects, most of them do.
      if (!options && state === this.#settings[name].state) continue;
      this.#settings[name] = setting;
      Object.assign(this.#readOptions[name], options);
      this.#read[name] = options ? this.#shownOptions[name] : state === EffectState.off ? false : undefined;
      this.#dirty.add(name);
    }
  }

  /** @throws OptionError as `assign` */
  #setOption(name: EffectName, option: string, value: unknown): void {
    const { options } = this.#settings[name];
    if (!options) {
      throw new OptionError(
        'option-invalid',
        `effects.${name} of ${this.#what} is not on, so its ${option} can't be set: set effects.${name} to true or to its options.`,
      );
    }
    this.#apply(this.#check({ [name]: { ...options, [option]: value } }, this.#what));
  }
}

function byName<Value>(valueFor: (name: EffectName) => Value): Record<EffectName, Value> {
  return Object.fromEntries(EFFECT_NAMES.map((name) => [name, valueFor(name)])) as Record<EffectName, Value>;
}

/** Returns a proxy that reads from `target` and calls `set` on assignment; deleting assigns `undefined`. */
function withSetter(target: object, set: (name: string, value: unknown) => void): object {
  const assign = (name: string | symbol, value: unknown): true => {
    set(name as string, value);
    return true;
  };
  return new Proxy(target, {
    set: (_, name, value) => assign(name, value),
    deleteProperty: (_, name) => assign(name, undefined),
    defineProperty: (_, name, { value }) => assign(name, value),
  });
}

/** Returns the setting for options whose colours are still unchecked. @throws OptionError `color-invalid` */
function settingOf(name: EffectName, given: EffectSetting<EffectName>, what: string): Setting {
  if (given === false) return OFF;
  const options: Record<string, unknown> = {};
  const values = effectDefaults(name).flatMap(([key, byDefault]) => {
    const value = (given as Options)[key] ?? byDefault;
    // The page may change its own list later. The copy is frozen, because a write to it would have no effect.
    options[key] = Array.isArray(value) ? Object.freeze([...value]) : value;
    if (typeof byDefault === 'number') return [value as number];
    return parseColor(what, `effects.${name}.${key}`, value as string).slice(0, 3);
  });
  return { state: EffectState.on, options, values };
}
