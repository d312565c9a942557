import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import type { Page } from '../../core/streams/page.js';
import { RhiOpcode } from '../../rhi/commands/commands.js';
import { type PassBindings, type RunCommands, recordRuns } from '../draws/record-runs.js';
import type { DrawArrays } from './draw-arrays.js';

/** The index format, as a word of the command. */
const UINT32 = 1;

/**
 * Records commands into one page after the other, in the format of `CommandContext`. It supports only the six
 * commands that passes consist of, so helpers load no code for other commands. It is created once and
 * allocates nothing per sub-list.
 */
class SubListContext implements RunCommands {
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;

  begin({ words }: Page): void {
    this.#words = words;
    this.#at = 0;
  }

  finish(page: Page): void {
    page.usedWords = this.#at;
  }

  setGraphicsPipeline(pipeline: number): void {
    this.#write(RhiOpcode.setGraphicsPipeline, 1, pipeline);
  }

  /** Records a bind group without dynamic offsets. */
  setBindGroup(groupIndex: number, bindGroup: number): void {
    this.#write(RhiOpcode.setBindGroup, 3, groupIndex, bindGroup);
  }

  setVertexBuffer(slot: number, buffer: number, byteOffset: number, byteLength: number): void {
    this.#write(RhiOpcode.setVertexBuffer, 4, slot, buffer, byteOffset, byteLength);
  }

  setIndexBuffer(buffer: number, _format: 'uint32', byteOffset: number, byteLength: number): void {
    this.#write(RhiOpcode.setIndexBuffer, 4, buffer, UINT32, byteOffset, byteLength);
  }

  draw(vertexCount: number, instanceCount: number, firstVertex: number, firstInstance: number): void {
    this.#write(RhiOpcode.draw, 4, vertexCount, instanceCount, firstVertex, firstInstance);
  }

  drawIndexed(
    indexCount: number,
    instanceCount: number,
    firstIndex: number,
    baseVertex: number,
    firstInstance: number,
  ): void {
    this.#write(RhiOpcode.drawIndexed, 5, indexCount, instanceCount, firstIndex, baseVertex, firstInstance);
  }

  /** Writes a record. The next record overwrites the words after its end. */
  #write(opcode: number, fieldWords: number, a: number, b = 0, c = 0, d = 0, e = 0): void {
    const words = this.#words;
    const at = this.#at;
    words[at] = opcode | ((fieldWords + 1) << HEADER_LENGTH_SHIFT);
    words[at + 1] = a;
    words[at + 2] = b;
    words[at + 3] = c;
    words[at + 4] = d;
    words[at + 5] = e;
    this.#at = at + fieldWords + 1;
  }
}

/**
 * Records one sub-list of a pass (SYSTEMS H5): the draws of at most `RUNS_PER_LIST` runs. The draws follow those of
 * the previous sub-list, whose state is still set. All sub-lists together have the records that `MeshPass`
 * records on one thread.
 *
 *   runs       0 … 511        512 … 1023      1024 …
 *   sub-lists  bindings, │    │ state where it differs from run 511 …
 */
export class SubListRecorder {
  readonly #context = new SubListContext();
  readonly #thread: number;

  /** @param thread 0: the render thread; helpers are numbered from 1 */
  constructor(thread: number) {
    this.#thread = thread;
  }

  record(
    arrays: DrawArrays,
    list: number,
    runCount: number,
    runsPerList: number,
    bindings: PassBindings,
  ): void {
    const context = this.#context;
    const page = arrays.page(this.#thread, list);
    context.begin(page);
    const first = list * runsPerList;
    const end = Math.min(first + runsPerList, runCount);
    recordRuns(context, arrays.ranks, arrays.runs, first, end, bindings);
    context.finish(page);
    arrays.setUsed(this.#thread, list, page.usedWords);
  }
}
