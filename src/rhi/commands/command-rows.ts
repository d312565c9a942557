/**
 * A row of the table of commands: where the command may stand, which context records it, and its fields. A table with
 * other rows works with everything that derives from rows (`command-facts.test.ts` adds a command and shows it).
 */
import type { RecordTable } from '../../core/records/record-table.js';
import type { CommandFields } from './fields.js';

/** Bits: parts of a list. */
export const Place = { outside: 1, renderPass: 2, computePass: 4, bundle: 8 } as const;

/** Where a command may stand, in words. */
export const PLACES = {
  'outside passes': Place.outside,
  'render passes': Place.renderPass,
  'compute passes': Place.computePass,
  'render passes and bundles': Place.renderPass | Place.bundle,
  'passes and bundles': Place.renderPass | Place.computePass | Place.bundle,
  anywhere: Place.outside | Place.renderPass | Place.computePass,
  'anywhere and bundles': Place.outside | Place.renderPass | Place.computePass | Place.bundle,
} as const;

export interface CommandRow<Fields extends CommandFields = CommandFields> {
  readonly place: keyof typeof PLACES;
  /** In wire order; an attachment comes first. */
  readonly fields: Fields;
  /** The least queue that can do it. Default: any, `copy` too. */
  readonly queue?: 'graphics' | 'compute';
  /** Only the immediate context records it. Default: any context. */
  readonly context?: 'immediate';
  /** Recorded per draw: its writer and its place in the executor's loop are written by hand. */
  readonly isHot?: true;
  readonly isDraw?: true;
  /** Somebody gets what the GPU has written: its frame skips nothing. */
  readonly readsBack?: true;
  /** What is recorded so far is submitted before it. */
  readonly endsSubmission?: true;
  /** Fields in the order of the call's arguments, where that is not the wire's. Without what the command creates. */
  readonly parameters?: readonly string[];
  /** The type of the context's method that is made from the row. Absent: recorded by code of its own. */
  readonly call?: (...args: never[]) => unknown;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/** Gives a row the type of its method; at run time it is only a mark that there is one. */
export function call<Call extends (...args: never[]) => unknown>(): Call {
  return (() => {}) as unknown as Call;
}

type WireFields<Fields extends CommandFields> = { readonly [Name in keyof Fields]: Fields[Name]['wire'] };

/** The fields of each command as they are encoded. */
export type WireTable<Rows extends CommandRows> = {
  readonly [Name in keyof Rows]: WireFields<Rows[Name]['fields']>;
};

export type CommandTable<Rows extends CommandRows> = RecordTable<WireTable<Rows>>;

export function wireFields<Rows extends CommandRows>(rows: Rows): WireTable<Rows> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, { fields }]) => [
      name,
      Object.fromEntries(Object.entries(fields).map(([field, { wire }]) => [field, wire])),
    ]),
  ) as WireTable<Rows>;
}
