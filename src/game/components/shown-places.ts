import type { StreamWriter } from '../../core/streams/stream.js';
import { reserveAligned } from '../../proxy/aligned-record.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { ROTATION } from '../../proxy/motion/motion.js';
import { PLACE_POSITIONS, PLACE_ROTATIONS, PLACE_SCALES, PLACE_WORDS } from '../../proxy/place-record.js';
import { TRANSFORM_NUMBERS, type TransformArray } from '../../proxy/transform-array.js';

/** Places per record, an even number. 1450 × 11 words, and some small records, fit in one page of 16,384 words. */
const PLACES_PER_RECORD = 1450;

/** Index of the scale among the ten numbers of a transform. */
const SCALE = ROTATION + 4;

/** Scratch arrays: the ten numbers of one place. */
const numbers = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
const stored = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);

/** Views of a whole record's places, so that one call copies each of its four parts. */
interface Chunk {
  readonly nodes: Uint32Array;
  readonly positions: Float32Array;
  readonly rotations: Float32Array;
  readonly scales: Float32Array;
}

/**
 * The numbers of all places of an `InstancesComponent` as the render side shows them. `touch` copies the page's
 * arrays, so that tasks may write them again at once. `send` copies the touched places into records.
 *
 *   page's arrays ── touch ──► shown │ 0 … 1449 │ 1450 … 2899 │ …      records, each of a chunk's touched places
 *                              dirty │ 1 1 1 1  │ 0 0 1 0     │ …      one byte per place
 *                                      └ all: copied by views └ some: copied one by one
 *
 * The page checks and normalizes nothing. The render thread does both (`NodeHierarchy.setPlaces`).
 */
export class ShownPlaces {
  /** Node ids by place, while the component is in a world. */
  nodes = new Uint32Array(0);
  #positions = new Float32Array(0);
  #rotations = new Float32Array(0);
  #scales = new Float32Array(0);
  #dirty = new Uint8Array(0);
  /** Number of dirty places by chunk. */
  #dirtyCounts = new Uint32Array(0);
  #chunks: Chunk[] = [];

  /** Bytes of the arrays. */
  get byteLength(): number {
    const numbers = this.#positions.byteLength + this.#rotations.byteLength + this.#scales.byteLength;
    return this.nodes.byteLength + numbers + this.#dirty.byteLength;
  }

