/**
 * A row of the table of commands: where the command may be recorded, which context records it, and its fields. All code
 * that derives from rows works with any table: `one-command-more.test.ts` adds a command as a single row and executes
 * it.
 */
import type { RecordTable } from '../../core/records/record-table.js';
import type { CommandFields } from './fields.js';

/** Scopes of a list that can allow a command, as bits. */
export const Scope = { outside: 1, renderPass: 2, computePass: 4, bundle: 8 } as const;

/** Combinations of scopes, by the names that rows use. */
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
  /** Fields in wire order. A field with an attachment comes first. */
  readonly fields: Fields;
  /** The least capable queue that can execute the command. Default: any queue, `copy` included. */
  readonly queue?: 'graphics' | 'compute';
  /** The only context that can record the command. Default: any context. */
  readonly context?: 'immediate';
  /** The command is recorded per draw. Its writer and its case in the executor's loop are written by hand. */
  readonly isHot?: true;
  readonly isDraw?: true;
  /** The command returns data that the GPU has written, so its frame must not skip draws. */
  readonly readsBack?: true;
  /** The executor submits everything recorded so far before it executes this command. */
  readonly endsSubmission?: true;
  /**
   * Field names in the order of the call's arguments, if that differs from the wire order. Created handles are left
   * out.
   */
  readonly parameters?: readonly string[];
  /** Type of the context method that is generated from this row. A command without it has a hand-written method. */
  readonly call?: (...args: never[]) => unknown;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/**
 * Returns a value with the type of a generated method. At run time, the value only marks that the row has a
 * method.
 */
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
