/**
 * Effects as a page sets them, of the engine or of one view: checked at once, sent with the next frame. What a page reads is a
 * proxy, so that single assignments are checked like whole ones and a misspelt name is an error.
 *
 *   engine.effects = { vignette: { amount: 0.6 } }  ─┐
 *   engine.effects.vignette = true                  ─┴─► check ─► pack ─► setEffect, once per changed effect
 */
import { checkOptions } from '../../core/options/check-options.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  EFFECT_NAMES,
  type EffectName,
  type EffectSetting,
  EffectState,
  type EffectsOptions,
  effectDefaults,
  effectsOption,
} from '../../proxy/effects.js';
import { parseColor } from '../materials/color.js';

/** Effects by name, all of them; each can be set by itself. */
export type Effects = { [Name in EffectName]: EffectSetting<Name> };
/** Effects of a view by name; `undefined`: as the engine has it. */
export type ViewEffects = { [Name in EffectName]: EffectSetting<Name> | undefined };

const TABLE = { effects: effectsOption() };

interface Setting {
  /** As it was given, copied. */
  readonly given: boolean | object | undefined;
  readonly state: EffectState;
  /** Its options, in the order of their row. */
  readonly values: readonly number[];
}

export class EffectSettings<Shown extends ViewEffects> {
  /** The object that a page reads, and assigns single effects to. */
  readonly shown: Shown;
  readonly #what: string;
  readonly #beforeChange: () => void;
  /** State of an effect that was not set. */
  readonly #unset: Setting;
  readonly #settings: Record<EffectName, Setting>;
  /** Behind `shown`. */
  readonly #given: Record<EffectName, unknown>;
  readonly #dirty = new Set<EffectName>();

  /**
   * @param what they belong to, for messages
   * @param unset value of an effect that was not set
   * @param beforeChange called before each change; where it throws, nothing changes
   */
  constructor(what: string, unset: false | undefined, beforeChange: () => void) {
    this.#what = what;
    this.#beforeChange = beforeChange;
    this.#unset = settingOf(unset);
    const byName = <Value>(value: Value) =>
      Object.fromEntries(EFFECT_NAMES.map((name) => [name, value])) as Record<EffectName, Value>;
    this.#settings = byName(this.#unset);
    this.#given = byName<unknown>(unset);
    const set = (name: string | symbol, value: unknown): true => {
      this.#apply(this.#check({ [name]: value }, this.#what));
      return true;
    };
    this.shown = new Proxy(this.#given, {
      set: (_, name, value) => set(name, value),
      deleteProperty: (_, name) => set(name, undefined),
      defineProperty: (_, name, { value }) => set(name, value),
    }) as Shown;
  }

  /**
   * Sets all effects; those that are missing become what they were at first.
   * @param what they were passed to, for messages
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`; nothing has changed then
   */
  assign(effects: object, what = this.#what): void {
    const checked = this.#check(effects, what);
    for (const name of EFFECT_NAMES) checked[name] ??= this.#unset;
    this.#apply(checked);
  }

  /** Other threads take over, which know nothing yet. */
  resend(): void {
    for (const name of EFFECT_NAMES) if (this.#settings[name] !== this.#unset) this.#dirty.add(name);
  }

  /** Per change: writes what has changed. @param view its id; NO_ID: all views */
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
    const checked: Partial<Record<EffectName, Setting>> = {};
    for (const [name, given] of Object.entries(effects) as [EffectName, EffectsOptions[EffectName]][])
      checked[name] = given === undefined ? this.#unset : settingOf(given, what, name);
    return checked;
  }

  #apply(settings: Partial<Record<EffectName, Setting>>): void {
    this.#beforeChange();
    for (const [name, setting] of Object.entries(settings) as [EffectName, Setting][]) {
      // Most effects of a page are off, and stay so when all are assigned.
      if (setting.state !== EffectState.on && setting.state === this.#settings[name].state) continue;
      this.#settings[name] = setting;
      this.#given[name] = setting.given;
      this.#dirty.add(name);
    }
  }
}

/** @param given checked but for its colours @throws OptionError `color-invalid` */
function settingOf(given: EffectsOptions[EffectName], what = '', name: EffectName = 'vignette'): Setting {
  if (given === undefined) return { given, state: EffectState.inherited, values: [] };
  if (given === false) return { given, state: EffectState.off, values: [] };
  const options = (given === true ? {} : { ...given }) as Readonly<Record<string, unknown>>;
  const values = effectDefaults(name).flatMap(([key, byDefault]) => {
    const value = options[key] ?? byDefault;
    if (typeof byDefault === 'number') return [value as number];
    return parseColor(what, `effects.${name}.${key}`, value as string).slice(0, 3);
  });
  return { given: given === true || Object.freeze(options), state: EffectState.on, values };
}
