import { OptionError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { allocateShared } from '../../tasks/arguments/allocate-shared.js';

/** Maximum number of places (instances) in a record, which has to fit in one page of 16,384 words. */
const PLACES_PER_RECORD = 3000;
/** The largest half float. The render side stores colours as half floats. */
const BRIGHTEST = 65504;

/**
 * Colours of instances. `touch` copies changed values, and only the range from the first to the last changed
 * place is sent. Places that move and keep their colours cost only a comparison.
 *
 *   values   ── touch: compare, copy ──►   shown   ── send: the range that differed ──►   render side
 */
export class InstanceColors {
  /** Linear factors on the base colour, `size` numbers per place. */
  values = new Float32Array(0);
  /** Values as of the last touch; NaN for a place that was never touched. */
  #shown = new Float32Array(0);
  /** Range of places to be sent. */
  #begin = 0;
  #end = 0;

  /** @internal @param size numbers per place: 3, or 4 with alpha */
  constructor(readonly size: number) {}

  /** @internal Returns another object with the same size and values. */
  clone(): InstanceColors {
    const copy = new InstanceColors(this.size);
    copy.values = this.values;
    return copy;
  }

  /** @internal Resizes the arrays to a number of places; new values are 1. */
  resize(count: number): void {
    const length = count * this.size;
    const { values } = this;
    this.values = allocateShared(Float32Array, length).fill(1);
    this.values.set(values.subarray(0, length));
    const shown = this.#shown;
    this.#shown = new Float32Array(length).fill(NaN);
    this.#shown.set(shown.subarray(0, length));
  }

  /** @internal Marks the colours of all places to be sent again, because the render side has none of them. */
  forget(): void {
    this.#begin = 0;
    this.#end = this.values.length / this.size;
  }

  /** @internal Per touch: copies the changed colours of a range of places. @throws OptionError `option-out-of-range` */
  touch(first: number, end: number): void {
    const { size, values } = this;
    const shown = this.#shown;
    for (let at = first * size; at < end * size; at++) {
      const value = values[at] as number;
      if (value === shown[at]) continue;
      const place = Math.floor(at / size);
      if (!(value >= 0 && value <= BRIGHTEST)) {
        throw new OptionError(
          'option-out-of-range',
          `The colors of place ${place} have ${value}; they are linear factors from 0 to ${BRIGHTEST}.`,
        );
      }
      shown[at] = value;
      if (this.#begin >= this.#end) this.#begin = this.#end = place;
      this.#begin = Math.min(this.#begin, place);
      this.#end = Math.max(this.#end, place + 1);
    }
  }

  /** @internal Per frame: sends the range of changed places. @param primitives ids by place */
  send(writer: StreamWriter, primitives: readonly number[]): void {
    const end = Math.min(this.#end, primitives.length);
    for (let begin = this.#begin; begin < end; begin += PLACES_PER_RECORD) {
      this.#write(writer, primitives, begin, Math.min(end, begin + PLACES_PER_RECORD));
    }
    this.#end = 0;
  }

  #write(writer: StreamWriter, primitives: readonly number[], begin: number, end: number): void {
    const { size } = this;
    const shown = this.#shown;
    const count = end - begin;
    let at = writer.reserve(RenderOpcode.setColors, 2 + count * 5);
    const { words, floats } = writer;
    words[at++] = count;
    for (let place = begin; place < end; place++) words[at++] = primitives[place] as number;
    words[at++] = count * 4;
    for (let place = begin; place < end; place++, at += 4) {
      floats[at + 3] = 1;
      for (let index = 0; index < size; index++) floats[at + index] = shown[place * size + index] as number;
    }
  }
}

/**
 * Returns colours for the places of `addInstances`, which multiply the material's base colour. Each call of
 * `addInstances` needs an object of its own. Only pages that import this function load its code.
 *
 * @param channels 'rgb', or 'rgba' with alpha, which takes effect with the `alphaMode` `mask` or `blend`
 * @throws OptionError `option-invalid`
 * @example
 * const trees = world.addInstances({ geometry, material, count: 2, colors: instanceColors('rgb') });
 * trees.colors.set([1, 0.2, 0.1, 0.1, 0.6, 1]);
 * trees.touch();
 */
export function instanceColors(channels: 'rgb' | 'rgba' = 'rgb'): InstanceColors {
  if (channels === 'rgb' || channels === 'rgba') return new InstanceColors(channels.length);
  throw new OptionError(
    'option-invalid',
    `instanceColors was given ${String(channels)}; the channels can be 'rgb' or 'rgba'.`,
  );
}
