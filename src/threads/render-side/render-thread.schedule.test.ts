import { describe, expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import {
  exploreAsync,
  type Program,
  type VirtualThread,
  waitFor,
} from '../../sync/testing/schedule-explorer.js';
import { RenderThread, type RenderThreadOptions } from './render-thread.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

/** Number of game frames. */
const FRAMES = 4;
/** The frame with the feature's command. */
const CALL_FRAME = 2;
const MAX_IN_FLIGHT = 1;
/** Maximum number of lists that are recorded but not complete: the gate of `render-thread.ts`. */
const MOST_LISTS = MAX_IN_FLIGHT + 2;

interface Broken {
  readonly Thread?: typeof RenderThread;
  readonly options?: (options: RenderThreadOptions) => RenderThreadOptions;
}

/**
 * Creates a program of the real render thread and the real stream of render commands. The explorer chooses the order of
 * commands, of completions by the GPU and of space in the stream to the RHI.
 *
 *   game      frame 1 │ frame 2, in two pieces, with a command of a feature │ frame 3 …  at most one ahead
 *   RHI       space · no space · space
 *   GPU       ………………………………… completes list 1 …
 */
function program({ Thread = RenderThread, options = (it) => it }: Broken = {}) {
  return (): Program => {
    const { writer, reader } = createLocalStream({ table: renderCommands });
    const completed = new PrivateFence('completed');
    const rendered = new PrivateFence('rendered');
    const errors: unknown[] = [];
    const recorded: string[] = [];
    const stats = { primitives: 0, visible: 0 };
    const room = { isWritable: true, wake: [] as (() => void)[] };
    const thread = new Thread(
      options({
        reader,
        rhiWriter: {
          bytesWritten: 0,
          pageBytes: 0,
          get isWritable() {
            return room.isWritable;
          },
          whenWritable: () => new Promise<void>((resolve) => room.wake.push(resolve)),
        } as never,
        rhi: {
          beginFrame: (frame: number) => recorded.push(`${frame}`),
          endFrame: () => {},
          publish: () => {},
        } as never,
        renderer: {
          execute: () => {},
          renderFrame: () => {},
          mustNotSkip: false,
          frameMemory: { byteLength: 0 },
          stats,
          features: {},
          world: { features: {}, stats },
        } as never,
        maxFramesInFlight: MAX_IN_FLIGHT,
        rendered,
        completed,
        stats: new Float64Array(24),
        events: new EventRing(),
        onError: (error) => errors.push(error),
        onFrame: () => {},
      }),
    );
    thread.features.attach('modules', { execute: () => void recorded.push('call') });
    const lists = (): number => recorded.filter((each) => each !== 'call').length;

    function* game(): VirtualThread {
      for (let frame = 1; frame <= FRAMES; frame++) {
        yield waitFor(`frame ${frame - 2}`, () => rendered.isReached(frame - 2) || rendered.error !== null);
        const begin = writer.reserve(RenderOpcode.beginFrame, 5);
        writer.words.fill(0, begin, begin + 5);
        writer.words[begin] = frame;
        if (frame === CALL_FRAME) {
          const data = new Uint8Array(0);
          const call = { module: 1, command: 1, sequence: 1, kind: 0, data };
          encodeRecord(writer, renderCommands, 'callModule', call);
          writer.publish();
          yield 'the first piece';
        }
        const end = writer.reserve(RenderOpcode.endFrame, 1);
        writer.words[end] = frame;
        writer.publish();
        yield `frame ${frame}`;
      }
      yield waitFor('its frames', () => rendered.isReached(FRAMES) || rendered.error !== null);
    }
    function* rhi(): VirtualThread {
      yield 'no room';
      room.isWritable = false;
      yield 'room';
      room.isWritable = true;
      for (const wake of room.wake.splice(0)) wake();
    }
    function* gpu(): VirtualThread {
      for (let list = 1; list <= FRAMES; list++) {
        yield waitFor(`list ${list}`, () => lists() >= list || rendered.error !== null);
        completed.signal(list);
      }
    }
    return {
      threads: { game: game(), rhi: rhi(), gpu: gpu() },
      invariant: () => {
        if (rendered.error) throw rendered.error;
        if (errors[0]) throw errors[0];
        const underWay = lists() - completed.value;
        if (underWay > MOST_LISTS) throw new Error(`${underWay} lists are under way.`);
        if (rendered.value > lists()) throw new Error('A frame counts as rendered before it is recorded.');
      },
      atEnd: () => expect(recorded).toEqual(['1', 'call', '2', '3', '4']),
    };
  };
}

describe('the render thread, every schedule of at most 3 delays', () => {
  const BOUND = { maxDelays: 3, maxSchedules: 50_000 };

  it('R4, R5: records each frame once and in order, after the commands of its features, within the gate', async () => {
    const { schedules } = await exploreAsync(program(), BOUND);
    console.log(
      `RenderThread: ${schedules} schedules with at most ${BOUND.maxDelays} deviations from the fixed order`,
    );
    expect(schedules).toBeGreaterThan(200);
  });

  const exploreBroken = (broken: Broken) => exploreAsync(program(broken), BOUND);

  it('detects a gate that is always open', async () => {
    const gate = (given: RenderThreadOptions): RenderThreadOptions => ({
      ...given,
      completed: { isReached: () => true } as never,
    });
    // With an open gate, the render thread records further lists while the GPU completes none.
    await expect(exploreBroken({ options: gate })).rejects.toThrow('lists are under way');
  });

  it('detects a completion that is missed between the check and the wait', async () => {
    const deaf = (given: RenderThreadOptions): RenderThreadOptions => {
      const { completed } = given;
      const whenReached = (value: number): Promise<void> => {
        const { value: known } = completed;
        return new Promise((resolve) => {
          // The wait starts two turns later, and misses a completion in between.
          setImmediate(() =>
            setImmediate(() => {
              if (completed.value === known) void completed.whenReached(value).then(resolve);
            }),
          );
        });
      };
      const isReached = (value: number): boolean => completed.isReached(value);
      return { ...given, completed: { whenReached, isReached } as never };
    };
    await expect(exploreBroken({ options: deaf })).rejects.toThrow('Deadlock');
  });

  it('detects a thread that forgets commands which arrived while it waited', async () => {
    class Forgetful extends RenderThread {
      #isIgnored = true;
      override pump(): void {
        // Ignores every second call, as if the end of a wait were no reason to check for commands.
        this.#isIgnored = !this.#isIgnored;
        if (!this.#isIgnored) super.pump();
      }
    }
    await expect(exploreBroken({ Thread: Forgetful })).rejects.toThrow('Deadlock');
  });
});
