/**
 * Remembers render passes that were found sound, so that a pass that is the same as in the frame before costs a
 * comparison of its words. When a verdict holds: `kept-pass.ts`. The n-th pass of a list is compared with the n-th of
 * the list before.
 *
 *   frame 1   check each record, keep its words
 *   frame 2   compare ─ all the same ─► sound
 *   frame 3   compare ─ word 900 differs ─► sound up to there; the checks take in the words kept, and go on
 *
 *      begin ─► prologue ─► compare ──► whole ─► idle
 *                   │          └──────► catch up ─┐
 *                   └─► keep ◄────────────────────┘
 *
 * A pass that keeps changing is left alone for 2, 4 … 64 lists between two attempts. What may precede the run
 * (viewport, scissor, blend constant, stencil reference) is checked each time, and may change.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import { isPrologue } from '../commands/record-kinds.js';
import { LONGEST_WAIT, PassAttempts } from '../record/pass-attempts.js';
import { canBeKept, KeptPass, type WordRun } from './kept-pass.js';
import type { RecordCheck } from './record-check.js';
import { PassKind } from './state.js';

/** Below this, checking costs about what comparing does. */
const LEAST_WORDS = 256;
/** Passes of a list that are remembered. Outside of frames a list has no end. */
const MOST_PLACES = 256;

type Phase = 'idle' | 'prologue' | 'keep' | 'compare';

/** What is known of the n-th render pass of a list. */
class Place extends PassAttempts {
  readonly kept = new KeptPass();
  isSettled = false;

  override fail(): void {
    super.fail();
    this.isSettled = false;
  }
}

export class PassMemo {
  /** Passes so far that were sound because the words were. */
  hits = 0;
  readonly #check: RecordCheck;
  readonly #leastWords: number;
  #places: Place[] = [];
  #list = -1;
  #next = 0;
  #phase: Phase = 'idle';
  #place = new Place();
  /** Words kept that the stream was found equal to. */
  #position = 0;

  /** @param leastWords of a pass that is worth it */
  constructor(check: RecordCheck, leastWords = LEAST_WORDS) {
    this.#check = check;
    this.#leastWords = leastWords;
  }

  /** The pass's words are compared: none is looked at before `compare` has had it. */
  get isComparing(): boolean {
    return this.#phase === 'compare';
  }

  /** A render pass was begun and found fine. */
  begin(): void {
    const { list } = this.#check.state;
    if (list !== this.#list) {
      this.#list = list;
      this.#places.length = Math.min(this.#places.length, this.#next);
      this.#next = 0;
    }
    this.#phase = 'idle';
    if (this.#next === MOST_PLACES) return;
    let place = this.#places[this.#next];
    if (place === undefined) {
      place = new Place();
      this.#places[this.#next] = place;
    }
    this.#next++;
    this.#place = place;
    if (place.wait > 0) place.wait--;
    else this.#phase = 'prologue';
  }

  /** Before the pass's next record is looked at. */
  meet(opcode: number): void {
    if (this.#phase !== 'prologue' || isPrologue[opcode] === 1) return;
    const { kept, isSettled } = this.#place;
    this.#position = 0;
    if (!isSettled) this.#keepFrom(0);
    else if (kept.isSoundIn(this.#check.state)) this.#phase = 'compare';
    else this.#fail(0);
  }

  /** Records from `from` to `to` were found sound. */
  keep(words: Uint32Array, from: number, to: number): void {
    if (this.#phase === 'keep') this.#place.kept.append(words, from, to);
  }

  /** A record that was looked at by itself. @param isFine it goes on, and nothing was put before it */
  keepOne(isFine: boolean, opcode: number, words: Uint32Array, from: number, to: number): void {
    if (this.#phase === 'prologue' && isFine && isPrologue[opcode] === 1) return;
    if (this.#phase !== 'keep' || !isFine || !canBeKept(opcode)) {
      this.abandon();
      return;
    }
    const place = this.#place;
    const { kept } = place;
    kept.append(words, from, to);
    if (opcode !== RhiOpcode.endRenderPass) return;
    this.#phase = 'idle';
    place.isSettled = kept.length >= this.#leastWords && kept.settle(this.#check.state);
    if (!place.isSettled) place.wait = LONGEST_WAIT;
  }

  /** Something in the pass is wrong, or can't be kept. */
  abandon(): void {
    if (this.#phase === 'idle') return;
    this.#phase = 'idle';
    this.#place.wait = LONGEST_WAIT;
    this.#place.isSettled = false;
  }

  /**
   * Compares what is left of a page with what was kept. When they differ, the state is then as if all before had been
   * looked at.
   * @returns words from the cursor on that are sound: whole records
   */
  compare(run: WordRun): number {
    const place = this.#place;
    const { kept } = place;
    const count = kept.countEqual(this.#position, run);
    const position = this.#position + count;
    if (position === kept.length) {
      this.#finish();
      return count;
    }
    const start = kept.startOf(position);
    if (run.cursor + count === run.used && start === position) {
      this.#position = position;
      return count;
    }
    this.#catchUp(start);
    this.#fail(start);
    return count - (position - start);
  }

  /** The first time the rest is kept at once; a pass that differs again is left alone for a while. */
  #fail(position: number): void {
    const place = this.#place;
    const isFirst = place.failures === 0;
    place.fail();
    this.#phase = 'idle';
    if (!isFirst) return;
    place.wait = 0;
    this.#keepFrom(position);
  }

  #keepFrom(position: number): void {
    this.#place.kept.length = position;
    this.#phase = 'keep';
  }

  /** All words are the same, those of the pass's end as well. */
  #finish(): void {
    const { state } = this.#check;
    const place = this.#place;
    this.hits++;
    this.#phase = 'idle';
    place.failures = 0;
    place.kept.noteUse(state.list);
    state.pass.kind = PassKind.none;
  }

  /** Looks at the words kept, for the state that they leave; they are sound. */
  #catchUp(to: number): void {
    const { words } = this.#place.kept;
    const floats = new Float32Array(words.buffer);
    for (let at = 0; at < to; ) {
      const fieldWords = (words[at] >>> HEADER_LENGTH_SHIFT) - 1;
      this.#check.isFine({ opcode: words[at] & 0xff, words, floats, fields: at + 1, fieldWords });
      at += 1 + fieldWords;
    }
  }
}
