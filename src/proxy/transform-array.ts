/**
 * Local transforms of nodes, packed. The page's store, `nodeTransforms` records and the render thread have the same
 * layout, so that a run of neighbours is copied in one piece.
 *
 *   word   0    2    4    6           10        13
 *        │ px   py   pz │ qx qy qz qw │ sx sy sz │ node │        14 words, 56 bytes per transform
 *          64 bits each   32 bits each             id
 *
 * Positions are doubles in metres, because a 32-bit float has steps of 3 cm at 500 km. A transform's length is a
 * multiple of eight bytes, so that every double is aligned. The last word is the node's id in the store and in records.
 */
export const TRANSFORM_WORDS = 14;
export const TRANSFORM_DOUBLES = TRANSFORM_WORDS / 2;
/** Indices of a transform's parts, in words. The position begins at 0. */
export const ROTATION_WORD = 6;
export const SCALE_WORD = 10;
export const NODE_WORD = 13;

/** Count of an unpacked transform's numbers: position xyz, rotation xyzw, scale xyz. */
export const TRANSFORM_NUMBERS = 10;

const BYTES = TRANSFORM_WORDS * 4;

/** An array of numbers that functions of time read or write. */
export type Numbers = Float32Array | Float64Array;

export class TransformArray {
  /** Three views of the same memory. `reserve` replaces them, so callers must not keep them. */
  doubles: Float64Array;
  floats: Float32Array;
  words: Uint32Array;

  /** @param capacity in transforms */
  constructor(capacity: number) {
    const memory = new ArrayBuffer(capacity * BYTES);
    this.doubles = new Float64Array(memory);
    this.floats = new Float32Array(memory);
    this.words = new Uint32Array(memory);
  }

  /** Capacity in transforms. */
  get capacity(): number {
    return this.words.length / TRANSFORM_WORDS;
  }

  /** Grows the memory to at least `capacity` transforms. New transforms have zeros only. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const { words } = this;
    const memory = new ArrayBuffer(capacity * BYTES);
    this.doubles = new Float64Array(memory);
    this.floats = new Float32Array(memory);
    this.words = new Uint32Array(memory);
    this.words.set(words);
  }

  /** Writes the ten numbers of a transform to `out`. */
  read(index: number, out: Float64Array): void {
    const { doubles, floats } = this;
    const position = index * TRANSFORM_DOUBLES;
    const at = index * TRANSFORM_WORDS;
    out[0] = doubles[position] as number;
    out[1] = doubles[position + 1] as number;
    out[2] = doubles[position + 2] as number;
    out[3] = floats[at + ROTATION_WORD] as number;
    out[4] = floats[at + ROTATION_WORD + 1] as number;
    out[5] = floats[at + ROTATION_WORD + 2] as number;
    out[6] = floats[at + ROTATION_WORD + 3] as number;
    out[7] = floats[at + SCALE_WORD] as number;
    out[8] = floats[at + SCALE_WORD + 1] as number;
    out[9] = floats[at + SCALE_WORD + 2] as number;
  }

  /** Sets a transform to ten numbers. @returns whether this changes the transform */
  write(index: number, values: ArrayLike<number>): boolean {
    const { doubles, floats } = this;
    const position = index * TRANSFORM_DOUBLES;
    const rest = index * TRANSFORM_WORDS + ROTATION_WORD;
    let hasChanged = false;
    for (let axis = 0; axis < 3; axis++) {
      const value = values[axis] as number;
      if (doubles[position + axis] === value) continue;
      doubles[position + axis] = value;
      hasChanged = true;
    }
    for (let number = 3; number < TRANSFORM_NUMBERS; number++) {
      const value = Math.fround(values[number] as number);
      const at = rest + number - 3;
      if (floats[at] === value) continue;
      floats[at] = value;
      hasChanged = true;
    }
    return hasChanged;
  }

  /** Returns whether a transform has the same bits as a transform of another array. Ids are not compared. */
  isSame(index: number, other: TransformArray, otherIndex: number): boolean {
    const { words } = this;
    const others = other.words;
    const at = index * TRANSFORM_WORDS;
    const otherAt = otherIndex * TRANSFORM_WORDS;
    for (let word = 0; word < NODE_WORD; word++)
      if (words[at + word] !== others[otherAt + word]) return false;
    return true;
  }

  /** Copies a transform from another array. The node's id is not copied. */
  copy(index: number, from: TransformArray, fromIndex: number): void {
    const target = this.words;
    const source = from.words;
    const to = index * TRANSFORM_WORDS;
    const at = fromIndex * TRANSFORM_WORDS;
    // A plain loop is fast even before V8 has compiled it. The first file may create thousands of nodes before that.
    for (let word = 0; word < NODE_WORD; word++) target[to + word] = source[at + word] as number;
  }
}
