/**
 * A member describes one value of an options object or a descriptor. A table of members by name declares the whole
 * object: its type, its check and its defaults derive from the table.
 *
 *   const OPTIONS = { label: text(), count: optional(whole()), isWaiting: byDefault(boolean(), false) };
 *
 *     Shaped<typeof OPTIONS>    { label: string; count?: number; isWaiting?: boolean }     options of the caller
 *     Filled<typeof OPTIONS>    { label: string; count: number | undefined; isWaiting: boolean }
 *     checkOptions('open', options, OPTIONS)     isWaiting of open is 1; it has to be true or false.
 */
import { OptionError } from '../errors.js';
import { shownValue } from './shown-value.js';

export interface Member<Value = unknown> {
  readonly accepts: (value: unknown) => value is Value;
  /** Describes a valid value, in the words of an error. */
  readonly remedy: string;
  /** Code of the error. Default `option-invalid`. */
  readonly code?: string;
  /**
   * Returns a sentence that guesses the mistake, or an empty text. The sentence begins with a space, because it is
   * appended to the error.
   */
  readonly hint?: (value: unknown) => string;
  /** Returns the whole message of the error, instead of "… is …; it has to be …." */
  readonly message?: (subject: string, value: unknown) => string;
  /** A member that is checked first. If it rejects the value, its error is thrown. `accepts` includes its check. */
  readonly first?: Member;
  /** True if the remedy describes the meaning of the number, without saying that it must be whole. */
  readonly isExplained?: boolean;
  readonly isOptional?: true;
  /** True if the option is a property as well. Its setter then checks the value, and names the owner in errors. */
  readonly isProperty?: true;
  /** Meaning of the value, as a phrase. `Settings` lists the members that have one. */
  readonly description?: string;
  /** True if the value can change while its owner is in use, by the property of the same name. */
  readonly isChangeable?: true;
  /** Value that replaces a missing one. */
  readonly default?: unknown;
  /** Allowed words. */
  readonly words?: readonly string[];
  /** Least and greatest number, both included. */
  readonly range?: readonly [least: number, most: number];
  /** Kind of the resource that a handle refers to. */
  readonly kind?: number;
  /** The member that describes each item of a list. */
  readonly item?: Member;
  /** Table for the members of an object. */
  readonly shape?: Shape;
  /**
   * Alternative tables for the members of an object. Each table is named after a member that only this table
   * has.
   */
  readonly choices?: Readonly<Record<string, Shape>>;
}

/** A table: descriptions of the members of an object, by name. */
export type Shape = Readonly<Record<string, Member>>;

export type Optional = { readonly isOptional: true };
export type Defaulted<Value> = Optional & { readonly default: Value };
export type ValueOf<M> = M extends Member<infer Value> ? Value : never;
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** The objects that a table allows. */
export type Shaped<S extends Shape> = Flat<
  { [Name in keyof S as S[Name] extends Optional ? never : Name]: ValueOf<S[Name]> } & {
    [Name in keyof S as S[Name] extends Optional ? Name : never]?: ValueOf<S[Name]>;
  }
>;

/** The objects that a table allows, with all defaults filled in. */
export type Filled<S extends Shape> = {
  readonly [Name in keyof S]: S[Name] extends Defaulted<infer Default>
    ? ValueOf<S[Name]> | (Default extends null ? null : never)
    : S[Name] extends Optional
      ? ValueOf<S[Name]> | undefined
      : ValueOf<S[Name]>;
};

/**
 * Returns the value if the member accepts it. It is cheap for valid values, because setters call it.
 * @param what function or object that has the value, for messages: `addCamera`, `the mesh`
 * @param name name of the value in it
 * @throws OptionError with the member's code
 */
export function checkMember<Value>(what: string, name: string, value: unknown, member: Member<Value>): Value {
  if (member.accepts(value)) return value;
  refuse(`${name} of ${what}`, value, member);
}

/**
 * Throws the error of a rejected value.
 * @param subject beginning of the message: `exposure of createEngine`
 * @throws OptionError, always
 */
export function refuse(subject: string, value: unknown, member: Omit<Member, 'accepts'>): never {
  const { first, code = 'option-invalid', remedy, hint, message } = member;
  if (first && !first.accepts(value)) refuse(subject, value, first);
  if (message) throw new OptionError(code, message(subject, value));
  throw new OptionError(
    code,
    `${subject} is ${shownValue(value)}; it has to be ${remedy}.${hint?.(value) ?? ''}`,
  );
}
