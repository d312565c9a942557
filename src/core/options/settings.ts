/**
 * The settings of an object, by name, like Unreal's console variables (SYSTEMS R18). In a table of options, every row
 * with a description is a setting. A row within an object is a setting with dots in its name.
 *
 *   exposure: changeable('factor on all light …', byDefault(numberFrom(1e-6, 1e6), 1))
 *      ├─► get('exposure'), set('exposure', 2)     checked by the row, then read and written by the owner
 *      ├─► watch('exposure', (value) => …)         after the change, in a microtask
 *      └─► list(), toString()                      name, value, values, default, description
 */
import { OptionError } from '../errors.js';
import { checkMember, type Member, type Shape } from './member.js';
import { guessOf, shownValue } from './shown-value.js';

/** A setting, with its current value. */
export interface Setting {
  /** Name of the setting; dots separate the names of objects: `effects.vignette.amount`. */
  readonly name: string;
  readonly value: unknown;
  /** `null`: the machine or the window decides. `undefined`: the setting has no default. */
  readonly default: unknown;
  readonly description: string;
  /** Valid values, as text: `1e-6 to 1e6`. */
  readonly values: string;
  /** Least and greatest number; `null` for values without such limits. */
  readonly range: readonly [least: number, most: number] | null;
  /** Valid words; `null` for values without such a list. */
  readonly words: readonly string[] | null;
  /** Whether the setting can change at any time; otherwise it is fixed at the owner's creation. */
  readonly isChangeable: boolean;
}

/** The owner of settings. */
interface SettingsOwner {
  /** Expression that names the settings in errors: `engine.settings`. */
  readonly what: string;
  /** Returns the current value of a setting. */
  readonly read: (name: string, row: Member) => unknown;
  /** Sets a checked value. */
  readonly write: (name: string, value: unknown) => void;
  /** Returns the remedy for the error of a fixed setting: a sentence that names the place where its value is given. */
  readonly remedyOf: (name: string) => string;
  /** Receives errors of listeners. */
  readonly reportError: (error: unknown) => void;
}

type Listener = (value: unknown) => void;

interface Watched {
  /** The value that the listeners know, as text. */
  known: string;
  readonly listeners: Set<Listener>;
}

export class Settings {
  readonly #owner: SettingsOwner;
  readonly #rows: ReadonlyMap<string, Member>;
  readonly #watched = new Map<string, Watched>();
  #isNotifying = false;

  /** @internal */
  constructor(table: Shape, owner: SettingsOwner) {
    this.#owner = owner;
    this.#rows = new Map(rowsOf(table, ''));
  }

  /** Returns the current value. @throws OptionError `option-unknown` */
  get(name: string): unknown {
    return this.#owner.read(name, this.#rowOf(name));
  }

  /**
   * Sets a setting that can change at any time.
   * @throws OptionError `option-unknown`; `setting-fixed` if the setting is fixed at creation; `option-invalid`,
   *   `option-out-of-range` or `color-invalid` for the value
   */
  set(name: string, value: unknown): void {
    const { what, write, remedyOf } = this.#owner;
    const row = this.#rowOf(name);
    if (!row.isChangeable) {
      throw new OptionError('setting-fixed', `${name} of ${what} can't be set. ${remedyOf(name)}`);
    }
    // If the default is null, the value null lets the machine or the window decide.
    if (value !== null || row.default !== null) checkMember(what, name, value, row);
    write(name, value);
  }

  /** Returns the setting with its range, description and current value. @throws OptionError `option-unknown` */
  describe(name: string): Setting {
    const row = this.#rowOf(name);
    return {
      name,
      value: this.#owner.read(name, row),
      default: row.default,
      description: row.description ?? '',
      values: valuesOf(row),
      range: row.range ?? null,
      words: row.words ?? null,
      isChangeable: row.isChangeable === true,
    };
  }

  /** Returns all settings, in the order of their table. */
  list(): readonly Setting[] {
    return Array.from(this.#rows.keys(), (name) => this.describe(name));
  }

  /**
   * Calls `listener` with the new value after each change, by any code. Several changes in one turn of the event loop
   * cause one call. An error that the listener throws is reported.
   * @returns a function that ends the calls
   * @throws OptionError `option-unknown`
   */
  watch(name: string, listener: (value: unknown) => void): () => void {
    const known = textOf(this.get(name));
    let watched = this.#watched.get(name);
    if (!watched) {
      watched = { known, listeners: new Set() };
      this.#watched.set(name, watched);
    }
    const { listeners } = watched;
    // Wrap the listener in a new function, so that the same function can watch twice.
    const own: Listener = (value) => listener(value);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#watched.get(name)?.listeners === listeners)
        this.#watched.delete(name);
    };
  }

  /** Returns all settings as a table with one line per setting: `console.log(`${engine.settings}`)`. */
  toString(): string {
    const lines = this.list().map(({ name, value, values, isChangeable, description }) => [
      name,
      textOf(value),
      values,
      isChangeable ? 'any time' : 'creation',
      description,
    ]);
    lines.unshift(['setting', 'value', 'values', 'set', 'meaning']);
    const widths = [0, 1, 2, 3].map((column) =>
      lines.reduce((widest, line) => Math.max(widest, (line[column] as string).length), 0),
    );
    return lines
      .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
      .join('\n');
  }

  /** @internal Called after, or in the same turn as, a change of any setting. */
  changed(): void {
    if (this.#isNotifying || this.#watched.size === 0) return;
    this.#isNotifying = true;
    queueMicrotask(() => this.#notify());
  }

  #notify(): void {
    this.#isNotifying = false;
    for (const [name, watched] of this.#watched) {
      const value = this.get(name);
      const text = textOf(value);
      if (text === watched.known) continue;
      watched.known = text;
      for (const listener of watched.listeners) {
        try {
          listener(value);
        } catch (error) {
          this.#owner.reportError(error);
        }
      }
    }
  }

  #rowOf(name: string): Member {
    const row = this.#rows.get(name);
    if (row) return row;
    const names = [...this.#rows.keys()];
    throw new OptionError(
      'option-unknown',
      `${this.#owner.what} has no setting ${shownValue(name)}.${guessOf(String(name), names)} It has ${names.join(', ')}.`,
    );
  }
}

function* rowsOf(table: Shape, prefix: string): Iterable<[string, Member]> {
  for (const [key, row] of Object.entries(table)) {
    const name = prefix + key;
    if (row.description !== undefined) yield [name, row];
    if (row.shape) yield* rowsOf(row.shape, `${name}.`);
  }
}

/** Returns the valid values of a row as text. */
function valuesOf({ range, words, remedy, default: byDefault }: Member): string {
  const values = range ? range.map(shownNumber).join(' to ') : (words?.join(', ') ?? remedy);
  return byDefault === null && !remedy.includes('null') ? `${values}, or null` : values;
}

/** Returns the number as text: large and small powers of ten with an exponent, such as `1e-6`. */
const shownNumber = (number: number): string =>
  Math.abs(Math.log10(number)) > 3 && Math.log10(number) % 1 === 0
    ? `1e${Math.log10(number)}`
    : String(number);

/** Returns text that is equal for equal values. Effects and lists are compared by their contents. */
const textOf = (value: unknown): string => JSON.stringify(value) ?? String(value);
