import { expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { RendererBench } from '../renderer.test-support.js';
import { DrawArrays, RUNS_PER_LIST } from './draw-arrays.js';
import { type LoopHelpers, type MemoryMessage, RecordArgument } from './helper-loops.js';
import { RangeHelper } from './range-helper.js';
import { RangeLoop } from './range-loop.js';
import { RANGE_MEMORY_BYTES, RangeWord } from './range-memory.js';
import { SubListRecorder } from './sub-list-recorder.js';
import { leastDraws, SubLists } from './sub-lists.js';

const HELPERS = 4;
const COUNT = leastDraws(HELPERS) + 700;

/**
 * Creates `COUNT` draws that cannot merge, all in view. They have two vertex formats, with and without indices. Some
 * are two-sided.
 */
function fill(bench: RendererBench): void {
  bench.camera(COUNT, [0, 0, 10]);
  bench.material(0);
  bench.material(1, 4);
  for (let each = 0; each < COUNT; each++) {
    bench.geometry(each, 3, each % 3 === 0 ? 0 : 3, each % 2);
    bench.node(each, [(each % 16) - 8, 0, 0]);
    bench.primitive(each, each, each, each % 5 === 0 ? 1 : 0);
    if (each % 500 === 0) bench.execute();
  }
}

/**
 * Draws four frames, each with a different visible set, so that draws do not become a bundle.
 * @returns the records of each frame as text, without writes and creations
 */
function framesOf(bench: RendererBench): string[] {
  const frames = [];
  for (let frame = 1; frame <= 4; frame++) {
    bench.move(frame, [0, 0, 1000]);
    const commands = bench.frame(frame).filter(({ name }) => !/^(write|create)/.test(name));
    frames.push(commands.map(({ name, values }) => `${name} ${Object.values(values)}`).join('\n'));
  }
  return frames;
}

function helpersOf(onMessage: (message: MemoryMessage) => void, recordingTasks = 0): LoopHelpers {
  return {
    memory: new SharedArrayBuffer(RANGE_MEMORY_BYTES),
    count: HELPERS,
    takers: HELPERS,
    recordingTasks,
    wake: () => {},
    share: onMessage,
  };
}

it.each([
  ['a list per 512 draws', 0],
  ['twelve tasks, but at most 512 draws per list', 12],
  ['one task, but at most 512 draws per list', 1],
])('H4 H5: helpers and the render thread together record the same commands as one thread: %s', (_, tasks) => {
  const alone = new RendererBench();
  fill(alone);
  const expected = framesOf(alone);

  const together = new RendererBench();
  let arrays: DrawArrays | null = null;
  const helpers = helpersOf((message) => {
    if (message.kind !== 'draws') return;
    arrays = new DrawArrays(
      message.buffer,
      message.rankCount,
      message.runCount,
      message.lists,
      message.threads,
    );
  }, tasks);
  const words = new Int32Array(helpers.memory);
  const lists = new SubLists(helpers, new RangeLoop(words, helpers.wake), new EventRing());
  together.renderer.world.stores.recorder = lists;
  // Simulates a helper that takes all other lists of a pass after the render thread has recorded list 0.
  const helper = new RangeHelper(words, 2);
  const recorder = new SubListRecorder(2);
  const at = RangeWord.arguments;
  let helped = 0;
  let own = 0;
  const run = lists.run.bind(lists);
  lists.run = (index) => {
    run(index);
    own++;
    if (index % 3 !== 0) return;
    helped += helper.help(() => (other) => {
      const runs = words[at + RecordArgument.runs]!;
      recorder.record(arrays!, other, runs, words[at + RecordArgument.runsPerList]!, {
        frameGroup: words[at + RecordArgument.frameGroup]!,
        attributes: words[at + RecordArgument.attributes]!,
      });
    });
  };
  fill(together);
  const opened = vi.spyOn(together.rhi, 'openSubList');
  const openedAgain = vi.spyOn(together.rhi, 'reopenSubList');
  // Frames are compared as a whole, because a diff of thousands of lines would not be readable.
  expect(framesOf(together).map((frame, index) => frame === expected[index])).toEqual(Array(4).fill(true));
  expect(expected[3]?.split('drawIndexed ').length).toBeGreaterThan(4000);
  expect(helped).toBeGreaterThan(tasks > 0 ? 3 : 20);
  expect(own).toBeGreaterThan(2);
  // Three of the four frames are recorded in lists. The first of them opens the lists, the other two reopen them.
  const count = Math.ceil(COUNT / RUNS_PER_LIST);
  expect(opened).toHaveBeenCalledTimes(count);
  expect(openedAgain).toHaveBeenCalledTimes(count * 2);
});

it('H5: the render thread records alone if draws are few, the scene has just changed or no helper takes part', () => {
  const bench = new RendererBench();
  const helpers = helpersOf(() => {});
  const lists = new SubLists(
    helpers,
    new RangeLoop(new Int32Array(helpers.memory), helpers.wake),
    new EventRing(),
  );
  const answers: boolean[] = [];
  bench.renderer.world.stores.recorder = {
    record: (...args) => {
      const isDone = lists.record(...args);
      answers.push(isDone);
      return isDone;
    },
  };
  fill(bench);
  framesOf(bench);
  // The first frame has new ranks. In the other frames, no helper takes part, and the render thread records
  // all lists.
  expect(answers).toEqual([false, true, true, true]);
  for (let each = 0; each < COUNT; each += 2) bench.move(each, [0, 0, 1000]);
  bench.frame(5);
  expect(answers.at(-1)).toBe(false);
  expect(COUNT / 2).toBeLessThan(leastDraws(HELPERS));
  expect(leastDraws(1)).toBe(Infinity);
  expect(leastDraws(9)).toBe(leastDraws(HELPERS));
  expect(RUNS_PER_LIST * 22).toBeLessThan(16_384);
});
