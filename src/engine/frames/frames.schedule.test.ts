import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import {
  exploreAsync,
  type Program,
  type VirtualThread,
  waitFor,
} from '../../sync/testing/schedule-explorer.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { FollowedFence } from '../../threads/connections/followed-fence.js';
import { FrameProducer } from './frame-producer.js';
import { FrameScheduler, type FrameSource } from './frame-scheduler.js';

// Thousands of schedules take seconds on a busy machine; no result depends on the time.
vi.setConfig({ testTimeout: 120_000 });

/** Classes that a program runs. Some tests replace one of them with a broken subclass. */
interface Parts {
  readonly Loop: typeof FrameScheduler;
  readonly Producer: typeof FrameProducer;
  readonly Sync: typeof FrameEndSync;
}
const REAL: Parts = { Loop: FrameScheduler, Producer: FrameProducer, Sync: FrameEndSync };

/** The participants of a program, and how often they act. */
interface Cast {
  readonly changer?: 'lag' | 'threads';
  readonly animationFrames: number;
  readonly steps: number;
}

/**
 * Returns a program that runs the loop, the producer and the sync. Its threads are animation frames, steps, the render
 * thread's work, and a switch of the lag or a change of threads. The callbacks of a promise are part of the step that
 * settles it.
 *
 *   page     animation frame ────► FrameScheduler ─┐
 *   stepper  produceOnce ────────► FrameScheduler ─┴► FrameProducer ─ stream ─► render  reads a frame · signals `rendered`
 *   changer  lag off · lag on, or: hold · the threads end · other threads · release
 */
function program({ changer, animationFrames, steps }: Cast, { Loop, Producer, Sync }: Parts = REAL) {
  return (): Program => {
    let animate: ((milliseconds: number) => void) | null = null;
    const page: FrameSource = {
      requestFrame: (callback) => {
        animate = callback;
        return 1;
      },
      cancelFrame: () => {
        animate = null;
      },
      now: () => 0,
      isHidden: false,
    };
    const followed = new FollowedFence('rendered');
    let rendered = new PrivateFence('of the first threads');
    followed.follow(rendered);
    let hasRecords = false;
    const createStream = () => {
      const made = createLocalStream({ table: renderCommands });
      made.reader.onAvailable = () => {
        hasRecords = true;
      };
      return made;
    };
    let stream = createStream();
    const errors: unknown[] = [];
    const world = {
      updates: { timeSeconds: 0, isRunning: false },
      tick: () => {},
      sendUpdates: () => {},
    } as unknown as World;
    const sync = new Sync(followed.fence, { lag: true });
    const producer = new Producer(stream.writer, sync, world, new EventRing(), () => {});
    const scheduler = new Loop(producer, page, (error) => errors.push(error));
    let produced = 0;
    let last = 0;
    let isChanged = changer === undefined;
    let hasAnimated = false;

    function* animating(): VirtualThread {
      scheduler.start();
      for (let frame = 0; frame < animationFrames; frame++) {
        yield `animation frame ${frame}`;
        const callback = animate;
        animate = null;
        callback?.(frame * 16);
      }
      // A deferred tick has to run without another animation frame.
      yield 'stops';
      scheduler.isRunning = false;
      hasAnimated = true;
    }
    function* stepping(): VirtualThread {
      for (let step = 0; step < steps; step++) {
        yield `step ${step}`;
        scheduler
          .produceOnce(0.1, RenderFrameFlag.step, 'tick', () => produced++)
          .catch((error) => errors.push(error));
      }
      yield waitFor('its frames', () => produced === steps || errors.length > 0);
    }
    function* rendering(): VirtualThread {
      for (;;) {
        yield waitFor('a frame', () => hasRecords || isOver());
        if (isOver()) return;
        hasRecords = false;
        const frame = readFrame();
        if (frame === 0) continue;
        hasRecords = true; // more records may follow
        // Frames arrive in order, each once.
        if (frame !== last + 1) throw new Error(`Frame ${frame} came after ${last}.`);
        last = frame;
        yield `renders ${frame}`;
        rendered.signal(frame);
      }
    }
    const isOver = (): boolean =>
      hasAnimated &&
      isChanged &&
      produced === steps &&
      last === producer.frame &&
      followed.fence.value >= last;
    function readFrame(): number {
      const { reader } = stream;
      while (reader.next())
        if (reader.opcode === RenderOpcode.endFrame) return reader.words[reader.fields] as number;
      return 0;
    }
    function* changing(): VirtualThread {
      if (changer === 'lag') {
        yield 'lag off';
        sync.lag = false;
        yield 'lag on';
        sync.lag = true;
      } else {
        yield 'hold';
        producer.hold();
        yield 'the threads end';
        followed.follow(null);
        stream.writer.close();
        // The next threads count all earlier frames as rendered.
        const { frame } = producer;
        last = frame;
        stream = createStream();
        hasRecords = false;
        rendered = new PrivateFence('of the next threads');
        yield 'other threads';
        producer.writer = stream.writer;
        followed.follow(rendered);
        followed.fence.signal(frame);
        producer.release();
      }
      isChanged = true;
    }
    return {
      threads: {
        page: animating(),
        stepper: stepping(),
        render: rendering(),
        ...(changer ? { changer: changing() } : {}),
      },
      invariant: () => {
        const error = errors[0];
        if (error) throw error;
        const ahead = producer.frame - followed.fence.value;
        if (ahead > 2) throw new Error(`The game is ${ahead - 1} frames ahead.`);
      },
      atEnd: () => {
        expect([produced, last]).toEqual([steps, producer.frame]);
      },
    };
  };
}

