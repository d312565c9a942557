import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { grownLength } from '../../core/memory/grow.js';
import { type CommandList, markRecorded } from '../../rhi/record/command-list.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DrawRanks } from '../draws/draw-ranks.js';
import type { PassRecorder } from '../draws/pass-section.js';
import { type PassBindings, RANK_WORDS, RUN_WORDS } from '../draws/record-runs.js';
import { DrawArrays, RUNS_PER_LIST } from './draw-arrays.js';
import { type LoopHelpers, LoopKind, RecordArgument } from './helper-loops.js';
import type { RangeLoop, RangeTask } from './range-loop.js';
import { MOST_RANGES, RangeWord } from './range-memory.js';
import { SubListRecorder } from './sub-list-recorder.js';

/**
 * Minimum number of draws for recording a pass with helpers, by number of helpers. Sharing runs and appending records
 * takes the render thread more than half of the time that recording alone takes. So one helper never saves time
 * (docs/architecture/decisions.md, 27).
 */
const LEAST_DRAWS = [Infinity, Infinity, 24_576, 12_288, 6_144];
export const leastDraws = (helpers: number): number =>
  LEAST_DRAWS[Math.min(helpers, LEAST_DRAWS.length - 1)] as number;

/** Number of requests by other passes after which a pass that no longer records loses the memory. */
const MOST_OTHER_REQUESTS = 16;

/**
 * Records the draws of a pass on the render thread and its helpers, each with a deferred context. Then the render
 * thread executes the sub-lists in order (SYSTEMS H4, H5, R13).
 *
 *   openSubList × n
 *   runs of the pass ─► shared memory ─┬─► list 0: render thread ─┐
 *                                      ├─► list 1: helper 2       ├─► executeSubLists: the same bytes as from one thread
 *                                      └─► list 2: render thread ─┘
 *
 * The ranks of draws rarely change. They are copied to shared memory once they have stayed the same for a
 * frame. One pass at a time owns that memory, usually the pass with thousands of draws. Passes whose draws
 * stay the same execute bundles and record nothing.
 */
export class SubLists implements PassRecorder, RangeTask {
  readonly #helpers: LoopHelpers;
  readonly #loop: RangeLoop;
  readonly #words: Int32Array;
  readonly #events: EventRing;
  readonly #recorder = new SubListRecorder(0);
  readonly #bindings = { frameGroup: 0, attributes: 0 };
  /** All lists that were opened so far. They are opened again for each pass. */
  readonly #known: CommandList[] = [];
  /** The lists of the current pass: the first of `#known`. */
  readonly #lists: CommandList[] = [];
  #arrays: DrawArrays | null = null;
  #memories = 0;
  /** Ranks of the pass that owns the memory; `#version` is their version. */
  #owner: DrawRanks | null = null;
  #otherRequests = 0;
  #version = -1;
  #isWritten = false;
  #runs = 0;
  #runsPerList = RUNS_PER_LIST;

  constructor(helpers: LoopHelpers, loop: RangeLoop, events: EventRing) {
    this.#helpers = helpers;
    this.#loop = loop;
    this.#words = new Int32Array(helpers.memory);
    this.#events = events;
  }

  record(
    rhi: ImmediateContext,
    ranks: DrawRanks,
    runs: Uint32Array,
    runCount: number,
    { frameGroup, attributes }: PassBindings,
  ): boolean {
    const { recordingTasks, takers } = this.#helpers;
    const least = recordingTasks > 0 ? 1 : leastDraws(takers);
    if (runCount < least || runCount > MOST_RANGES * RUNS_PER_LIST) return false;
    if (!this.#isOwner(ranks)) return false;
    if (ranks.version !== this.#version) {
      this.#version = ranks.version;
      this.#isWritten = false;
      return false;
    }
    const began = this.#events.begin(TimelineEvent.loop, 0);
    const arrays = this.#reserve(ranks.count, runCount);
    if (!this.#isWritten) arrays.ranks.set(ranks.words.subarray(0, ranks.count * RANK_WORDS));
    this.#isWritten = true;
    arrays.runs.set(runs.subarray(0, runCount * RUN_WORDS));
    this.#runs = runCount;
    const runsPerList =
      recordingTasks > 0 ? Math.min(RUNS_PER_LIST, Math.ceil(runCount / recordingTasks)) : RUNS_PER_LIST;
    this.#runsPerList = runsPerList;
    const words = this.#words;
    const at = RangeWord.arguments;
    this.#bindings.frameGroup = words[at + RecordArgument.frameGroup] = frameGroup;
    this.#bindings.attributes = words[at + RecordArgument.attributes] = attributes;
    words[at + RecordArgument.kind] = LoopKind.record;
    words[at + RecordArgument.runs] = runCount;
    words[at + RecordArgument.runsPerList] = runsPerList;
    const lists = Math.ceil(runCount / runsPerList);
    this.#open(rhi, lists);
    this.#loop.run(lists, this);
    rhi.executeSubLists(this.#lists);
    this.#events.end(TimelineEvent.loop, 0, began, this.#loop.helped);
    return true;
  }

  run(index: number): void {
    const arrays = this.#arrays as DrawArrays;
    const list = this.#lists[index] as CommandList;
    this.#recorder.record(arrays, index, this.#runs, this.#runsPerList, this.#bindings, list);
  }

  collect(index: number, helper: number): void {
    const page = (this.#arrays as DrawArrays).recordedPage(helper, index);
    markRecorded(this.#lists[index] as CommandList, page);
  }

  /** Opens the lists of a pass. Allocates nothing unless a pass has more lists than all passes before. */
  #open(rhi: ImmediateContext, count: number): void {
    const known = this.#known;
    const lists = this.#lists;
    for (let index = 0; index < count; index++) {
      const list = known[index];
      if (list) rhi.reopenSubList(list);
      else known.push(rhi.openSubList('draws'));
      lists[index] = known[index] as CommandList;
    }
    lists.length = count;
  }

  #isOwner(ranks: DrawRanks): boolean {
    if (this.#owner === ranks) {
      this.#otherRequests = 0;
      return true;
    }
    if (this.#owner && ++this.#otherRequests < MOST_OTHER_REQUESTS) return false;
    this.#owner = ranks;
    this.#otherRequests = 0;
    this.#version = -1;
    return true;
  }

  /** Replaces the shared memory if it is too small, and sends the new memory to the helpers. */
  #reserve(ranks: number, runs: number): DrawArrays {
    const arrays = this.#arrays;
    if (arrays && arrays.rankCount >= ranks && arrays.runCount >= runs) return arrays;
    const { count, recordingTasks, share } = this.#helpers;
    const rankCount = grownLength(0, Math.max(ranks, arrays?.rankCount ?? 0));
    const fullLists = Math.ceil(grownLength(arrays?.runCount ?? 0, runs) / RUNS_PER_LIST);
    const runCount = fullLists * RUNS_PER_LIST;
    // With `recordingTasks`, there are at most that many lists, unless even full lists do not suffice.
    const lists = Math.max(fullLists, recordingTasks);
    const threads = count + 1;
    const buffer = new SharedArrayBuffer(DrawArrays.bytes(rankCount, runCount, lists, threads));
    this.#arrays = new DrawArrays(buffer, rankCount, runCount, lists, threads);
    this.#isWritten = false;
    this.#words[RangeWord.arguments + RecordArgument.draws] = ++this.#memories;
    share({ kind: 'draws', number: this.#memories, buffer, rankCount, runCount, lists, threads });
    return this.#arrays;
  }
}