  /** Changes the number of places. The places that stay keep their nodes, numbers and dirty marks. */
  resize(count: number): void {
    this.nodes = resized(this.nodes, new Uint32Array(count));
    this.#positions = resized(this.#positions, new Float32Array(count * 3));
    this.#rotations = resized(this.#rotations, new Float32Array(count * 4));
    this.#scales = resized(this.#scales, new Float32Array(count * 3));
    this.#dirty = resized(this.#dirty, new Uint8Array(count));
    this.#dirtyCounts = new Uint32Array(Math.ceil(count / PLACES_PER_RECORD));
    this.#chunks = [];
    for (let place = 0; place < count; place++)
      if (this.#dirty[place]) this.#dirtyCounts[Math.floor(place / PLACES_PER_RECORD)]++;
  }

  /** Per touch: copies the numbers of the places from `first` to `end` − 1, and marks these places. */
  touch(
    first: number,
    end: number,
    positions: Float32Array,
    rotations: Float32Array,
    scales: Float32Array,
  ): void {
    if (end - first === this.nodes.length) {
      this.#positions.set(positions);
      this.#rotations.set(rotations);
      this.#scales.set(scales);
      this.markAll();
      return;
    }
    // Loops allocate nothing, in contrast to views of a part of each array.
    copy(positions, this.#positions, first * 3, end * 3);
    copy(rotations, this.#rotations, first * 4, end * 4);
    copy(scales, this.#scales, first * 3, end * 3);
    for (let place = first; place < end; place++) this.mark(place);
  }

  mark(place: number): void {
    if (this.#dirty[place] === 1) return;
    this.#dirty[place] = 1;
    this.#dirtyCounts[Math.floor(place / PLACES_PER_RECORD)]++;
  }

  markAll(): void {
    this.#dirty.fill(1);
    for (let chunk = 0; chunk < this.#dirtyCounts.length; chunk++)
      this.#dirtyCounts[chunk] = this.#lengthOf(chunk);
  }

  /** Per frame: writes the marked places. Their nodes must have been sent before. */
  send(writer: StreamWriter): void {
    for (let chunk = 0; chunk < this.#dirtyCounts.length; chunk++) {
      const count = this.#dirtyCounts[chunk] as number;
      if (count === 0) continue;
      this.#dirtyCounts[chunk] = 0;
      const isWhole = count === this.#lengthOf(chunk);
      if (isWhole && count % 2 === 0) this.#writeWhole(writer, chunk, count);
      else this.#writeSome(writer, chunk, count);
    }
  }

  /** Writes the numbers of a place to `out`. The rotation is not normalized. */
  read(place: number, out: TransformArray, index: number): void {
    this.#load(place, numbers);
    out.write(index, numbers);
  }

  /** Sets a place to a transform of `from`. Rounds the position to 32 bits. Marks nothing. */
  write(place: number, from: TransformArray, index: number): void {
    from.read(index, numbers);
    for (let axis = 0; axis < 3; axis++) {
      this.#positions[place * 3 + axis] = numbers[axis] as number;
      this.#scales[place * 3 + axis] = numbers[SCALE + axis] as number;
    }
    for (let part = 0; part < 4; part++)
      this.#rotations[place * 4 + part] = numbers[ROTATION + part] as number;
  }

  /** Returns whether a place has the numbers that `write` would give it. */
  isSame(place: number, from: TransformArray, index: number): boolean {
    from.read(index, numbers);
    this.#load(place, stored);
    for (let number = 0; number < TRANSFORM_NUMBERS; number++)
      if (stored[number] !== Math.fround(numbers[number] as number)) return false;
    return true;
  }

  /** Writes the ten numbers of a place to `out`. */
  #load(place: number, out: Float64Array): void {
    for (let axis = 0; axis < 3; axis++) {
      out[axis] = this.#positions[place * 3 + axis] as number;
      out[SCALE + axis] = this.#scales[place * 3 + axis] as number;
    }
    for (let part = 0; part < 4; part++) out[ROTATION + part] = this.#rotations[place * 4 + part] as number;
  }

  #lengthOf(chunk: number): number {
    return Math.min(PLACES_PER_RECORD, this.nodes.length - chunk * PLACES_PER_RECORD);
  }

  #writeWhole(writer: StreamWriter, chunk: number, count: number): void {
    const first = chunk * PLACES_PER_RECORD;
    this.#dirty.fill(0, first, first + count);
    const { nodes, positions, rotations, scales } = this.#chunkAt(chunk);
    const at = reserveAligned(writer, RenderOpcode.nodePlaces, count * PLACE_WORDS);
    const { words, floats } = writer;
    words.set(nodes, at);
    floats.set(positions, at + count * PLACE_POSITIONS);
    floats.set(rotations, at + count * PLACE_ROTATIONS);
    floats.set(scales, at + count * PLACE_SCALES);
  }

  #chunkAt(chunk: number): Chunk {
    const first = chunk * PLACES_PER_RECORD;
    const end = first + this.#lengthOf(chunk);
    this.#chunks[chunk] ??= {
      nodes: this.nodes.subarray(first, end),
      positions: this.#positions.subarray(first * 3, end * 3),
      rotations: this.#rotations.subarray(first * 4, end * 4),
      scales: this.#scales.subarray(first * 3, end * 3),
    };
    return this.#chunks[chunk];
  }

  /** Writes the marked places of a chunk. */
  #writeSome(writer: StreamWriter, chunk: number, count: number): void {
    const size = count + (count % 2);
    let node = reserveAligned(writer, RenderOpcode.nodePlaces, size * PLACE_WORDS);
    const end = node + size;
    let position = node + size * PLACE_POSITIONS;
    let rotation = node + size * PLACE_ROTATIONS;
    let scale = node + size * PLACE_SCALES;
    const { words, floats } = writer;
    for (let place = chunk * PLACES_PER_RECORD; node < end; place++) {
      if (this.#dirty[place] === 0) continue;
      words[node++] = this.nodes[place] as number;
      const from = place * 3;
      floats[position++] = this.#positions[from] as number;
      floats[position++] = this.#positions[from + 1] as number;
      floats[position++] = this.#positions[from + 2] as number;
      floats[scale++] = this.#scales[from] as number;
      floats[scale++] = this.#scales[from + 1] as number;
      floats[scale++] = this.#scales[from + 2] as number;
      for (let part = place * 4; part < place * 4 + 4; part++)
        floats[rotation++] = this.#rotations[part] as number;
      // The last of an odd number of places is written twice.
      if (count % 2 === 1 && node === end - 1) place--;
      else this.#dirty[place] = 0;
    }
  }
}

function copy(from: Float32Array, to: Float32Array, first: number, end: number): void {
  for (let index = first; index < end; index++) to[index] = from[index] as number;
}

function resized<T extends Uint8Array | Uint32Array | Float32Array>(from: T, to: T): T {
  to.set(from.subarray(0, to.length));
  return to;
}
