/**
 * The records of a render pass that was found sound, and all that this verdict rests on. While that is as it was, the
 * same words in a pass of the same formats are sound again.
 *
 *   words    | setPipeline … | setBindGroup … | drawIndexed … | … | endRenderPass |      starts  0 2 6 12 …
 *   models   pipeline · group ─► buffer, texture · buffer …           alive, and declared as they were
 *
 * What else a check looks at can't change: limits, and what a record that creates says of its resource. Data of one
 * frame does, so a pass that reads such data is never kept.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import { handleKind } from '../commands/handles.js';
import { countEqual, startOf, withRoom } from '../commands/kept-words.js';
import { handleField, isBundled } from '../commands/record-kinds.js';
import { BindGroupModel, BufferModel, type Model, TextureModel } from './models.js';
import type { ValidationState } from './state.js';

/** By opcode: a record of it may be kept. */
const isKept = isBundled.slice();
isKept[RhiOpcode.endRenderPass] = 1;

/** What it does is settled by its words, the pass's formats and the models that it names. */
export const canBeKept = (opcode: number): boolean => isKept[opcode] === 1;

/** Words from `cursor` to `used`. */
export interface WordRun {
  readonly words: Uint32Array;
  readonly cursor: number;
  readonly used: number;
}

export class KeptPass {
  words = new Uint32Array(0);
  length = 0;
  /** Where each record begins, rising. */
  #starts = new Uint32Array(0);
  #signature = 0;
  #models: readonly Model[] = [];
  /** `declared` of each. */
  #declared: readonly number[] = [];
  /** Textures that its groups bind. */
  #textures: ReadonlySet<TextureModel> = new Set();

  append(words: Uint32Array, from: number, to: number): void {
    const length = this.length + to - from;
    this.words = withRoom(this.words, this.length, length);
    this.words.set(words.subarray(from, to), this.length);
    this.length = length;
  }

  /** All of the pass is in it and was found sound. False when the verdict rests on something that does not last. */
  settle(state: ValidationState): boolean {
    const starts: number[] = [];
    const models = new Set<Model>();
    for (let at = 0; at < this.length; at += this.words[at] >>> HEADER_LENGTH_SHIFT) {
      starts.push(at);
      const field = handleField[this.words[at] & 0xff];
      if (field === 0) continue;
      const handle = this.words[at + field];
      const model = state.models.tables[handleKind(handle)]?.find(handle);
      if (model !== undefined) models.add(model);
    }
    for (const model of [...models]) {
      if (!(model instanceof BindGroupModel)) continue;
      for (const { buffer } of model.buffers) models.add(buffer);
      for (const { view } of model.textures) models.add(view.texture);
    }
    this.#starts = Uint32Array.from(starts);
    this.#signature = state.pass.signature;
    this.#models = [...models];
    this.#declared = this.#models.map(({ declared }) => declared);
    this.#textures = new Set(this.#models.filter((model) => model instanceof TextureModel));
    const hasDynamicData = this.#models.some(
      (model) => model instanceof BufferModel && model.writtenInList !== null,
    );
    return !hasDynamicData && !this.#bindsAttachment(state);
  }

  /** The same words would be found sound again in the open pass. Per pass. */
  isSoundIn(state: ValidationState): boolean {
    if (this.#signature !== state.pass.signature || this.#bindsAttachment(state)) return false;
    const models = this.#models;
    for (let i = 0; i < models.length; i++) {
      const model = models[i];
      if (!model.isAlive || model.declared !== this.#declared[i]) return false;
    }
    return true;
  }

  /** As the checks note it, of all that the pass names. Per pass. */
  noteUse(list: number): void {
    for (const model of this.#models) model.usedInList = list;
  }

  /** Words from `position` on that are the same as those of the run. Per frame. */
  countEqual(position: number, { words, cursor, used }: WordRun): number {
    return countEqual(this.words, position, this.length, words, cursor, used);
  }

  /** Where the record that `position` lies in begins. */
  startOf(position: number): number {
    return startOf(this.#starts, this.#starts.length, position);
  }

  /** Then whether the two go together depends on the views, and is looked at each time. */
  #bindsAttachment({ pass }: ValidationState): boolean {
    return pass.attachments.some((texture) => this.#textures.has(texture));
  }
}
