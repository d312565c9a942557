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
import type { ColorTable, TableData } from '../../proxy/color-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  EFFECT_NAMES,
  type EffectActor,
  type EffectName,
  type EffectOptions,
  type EffectSetting,
  EffectState,
  effectRows,
  effectsOption,
  isActors,
  isTable,
} from '../../proxy/effects.js';
import { parseColor } from '../materials/color.js';
import { SentActors } from './sent-actors.js';

/** Options of an effect that is on. Each option can be set by itself. */
type ShownOptions<Name extends EffectName> = {
  -readonly [Option in keyof EffectOptions<Name>]: EffectOptions<Name>[Option];
};
/** The values to which an effect can be set. An effect reads as `false`, or as all its options. */
type ShownEffect<Name extends EffectName> = boolean | ShownOptions<Name>;
/** All effects by name. Each effect can be set by itself. */
export type Effects = { [Name in EffectName]: ShownEffect<Name> };
/** Effects of a view by name. An effect that is `undefined` is taken from the engine. */
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
  /** Table of colours among the options. */
  readonly table?: ColorTable | undefined;
  /** Actors among the options. */
  readonly actors?: readonly EffectActor[] | undefined;
}

/** Values of a colour without default that was not set. */
const MISSING_COLOR = [Number.NaN, Number.NaN, Number.NaN];

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
  /** Tables that the stream has. */
  readonly #sentTables = new Map<EffectName, ColorTable>();
  /** Actors of the effects that are on and have any. */
  readonly #actors: SentActors[] = [];

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
   * Sets all effects. Missing effects become unset.
   * @param what the function to which the page has passed the effects, for messages
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
    this.#sentTables.clear();
    for (const name of EFFECT_NAMES) if (this.#settings[name] !== this.#unset) this.#dirty.add(name);
  }

  /** Per change: writes changed effects. @param view id of a view, or NO_ID for all views */
  write(writer: StreamWriter, view: number): void {
    if (this.#dirty.size === 0) return;
    for (const name of this.#dirty) {
      const { state, values, table } = this.#settings[name];
      if (table !== this.#sentTables.get(name)) this.#writeTable(writer, view, name, table);
      const at = writer.reserve(RenderOpcode.setEffect, 4 + values.length);
      const { words, floats } = writer;
      words[at] = view;
      words[at + 1] = EFFECT_NAMES.indexOf(name);
      words[at + 2] = state;
      words[at + 3] = values.length;
      floats.set(values, at + 4);
    }
    this.#followActors();
    this.sendActors(writer, view);
    this.#dirty.clear();
  }

  /** Whether actors of an effect have to be sent when they enter or leave a world. */
  get hasActors(): boolean {
    return this.#actors.length > 0;
  }

  /** Per frame: sends the actors of effects again if one of them has entered or left a world. */
  sendActors(writer: StreamWriter, view: number): void {
    for (let index = 0; index < this.#actors.length; index++) this.#actors[index]?.send(writer, view);
  }

  /** Adopts the actors of changed effects. */
  #followActors(): void {
    for (const name of this.#dirty) {
      const { actors } = this.#settings[name];
      const index = this.#actors.findIndex(({ effect }) => effect === name);
      if (index >= 0) this.#actors.splice(index, 1);
      if (actors) this.#actors.push(new SentActors(name, actors));
    }
  }

  /** Sends the table of an effect before the effect. Without a table, forgets which table the stream has. */
  #writeTable(writer: StreamWriter, view: number, name: EffectName, table: ColorTable | undefined): void {
    if (table) this.#sentTables.set(name, table);
    else this.#sentTables.delete(name);
    if (!table) return;
    const { size, isCube, least, most, texels }: TableData = table.data;
    const image = writer.attach(texels.slice().buffer);
    const at = writer.reserveWithAttachment(RenderOpcode.setEffectTable, 11);
    const { words, floats } = writer;
    words[at] = image;
    words[at + 1] = view;
    words[at + 2] = EFFECT_NAMES.indexOf(name);
    words[at + 3] = size;
    words[at + 4] = isCube ? 1 : 0;
    floats.set(least, at + 5);
    floats.set(most, at + 8);
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
  let table: ColorTable | undefined;
  let actors: readonly EffectActor[] | undefined;
  const values = effectRows(name).flatMap(([key, row]) => {
    const value = (given as Options)[key] ?? row.default;
    // The page may change its own list later. The copy is frozen, because a write to it would have no effect.
    options[key] = Array.isArray(value) ? Object.freeze([...value]) : value;
    if (isTable(row)) {
      table = value as ColorTable | undefined;
      return [table ? 1 : 0];
    }
    if (isActors(row)) {
      actors = options[key] as readonly EffectActor[];
      return [];
    }
    if (typeof row.default === 'number') return [value as number];
    if (typeof row.default === 'boolean') return [value ? 1 : 0];
    if (value === undefined) return MISSING_COLOR;
    // Levels have a range, and colours none.
    if (row.range) return typeof value === 'number' ? [value, value, value] : (value as number[]);
    return parseColor(what, `effects.${name}.${key}`, value as string).slice(0, 3);
  });
  return { state: EffectState.on, options, values, table, actors };
}
