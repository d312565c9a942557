/**
 * Replays a render pass that stays the same from frame to frame as a render bundle, invisibly: a hundredth of the
 * cost of its draws. The pass's records are compared with those of the frame before, word for word.
 *
 *   frame 1   keep the words while executing them
 *   frame 2   compare ─ all the same ─► encode a bundle from the words, execute it
 *   frame 3   compare ─ all the same ─► execute the bundle
 *   frame 4   compare ─ word 900 differs ─► execute the records before it from the words kept, go on as in frame 1
 *
 *      begin ─► prologue ─► compare ──► replay ─► end of the pass
 *                   │          └──────► catch up ─┐
 *                   └─► keep ◄────────────────────┘      any of them waits where the stream has no more yet
 *
 * A pass that keeps changing is left alone for 2, 4 … 64 frames between two attempts, so that a different visible
 * set every frame costs next to nothing. When a bundle holds: `encoded-bundle.ts`. `executeBundles` clears the pass's
 * state, so only a run that lasts to the pass's end is replayed; what may precede it (viewport, scissor, blend
 * constant, stencil reference) is executed each frame, and may change.
 */
import { isPageCursor, type PageCursor } from '../../core/stream.js';
import type { RenderPassDescriptor } from '../commands/descriptors.js';
import { isPrologue } from '../commands/record-kinds.js';
import { LONGEST_WAIT, PassAttempts } from '../record/pass-attempts.js';
import { executePassCommand } from './complete/pass-commands.js';
import { type EncodedBundle, encodeBundle, fitsPass, isCurrent } from './encoded-bundle.js';
import type { ExecutorParts } from './extension.js';
import { PassRun } from './pass-run.js';
import { RunExecutor } from './run-executor.js';

/** Below this, comparing and `executeBundles` cost about what the draws do. */
export const LEAST_DRAWS = 200;

type Phase =
  | 'idle'
  /** Executing what may precede the run. */
  | 'prologue'
  /** Keeping the records while executing them. */
  | 'keep'
  /** Comparing the stream with the words kept. Nothing of the run has been executed yet. */
  | 'compare'
  /** Executing words kept, up to `#end`; then `#afterwards`. */
  | 'execute';

/** What is known of the n-th render pass of a frame. */
class Place extends PassAttempts {
  readonly run = new PassRun();
  /** The run is a whole pass's, and worth a bundle. */
  isKept = false;
  bundle: EncodedBundle | null = null;

  override fail(): void {
    super.fail();
    this.isKept = false;
    this.bundle = null;
  }
}

export class PassBundles {
  readonly #parts: ExecutorParts;
  readonly #reader: PageCursor | null;
  readonly #leastDraws: number;
  readonly #execution: GPURenderBundle[] = [];
  #places: Place[] = [];
  #list = -1;
  #next = 0;

  // The pass being executed
  #phase: Phase = 'idle';
  #place = new Place();
  #source: RenderPassDescriptor | undefined;
  /** Words of the run that the stream was found equal to. */
  #position = 0;
  #executed = 0;
  #end = 0;
  #afterwards: Phase = 'idle';

  /** @param leastDraws of a pass that is worth a bundle */
  constructor(parts: ExecutorParts, leastDraws = LEAST_DRAWS) {
    this.#leastDraws = leastDraws;
    const { reader } = parts.options;
    this.#parts = parts;
    parts.runs ??= new RunExecutor(parts.pass, parts.resources);
    this.#reader = isPageCursor(reader) ? reader : null;
  }

