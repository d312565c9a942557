import { EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import type { ClipData } from '../../proxy/motion/clip.js';
import { cullGroup, GROUP_WORDS } from '../culling/cull-groups.js';
import { hideWords } from '../occlusion/box-test.js';
import { DrawArrays } from './draw-arrays.js';
import {
  CullArgument,
  type HelperMessage,
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

/** Message that turns a worker into a helper. */
interface HelperConfig {
  readonly memory: SharedArrayBuffer;
  /** Number of the helper, from 1 on. */
  readonly number: number;
  /** Port of the render thread, which sends memories. */
  readonly port: MessagePort;
  /** The worker's event ring. */
  readonly events: SharedArrayBuffer;
}

/** The first message to a task worker that becomes a helper. */
export interface ServeRanges extends HelperConfig {
  readonly ranges: true;
}

/**
 * Runs a helper's thread: it sleeps until a loop begins, takes ranges, and sleeps again. It returns to its
 * event loop only if a memory is missing, because the memory's message is then on its way.
 */
export async function serveRanges({ memory, number, port, events }: HelperConfig): Promise<never> {
  const words = new Int32Array(memory);
  // Planes of a view, or the numbers of an occlusion grid.
  const numbers = numbersOf(memory);
  const helper = new RangeHelper(words, number);
  const ring = new EventRing(events);
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
  let onMessage = (): void => {};
  port.onmessage = ({ data }: MessageEvent<MemoryMessage>) => {
    if (data.kind === 'bounds') {
      bounds = new Float32Array(data.buffer);
      boundsNumber = data.number;
    } else if (data.kind === 'grid') {
      grid = new SharedGrid(data.buffer);
      gridNumber = data.number;
    } else if (data.kind === 'draws') {
      draws = new DrawArrays(data.buffer, data.rankCount, data.runCount, data.threads);
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
    onMessage();
  };

  port.onmessageerror = () => port.postMessage('lost' satisfies HelperMessage);
  port.postMessage('listens' satisfies HelperMessage);

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
  const recordRange = (range: number): void => recorder.record(draws as DrawArrays, range, count, bindings);
  const sampleRange = (range: number): void => {
    const first = range * perRange;
    sampler.sample(samples as SampleArrays, values, first, Math.min(first + perRange, count), clipOf);
  };
  const prepare = (): ((range: number) => void) | null => {
    const at = RangeWord.arguments;
    // If a memory is newer than the arguments, the arguments' loop has ended, and none of its ranges can be
    // taken.
    if ((words[at + CullArgument.kind] as number) === LoopKind.record) {
      if ((words[at + RecordArgument.draws] as number) > drawsNumber) return null;
      count = words[at + RecordArgument.runs] as number;
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

  for (;;) {
    const { bell } = helper;
    const began = ring.begin(TimelineEvent.loop, 0);
    const ranges = helper.help(prepare);
    if (ranges > 0) ring.end(TimelineEvent.loop, 0, began, ranges);
    if (ranges < 0) {
      await new Promise<void>((resolve) => {
        onMessage = resolve;
      });
    } else Atomics.wait(words, RangeWord.bell, bell);
  }
}
