import { EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import type { ClipData } from '../../proxy/motion/clip.js';
import type { OpenResidentLoop } from '../../tasks/shared-memory/worker-loop.js';
import { cullGroup, GROUP_WORDS } from '../culling/cull-groups.js';
import { hideWords } from '../occlusion/box-test.js';
import { DrawArrays } from './draw-arrays.js';
import {
  CullArgument,
  HideArgument,
  LoopKind,
  type MemoryMessage,
  RecordArgument,
  SampleArgument,
} from './helper-loops.js';
import { WORDS_PER_RANGE } from './hide-task.js';
import { RangeHelper } from './range-helper.js';
import { numbersOf, RangeWord } from './range-memory.js';
import { EntrySampler, SampleArrays } from './sample-arrays.js';
import { CullArrays, GROUPS_PER_RANGE } from './shared-culler.js';
import { SharedGrid } from './shared-grid.js';
import { SubListRecorder } from './sub-list-recorder.js';

/**
 * Creates the object through which a pool worker helps with the render thread's loops. `number` is the worker's number
 * in the pool. The worker writes its results into the arrays with this number.
 *
 *   render thread ── memories, in messages that the page forwards ──► hear
 *                 ══ epoch, ranges, in shared memory ═══════════════► takePart
 *
 * The worker takes no range of a loop until the loop's memory has arrived.
 */
export const openRangeLoop: OpenResidentLoop = (memory, number, eventMemory) => {
  const words = new Int32Array(memory);
  // Planes of a view, or the numbers of an occlusion grid.
  const numbers = numbersOf(memory);
  const helper = new RangeHelper(words, number);
  const ring = eventMemory && new EventRing(eventMemory);
  let isWaiting = false;
  // Views of memories are created when memories change, not per loop.
  let boundsNumber = 0;
  let arraysNumber = 0;
  let bounds: Float32Array = new Float32Array(0);
  let arrays: CullArrays | null = null;
  let visible: Uint32Array = new Uint32Array(0);
  let count = 0;
  let gridNumber = 0;
  let grid: SharedGrid | null = null;
  let drawsNumber = 0;
  let draws: DrawArrays | null = null;
  const recorder = new SubListRecorder(number);
  const bindings = { frameGroup: 0, attributes: 0 };
  let samplesNumber = 0;
  let newestClip = 0;
  let perRange = 1;
  let samples: SampleArrays | null = null;
  let values: Float32Array = new Float32Array(0);
  const clips = new Map<number, ClipData>();
  const clipOf = (clip: number): ClipData | undefined => clips.get(clip);
  const sampler = new EntrySampler();
  const hear = (data: MemoryMessage): void => {
    isWaiting = false;
    if (data.kind === 'bounds') {
      bounds = new Float32Array(data.buffer);
      boundsNumber = data.number;
    } else if (data.kind === 'grid') {
      grid = new SharedGrid(data.buffer);
      gridNumber = data.number;
    } else if (data.kind === 'draws') {
      draws = new DrawArrays(data.buffer, data.rankCount, data.runCount, data.lists, data.threads);
      drawsNumber = data.number;
    } else if (data.kind === 'samples') {
      samples = new SampleArrays(data.buffer, data.entries, data.values, data.threads);
      values = samples.valuesOf(number);
      samplesNumber = data.number;
    } else if (data.kind === 'clip') {
      const { duration } = data;
      const [tracks, floats] = [new Uint32Array(data.tracks), new Float32Array(data.floats)];
      clips.set(data.number, { duration, tracks, floats });
      newestClip = data.number;
    } else if (data.kind === 'forgetClip') clips.delete(data.number);
    else {
      arrays = new CullArrays(data.buffer, data.words);
      visible = arrays.visibleOf(number);
      arraysNumber = data.number;
    }
  };

  const cullRange = (range: number): void => {
    const { candidates, groups } = arrays as CullArrays;
    const end = Math.min((range + 1) * GROUPS_PER_RANGE, count);
    for (let index = range * GROUPS_PER_RANGE; index < end; index++) {
      cullGroup(numbers, bounds, candidates, visible, groups[index] as number, index * GROUP_WORDS);
    }
  };
  const hideRange = (range: number): void => {
    const { depths, tiles } = grid as SharedGrid;
    const { candidates } = arrays as CullArrays;
    const begin = range * WORDS_PER_RANGE;
    hideWords(
      numbers,
      depths,
      tiles,
      bounds,
      candidates,
      visible,
      begin,
      Math.min(begin + WORDS_PER_RANGE, count),
    );
  };
  const recordRange = (range: number): void =>
    recorder.record(draws as DrawArrays, range, count, perRange, bindings);
  const sampleRange = (range: number): void => {
    const first = range * perRange;
    sampler.sample(samples as SampleArrays, values, first, Math.min(first + perRange, count), clipOf);
  };
  const prepare = (): ((range: number) => void) | null => {
    const at = RangeWord.arguments;
    // Return null if a memory that the arguments name has not arrived yet. If this worker already has a newer memory,
    // the loop of these arguments has ended. No range of that loop can then be taken, so no check is needed.
    if ((words[at + CullArgument.kind] as number) === LoopKind.record) {
      if ((words[at + RecordArgument.draws] as number) > drawsNumber) return null;
      count = words[at + RecordArgument.runs] as number;
      perRange = words[at + RecordArgument.runsPerList] as number;
      bindings.frameGroup = words[at + RecordArgument.frameGroup] as number;
      bindings.attributes = words[at + RecordArgument.attributes] as number;
      return recordRange;
    }
    if ((words[at + SampleArgument.kind] as number) === LoopKind.sample) {
      if ((words[at + SampleArgument.samples] as number) > samplesNumber) return null;
      if ((words[at + SampleArgument.clips] as number) > newestClip) return null;
      count = words[at + SampleArgument.entries] as number;
      perRange = words[at + SampleArgument.perRange] as number;
      return sampleRange;
    }
    if ((words[at + CullArgument.bounds] as number) > boundsNumber) return null;
    if ((words[at + CullArgument.arrays] as number) > arraysNumber) return null;
    if ((words[at + CullArgument.kind] as number) === LoopKind.hide) {
      if ((words[at + HideArgument.grid] as number) > gridNumber) return null;
      count = words[at + HideArgument.words] as number;
      return hideRange;
    }
    count = words[at + CullArgument.groups] as number;
    return cullRange;
  };

  return {
    get hasWork() {
      return !isWaiting && helper.hasNewLoop;
    },
    get isWaiting() {
      return isWaiting;
    },
    hear: (message) => hear(message as MemoryMessage),
    takePart() {
      const began = ring?.begin(TimelineEvent.loop, 0) ?? 0;
      const ranges = helper.help(prepare);
      if (ranges > 0) ring?.end(TimelineEvent.loop, 0, began, ranges);
      isWaiting = ranges < 0;
    },
  };
};