  /** A render pass has begun. False when the rest of it must arrive first: then `resume` goes on. */
  begin(source: RenderPassDescriptor): boolean {
    const { resources, submitted } = this.#parts;
    if (submitted.value !== this.#list) {
      this.#list = submitted.value;
      this.#places.length = Math.min(this.#places.length, this.#next);
      this.#next = 0;
    }
    let place = this.#places[this.#next];
    if (place === undefined) {
      place = new Place();
      this.#places[this.#next] = place;
    }
    this.#next++;
    // While a pipeline is pending, `setGraphicsPipeline` may have to wait.
    if (this.#reader === null || resources.pendingPipelines > 0) return true;
    if (place.wait > 0) {
      place.wait--;
      return true;
    }
    this.#place = place;
    this.#source = source;
    this.#phase = 'prologue';
    return this.resume();
  }

  /** Goes on with the pass. True when the executor's loop has the next record; false when it has not arrived. */
  resume(): boolean {
    const reader = this.#reader;
    if (reader === null) return true;
    while (this.#phase !== 'idle') {
      if (this.#phase === 'execute') this.#execute(reader);
      else if (reader.cursor === reader.used && !reader.turnPage()) return false;
      else if (this.#phase === 'compare') this.#compare(reader);
      else if (this.#phase === 'keep') this.#keep(reader);
      else if (!this.#executePrologue(reader)) return false;
    }
    return true;
  }

  #executePrologue(reader: PageCursor): boolean {
    const opcode = (reader.words[reader.cursor] as number) & 0xff;
    if (isPrologue[opcode] === 1) {
      if (!reader.next()) return false;
      executePassCommand(reader, this.#parts);
      return true;
    }
    this.#position = 0;
    if (this.#place.isKept) {
      this.#phase = 'compare';
    } else {
      this.#place.run.clear();
      this.#phase = 'keep';
    }
    return true;
  }

  /** One page of it. */
  #keep(reader: PageCursor): void {
    const place = this.#place;
    const { run } = place;
    const from = run.length;
    const isWhole = run.take(reader);
    let afterwards: Phase = 'keep';
    if (isWhole) {
      afterwards = 'idle';
      place.isKept = run.draws >= this.#leastDraws && run.isBalanced;
      if (!place.isKept) place.wait = LONGEST_WAIT;
      this.#leaveEnd(reader, run);
    } else if (reader.cursor < reader.used) {
      // A record that no bundle can hold.
      afterwards = 'idle';
      place.wait = LONGEST_WAIT;
    }
    this.#executeRun(from, isWhole ? run.startOf(run.length - 1) : run.length, afterwards);
  }

  /** One page of it. */
  #compare(reader: PageCursor): void {
    const place = this.#place;
    const { run } = place;
    const count = run.countEqual(this.#position, reader);
    this.#position += count;
    reader.cursor += count;
    if (this.#position === run.length) {
      this.#replay(reader);
      return;
    }
    const start = run.startOf(this.#position);
    if (reader.cursor === reader.used && start === this.#position) return;
    reader.cursor -= this.#position - start;
    // The first time the rest is kept at once; a pass that differs again is left alone for a while.
    const isFirst = place.failures === 0;
    place.fail();
    if (isFirst) {
      place.wait = 0;
      run.truncate(start);
    }
    this.#executeRun(0, start, isFirst ? 'keep' : 'idle');
  }

  /** All words are the same, those of the pass's end as well. */
  #replay(reader: PageCursor): void {
    const place = this.#place;
    const { pass, resources } = this.#parts;
    const isNew = place.bundle === null;
    const source = this.#source as RenderPassDescriptor;
    const bundle = place.bundle ?? encodeBundle(place.run, source, this.#parts);
    if (bundle === null || !fitsPass(bundle, source, resources) || !isCurrent(bundle, resources)) {
      // Something lacks, or what the bundle names has changed.
      place.fail();
      this.#leaveEnd(reader, place.run);
      this.#executeRun(0, place.run.startOf(place.run.length - 1), 'idle');
      return;
    }
    place.bundle = bundle;
    if (!isNew) place.failures = 0;
    this.#phase = 'idle';
    pass.drawCalls += bundle.drawCalls;
    pass.instances += bundle.instances;
    this.#execution[0] = bundle.gpu;
    pass.render?.executeBundles(this.#execution);
    pass.end();
  }

  /** The executor's own loop ends the pass. */
  #leaveEnd(reader: PageCursor, run: PassRun): void {
    reader.cursor -= run.length - run.startOf(run.length - 1);
  }

  #executeRun(from: number, end: number, afterwards: Phase): void {
    this.#executed = from;
    this.#end = end;
    this.#afterwards = afterwards;
    this.#phase = 'execute';
  }

  /** What a record throws is thrown, for the executor to report; the next call goes on behind it. */
  #execute(reader: PageCursor): void {
    const { run } = this.#place;
    try {
      run.execute(this.#parts, this.#executed, this.#end);
    } catch (error) {
      this.#executed = run.cursor;
      reader.opcode = run.opcode;
      throw error;
    }
    this.#phase = this.#afterwards;
  }
}
