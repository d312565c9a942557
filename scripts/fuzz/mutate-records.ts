/**
 * Changes lists of records as an attacker, a bug or a bad cable might. It changes words, whole records, and the JSON in
 * records. Most changes keep the headers valid, because an invalid header ends the stream and hides later records.
 *
 *   words    flip · add · handles of others · extremes         records   drop · repeat · swap · move · insert · cut
 *   JSON     a member's value becomes another type             headers   opcode · length · attachment bit
 *   the records inside a draw bundle: like records
 */
import { HEADER_LENGTH_SHIFT } from '../../src/core/records/record-table.js';
import { RhiOpcode, rhiCommands } from '../../src/rhi/commands/commands.js';
import { POISON_WORD } from './hostile-pages.js';
import { pick, type Random } from './random.js';

const EXTREMES = [
  0, 1, 2, 3, 4, 7, 8, 15, 16, 32, 255, 256, 0x7fff, 0xffff, 0x10000, 0x7fffff, 0x7fffffff, 0x80000000,
  0xfffffffc, 0xffffffff, 0x7fc00000, 0x7f800000, 0x41e00000,
];
const JSON_CHARACTERS = '0123456789{}[]",:-.eEntfabc\\u\0';
const JSON_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  0.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 31),
  1e308,
  '',
  'x',
  'rgba8unorm',
  'depth24plus',
  'bc1-rgba-unorm',
  '__proto__',
  [],
  {},
  [null],
  [[]],
  [{}],
  { length: 1e9 },
  { toString: null },
];
const LARGEST_INSERTED = 12;

/** Word index of the JSON field of each command; −1 when there is none, or its place varies. */
const jsonFields = rhiCommands.names.map((name) => {
  const types = name ? (Object.values(rhiCommands.fields[name]) as string[]) : [];
  const index = types.indexOf('json');
  return types.slice(0, Math.max(0, index)).some((type) => type === 'string' || type === 'bytes')
    ? -1
    : index;
});

/** Returns a copy of the records with some changes. */
export function mutateRecords(
  records: readonly Uint32Array[],
  random: Random,
  others: readonly Uint32Array[],
): Uint32Array[] {
  const changed = [...records];
  for (let count = random(6); count >= 0; count--) {
    if (changed.length === 0) changed.push(randomRecord(random));
    changeOnce(changed, random, others);
  }
  for (const record of changed) {
    const poison = record.indexOf(POISON_WORD);
    if (poison >= 0) record[poison] = 0;
  }
  return changed;
}

function changeOnce(records: Uint32Array[], random: Random, others: readonly Uint32Array[]): void {
  const at = random(records.length);
  const record = (records[at] as Uint32Array).slice();
  const isBundle = ((record[0] as number) & 0xff) === RhiOpcode.createDrawBundle;
  if (isBundle && random(2) === 0) {
    records[at] = changeBundle(record, random, others);
    return;
  }
  switch (random(16)) {
    case 0:
      records.splice(at, 1 + random(3));
      return;
    case 1:
      records.splice(at, 0, record);
      return;
    case 2:
      records[at] = records[(at + 1) % records.length] as Uint32Array;
      records[(at + 1) % records.length] = record;
      return;
    case 3:
      records.splice(at, 1);
      records.splice(random(records.length + 1), 0, record);
      return;
    case 4:
      records.splice(at, 0, randomRecord(random));
      return;
    case 5:
      records.splice(at, 0, pick(random, others).slice());
      return;
    case 6:
      records[at] = cut(record, random);
      return;
    case 7:
      if (random(3) === 0) changeHeader(record, random);
      else record[0] = ((record[0] as number) & ~0xff) | (1 + random(rhiCommands.names.length - 1));
      break;
    case 8:
    case 9:
    case 10:
      records[at] = changeJson(record, random);
      return;
    case 11:
      changeText(record, random);
      break;
    default:
      changeWord(record, random, records);
  }
  records[at] = record;
}

function changeWord(record: Uint32Array, random: Random, records: readonly Uint32Array[]): void {
  if (record.length < 2) return;
  // The first fields are handles, offsets and lengths; later fields are mostly data.
  const at = 1 + random(random(3) === 0 ? record.length - 1 : Math.min(5, record.length - 1));
  const word = record[at] as number;
  switch (random(6)) {
    case 0:
      record[at] = word ^ (1 << random(32));
      break;
    case 1:
      record[at] = word + random(9) - 4;
      break;
    case 2:
      record[at] = pick(random, EXTREMES);
      break;
    case 3:
      record[at] = random(2 ** 32);
      break;
    case 4: // another kind, generation or slot
      record[at] = word + pick(random, [1, 16, 1 << 14, -1, -16, -(1 << 14)]);
      break;
    default: {
      const other = pick(random, records);
      record[at] = other[1 + random(3)] ?? 0;
    }
  }
}

/** Writes a wrong opcode, length or attachment bit into a header. */
function changeHeader(record: Uint32Array, random: Random): void {
  const header = record[0] as number;
  const length = header >>> HEADER_LENGTH_SHIFT;
  switch (random(3)) {
    case 0:
      record[0] = header ^ 0x100;
      break;
    case 1:
      record[0] = (header & 0x1ff) | (((length + random(7) - 3) & 0x7fffff) << HEADER_LENGTH_SHIFT);
      break;
    default:
      record[0] = random(2 ** 32);
  }
}

