import type { RecordFields, RecordTable } from './record-table.js';

/** Declares the records of a stream. The order of the entries fixes their opcodes. */
export function defineRecordTable<const T extends Readonly<Record<string, RecordFields>>>(
  name: string,
  fields: T,
): RecordTable<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const opcodes = Object.fromEntries(names.map((key, index) => [key, index + 1])) as {
    [K in keyof T]: number;
  };
  return { name, opcodes, names: ['' as keyof T & string, ...names], fields };
}
