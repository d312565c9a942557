/**
 * A row of the table of commands: where the command may stand, which context records it, and its fields. A table with
 * other rows works with everything that derives from rows (`command-info.test.ts` adds a command and shows it).
 */
import type { RecordTable } from '../../core/records/record-table.js';
import type { CommandFields } from './fields.js';

/** Bits: where a command of a list stands, among passes and bundles. */
export const Scope = { outside: 1, renderPass: 2, computePass: 4, bundle: 8 } as const;

/** Where a command may stand, in words. */
export const SCOPES = {
  'outside passes': Scope.outside,
  'render passes': Scope.renderPass,
  'compute passes': Scope.computePass,
  'render passes and bundles': Scope.renderPass | Scope.bundle,
  'passes and bundles': Scope.renderPass | Scope.computePass | Scope.bundle,
  anywhere: Scope.outside | Scope.renderPass | Scope.computePass,
  'anywhere and bundles': Scope.outside | Scope.renderPass | Scope.computePass | Scope.bundle,
} as const;

export interface CommandRow<Fields extends CommandFields = CommandFields> {
  readonly scope: keyof typeof SCOPES;
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