/** Returns a shorter or longer copy of the record, with a matching header. */
function cut(record: Uint32Array, random: Random): Uint32Array {
  const length = Math.max(1, random(4) === 0 ? record.length + random(4) : random(record.length));
  const shorter = new Uint32Array(length);
  shorter.set(record.subarray(0, length));
  shorter[0] = ((record[0] as number) & 0x1ff) | (length << HEADER_LENGTH_SHIFT);
  return shorter;
}

/** Changes the records in a bundle, and adapts the bundle's header and count. */
function changeBundle(record: Uint32Array, random: Random, others: readonly Uint32Array[]): Uint32Array {
  const first = 4 + (((record[2] ?? 0) + 3) >>> 2);
  const inner: Uint32Array[] = [];
  for (let at = first; at < record.length; ) {
    const end = at + Math.max(1, (record[at] as number) >>> HEADER_LENGTH_SHIFT);
    inner.push(record.slice(at, end));
    at = end;
  }
  if (first > record.length) return record;
  // Inserted records mostly come from the bundle itself, because other records rarely pass the first check.
  const changed = mutateRecords(inner, random, random(4) === 0 || inner.length === 0 ? others : inner);
  const words = changed.flatMap((one) => [...one]);
  const longer = Uint32Array.from([...record.subarray(0, first), ...words]);
  longer[first - 1] = words.length;
  longer[0] = ((record[0] as number) & 0x1ff) | (longer.length << HEADER_LENGTH_SHIFT);
  return longer;
}

function changeText(record: Uint32Array, random: Random): void {
  if (record.length < 2) return;
  const bytes = new Uint8Array(record.buffer, record.byteOffset + 4, record.byteLength - 4);
  for (let count = random(3); count >= 0; count--) {
    bytes[random(bytes.length)] = JSON_CHARACTERS.charCodeAt(random(JSON_CHARACTERS.length));
  }
}

function randomRecord(random: Random): Uint32Array {
  const record = new Uint32Array(1 + random(LARGEST_INSERTED));
  for (let at = 1; at < record.length; at++) {
    record[at] = random(2) === 0 ? pick(random, EXTREMES) : random(0x8000);
  }
  record[0] = (1 + random(rhiCommands.names.length - 1)) | (record.length << HEADER_LENGTH_SHIFT);
  return record;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Changes one member of the descriptor or all of it, and adapts the record's length. Without one, changes a word. */
function changeJson(record: Uint32Array, random: Random): Uint32Array {
  const field = jsonFields[(record[0] as number) & 0xff] ?? -1;
  const at = 1 + field;
  const byteLength = record[at] as number;
  if (field < 0 || at >= record.length || byteLength > (record.length - at - 1) * 4) {
    changeWord(record, random, [record]);
    return record;
  }
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(new Uint8Array(record.buffer, (at + 1) * 4, byteLength)));
  } catch {
    return record;
  }
  const json = encoder.encode(textOf(changeValue(value, random), random));
  const end = at + 1 + ((byteLength + 3) >>> 2);
  const tail = record.subarray(end);
  const words = (json.length + 3) >>> 2;
  const longer = new Uint32Array(at + 1 + words + tail.length);
  longer.set(record.subarray(0, at));
  longer[at] = json.length;
  new Uint8Array(longer.buffer, (at + 1) * 4, json.length).set(json);
  longer.set(tail, at + 1 + words);
  longer[0] = ((record[0] as number) & 0x1ff) | (longer.length << HEADER_LENGTH_SHIFT);
  return longer;
}

/** Placeholder for deeply nested arrays, which recursive code cannot print. */
const DEEP = '(deep)';

function textOf(value: unknown, random: Random): string {
  const text = JSON.stringify(value);
  if (!text.includes(DEEP)) return text;
  const depth = random(8) === 0 ? 10_000 : random(200);
  return text.replace(`"${DEEP}"`, '['.repeat(depth) + ']'.repeat(depth));
}

function changeValue(value: unknown, random: Random): unknown {
  const isInner = typeof value === 'object' && value !== null;
  const keys = isInner ? Object.keys(value) : [];
  if (keys.length === 0 || random(6) === 0) return newValue(value, random);
  const key = pick(random, keys);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  const member = copy[key];
  switch (random(8)) {
    case 0:
      delete copy[key];
      break;
    case 1:
      copy[`${key}s`] = member;
      break;
    default:
      copy[key] = changeValue(member, random);
  }
  return copy;
}

function newValue(value: unknown, random: Random): unknown {
  if (typeof value === 'number' && random(2) === 0)
    return value + pick(random, [1, -1, 16, -16, 1 << 14, 2 ** 32]);
  if (random(40) === 0) return DEEP;
  return pick(random, JSON_VALUES);
}

/**
 * Distributes the list over pages: one page, a page per record, or a random number of records per page, each in a third
 * of the cases. With a page per record, every end of a record is the end of a page.
 */
export function paginate(records: readonly Uint32Array[], random: Random): Uint32Array[][] {
  const whole = records.filter((record) => record.length > 0);
  switch (random(3)) {
    case 0:
      return whole.map((record) => [record]);
    case 1: {
      const pages: Uint32Array[][] = [];
      for (let at = 0; at < whole.length; ) {
        const count = 1 + random(whole.length);
        pages.push(whole.slice(at, at + count));
        at += count;
      }
      return pages;
    }
    default:
      return whole.length > 0 ? [whole] : [];
  }
}