const report = (what: string, schedules: number, bound: string): void =>
  console.log(`${what}: ${schedules} schedules ${bound}`);

describe('frames of the game, every schedule of at most four delays', () => {
  const BOUND = { maxDelays: 4, maxSchedules: 50_000 };
  const bound = `with at most ${BOUND.maxDelays} deviations from the fixed order`;

  afterEach(() => vi.restoreAllMocks());

  it('R5: the game is at most one frame ahead, and every step gets its frame', async () => {
    const { schedules } = await exploreAsync(program({ animationFrames: 3, steps: 2 }), BOUND);
    report('FrameScheduler and FrameProducer', schedules, bound);
    expect(schedules).toBeGreaterThan(100);
  });

  it('R5: the lag may be switched at any moment', async () => {
    const { schedules } = await exploreAsync(
      program({ animationFrames: 1, steps: 2, changer: 'lag' }),
      BOUND,
    );
    report('FrameScheduler and FrameProducer with a switch of the lag', schedules, bound);
    expect(schedules).toBeGreaterThan(100);
  });

  it('R9, R17: threads may change at any moment, and no wait for the ended threads remains', async () => {
    const { schedules } = await exploreAsync(
      program({ animationFrames: 1, steps: 2, changer: 'threads' }),
      BOUND,
    );
    report('FrameScheduler and FrameProducer with a change of threads', schedules, bound);
    expect(schedules).toBeGreaterThan(100);
  });

  /** Explores a program in which one part is broken. */
  const broken = (how: Partial<Parts>, cast: Cast = { animationFrames: 3, steps: 2 }) =>
    exploreAsync(program(cast, { ...REAL, ...how }), BOUND);

  it('finds a loop that continues after one wait, though another caller may have produced a frame', async () => {
    class OnceLoop extends FrameScheduler {
      readonly #producer: FrameProducer;
      constructor(...parameters: ConstructorParameters<typeof FrameScheduler>) {
        super(...parameters);
        [this.#producer] = parameters;
      }
      override async produceOnce<T>(
        ...[seconds, flags, work, onProduced]: Parameters<FrameScheduler['produceOnce']>
      ): Promise<T> {
        if (!this.#producer.isReady) await this.#producer.whenReady();
        return this.#producer.produce(seconds, flags, work, onProduced) as T;
      }
    }
    await expect(broken({ Loop: OnceLoop as typeof FrameScheduler })).rejects.toThrow(
      /before frame \d was complete/,
    );
  });

  it('finds a producer that does not check the sync', async () => {
    class HastyProducer extends FrameProducer {
      override get isReady(): boolean {
        return this.held === null;
      }
    }
    await expect(broken({ Producer: HastyProducer })).rejects.toThrow(/before frame \d was complete/);
  });

  it('finds a sync that loses a wake-up between its check and its wait', async () => {
    class DeafSync extends FrameEndSync {
      override whenReady(): Promise<void> {
        const known = this.awaitedFrame;
        if (this.isReady) return Promise.resolve();
        // The wait begins two turns later. If the sync changes before, the promise never resolves.
        return new Promise((resolve) => {
          setImmediate(() =>
            setImmediate(() => {
              if (!this.isReady && this.awaitedFrame === known) void super.whenReady().then(resolve);
            }),
          );
        });
      }
    }
    await expect(broken({ Sync: DeafSync })).rejects.toThrow('Deadlock');
  });

  it('finds a sync whose waiters miss a switch of the lag', async () => {
    class StubbornSync extends FrameEndSync {
      /** Waits only for the frame that was awaited when the wait began. */
      override async whenReady(): Promise<void> {
        const { awaitedFrame } = this;
        while (this.awaited.value < awaitedFrame) await this.awaited.whenReached(awaitedFrame);
        if (!this.isReady) await new Promise(() => {});
      }
      readonly awaited: WaitableFence;
      constructor(rendered: WaitableFence, options: { readonly lag: boolean }) {
        super(rendered, options);
        this.awaited = rendered;
      }
    }
    const cast: Cast = { animationFrames: 2, steps: 2, changer: 'lag' };
    await expect(broken({ Sync: StubbornSync }, cast)).rejects.toThrow('Deadlock');
  });
});
