/**
 * A font of two characters, as bytes of a TrueType file with the tables COLR (version 0) and CPAL. 'A' is a square in
 * the text's colour. 😀 has a red left half and a blue right half. Tests draw emoji in this font, so that they don't
 * depend on the machine's fonts.
 *
 *   glyph 0  .notdef, empty    1  😀, drawn as 2 in red and 3 in blue    2  left half    3  right half    4  A
 */

const UNITS = 1000;
/** Advance of a glyph. Squares reach from the baseline to `TOP`. */
const ADVANCE = 800;
const TOP = 800;

/** Packs big-endian fields, each with its type: `['u16', 3]`. */
function pack(fields) {
  const sizes = { u8: 1, u16: 2, i16: 2, u32: 4, u64: 8 };
  const bytes = new Uint8Array(fields.reduce((sum, [type]) => sum + sizes[type], 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [type, value] of fields) {
    if (type === 'u8') view.setUint8(at, value);
    else if (type === 'u16') view.setUint16(at, value);
    else if (type === 'i16') view.setInt16(at, value);
    else if (type === 'u32') view.setUint32(at, value);
    else view.setBigUint64(at, BigInt(value));
    at += sizes[type];
  }
  return bytes;
}

const u16 = (...values) => values.map((value) => ['u16', value]);
const i16 = (...values) => values.map((value) => ['i16', value]);
const u32 = (...values) => values.map((value) => ['u32', value]);

function concat(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Pads bytes to whole words. */
const padded = (bytes) => concat([bytes, new Uint8Array((4 - (bytes.length % 4)) % 4)]);

/** Returns a glyph of one rectangle: four points on the curve, clockwise. */
function rectangle(left, right) {
  return padded(
    pack([
      ...i16(1, left, 0, right, TOP),
      ...u16(3, 0),
      ...[1, 1, 1, 1].map((flag) => ['u8', flag]),
      // Each point is relative to the previous one, x then y.
      ...i16(left, 0, right - left, 0),
      ...i16(0, TOP, 0, -TOP),
    ]),
  );
}

function checksum(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

/** Returns the font's bytes. @returns {Uint8Array<ArrayBuffer>} */
export function colorFontBytes() {
  const glyphs = [
    new Uint8Array(0),
    rectangle(0, ADVANCE),
    rectangle(0, ADVANCE / 2),
    rectangle(ADVANCE / 2, ADVANCE),
    rectangle(0, ADVANCE),
  ];
  /** Offset of each glyph, and the end of the last one. */
  const offsets = [0];
  for (const glyph of glyphs) offsets.push(offsets.at(-1) + glyph.length);
  const name = [...'Tiny'].flatMap((letter) => u16(letter.charCodeAt(0)));
  const tables = {
    COLR: pack([
      ...u16(0, 1),
      ...u32(14, 20),
      ...u16(2),
      // Base glyph 1: two layers from index 0 on. Layers: glyph and colour.
      ...u16(1, 0, 2),
      ...u16(2, 0, 3, 1),
    ]),
    CPAL: pack([
      ...u16(0, 2, 1, 2),
      ...u32(14),
      ...u16(0),
      // Blue, green, red, alpha.
      ...[0, 0, 255, 255, 255, 0, 0, 255].map((value) => ['u8', value]),
    ]),
    'OS/2': pack([
      ...u16(4),
      ...i16(ADVANCE),
      ...u16(400, 5, 0),
      ...i16(...new Array(10).fill(100)),
      ...i16(0),
      ...new Array(10).fill(['u8', 0]),
      ...u32(0, 0, 0, 0, 0x54494e59),
      ...u16(0x40, 0x41, 0xffff),
      ...i16(TOP, -200, 0),
      ...u16(TOP, 200),
      ...u32(1, 0),
      ...i16(500, 700),
      ...u16(0, 32, 1),
    ]),
    cmap: pack([
      ...u16(0, 1, 3, 10),
      ...u32(12),
      // Format 12: groups of characters, each with its first glyph.
      ...u16(12, 0),
      ...u32(16 + 24, 0, 2),
      ...u32(0x41, 0x41, 4),
      ...u32(0x1f600, 0x1f600, 1),
    ]),
    glyf: concat(glyphs),
    head: pack([
      ...u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5),
      ...u16(3, UNITS),
      ['u64', 0],
      ['u64', 0],
      ...i16(0, 0, ADVANCE, TOP),
      ...u16(0, 8),
      ...i16(2, 1, 0),
    ]),
    hhea: pack([
      ...u32(0x00010000),
      ...i16(TOP, -200, 0),
      ...u16(ADVANCE),
      ...i16(0, 0, ADVANCE, 1, 0, 0, 0, 0, 0, 0, 0),
      ...u16(5),
    ]),
    hmtx: pack([0, 0, 0, ADVANCE / 2, 0].flatMap((bearing) => [...u16(ADVANCE), ...i16(bearing)])),
    loca: pack(u32(...offsets)),
    maxp: pack([...u32(0x00010000), ...u16(5, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: pack([
      ...u16(0, 4, 6 + 4 * 12),
      ...[1, 2, 4, 6].flatMap((id) => u16(3, 1, 0x409, id, name.length * 2, 0)),
      ...name,
    ]),
    post: pack([...u32(0x00030000, 0), ...i16(-100, 50), ...u32(0, 0, 0, 0, 0)]),
  };
  const names = Object.keys(tables).sort();
  let offset = 12 + 16 * names.length;
  const records = [];
  for (const tag of names) {
    const bytes = padded(tables[tag]);
    records.push(
      ...[...tag].map((letter) => ['u8', letter.charCodeAt(0)]),
      ...u32(checksum(bytes), offset, tables[tag].length),
    );
    offset += bytes.length;
  }
  const powers = 2 ** Math.floor(Math.log2(names.length));
  const header = [
    ...u32(0x00010000),
    ...u16(names.length, powers * 16, Math.log2(powers), (names.length - powers) * 16),
  ];
  return concat([pack([...header, ...records]), ...names.map((tag) => padded(tables[tag]))]);
}
