/**
 * Writers of records that consist of words. Called per draw, so they allocate nothing. Each length has a function of
 * its own, because one function for all lengths takes more than twice as long per record.
 *
 *   write3(writer, opcode, a, b, c)   ──►  | header | a | b | c |
 */
import type { StreamWriter } from '../../core/streams/stream.js';

export function write1(writer: StreamWriter, opcode: number, a: number): void {
  const index = writer.reserve(opcode, 1);
  writer.words[index] = a;
}

export function write3(writer: StreamWriter, opcode: number, a: number, b: number, c: number): void {
  const index = writer.reserve(opcode, 3);
  const { words } = writer;
  words[index] = a;
  words[index + 1] = b;
  words[index + 2] = c;
}

export function write4(
  writer: StreamWriter,
  opcode: number,
  a: number,
  b: number,
  c: number,
  d: number,
): void {
  const index = writer.reserve(opcode, 4);
  const { words } = writer;
  words[index] = a;
  words[index + 1] = b;
  words[index + 2] = c;
  words[index + 3] = d;
}

export function write5(
  writer: StreamWriter,
  opcode: number,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
): void {
  const index = writer.reserve(opcode, 5);
  const { words } = writer;
  words[index] = a;
  words[index + 1] = b;
  words[index + 2] = c;
  words[index + 3] = d;
  words[index + 4] = e;
}
