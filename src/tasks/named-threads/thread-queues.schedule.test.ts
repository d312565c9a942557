import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import {
  exploreAsync,
  type Program,
  type VirtualThread,
  waitFor,
} from '../../sync/testing/schedule-explorer.js';
import { type QueueName, ThreadQueues } from './thread-queues.js';

// T2: calls reach a named thread's queues in turns of its event loop, in any order. Each step of the explored programs
// is one turn.

vi.setConfig({ testTimeout: 120_000 });

/** Turns that the queues have requested. The explorer chooses when the thread takes them. */
const turns: (() => void)[] = [];

beforeEach(() => {
  vi.stubGlobal(
    'MessageChannel',
    class {
      readonly port1 = { onmessage: null as (() => void) | null, close: () => {} };
      readonly port2 = { postMessage: () => turns.push(() => this.port1.onmessage?.()) };
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

interface Shape {
  readonly queue: QueueName;
  /** Number of calls of `processUntilReturn`. */
  readonly processes: number;
  readonly shutsDown: boolean;
}

type Queues = new (clock: ManualClock) => ThreadQueues;

/**
 * Creates a program of two senders, a caller of `processUntilReturn`, a caller of `processUntilIdle`, an event loop,
 * and an optional shutdown. Sender `a` requests one return per call of `processUntilReturn`.
 */
function program(Class: Queues, { queue, processes, shutsDown }: Shape): () => Program {
  return () => {
    turns.length = 0;
    const queues = new Class(new ManualClock());
    const fates = new Map<string, string[]>();
    /** Errors of calls, noted because a call must not throw. */
    const faults: string[] = [];
    let running = 0;
    const ends: string[] = [];
    let isDown = false;
    const push = (name: string, priority: 'high' | 'normal' = 'normal'): void => {
      const fate: string[] = [];
      fates.set(name, fate);
      queues.push(
        {
          priority,
          isOver: false,
          run: () => {
            fate.push('ran');
            if (++running > 1) faults.push(`${name} runs inside another call of its queue`);
            // The call tries to process its own queue, which throws.
            try {
              if (running === 1) queues.processUntilIdle(queue);
              faults.push('a queue is processed inside itself');
            } catch (error) {
              if ((error as { code: string }).code !== 'queue-in-process') throw error;
            }
            running--;
          },
          abandon: () => fate.push('abandoned'),
        },
        queue,
      );
    };
    function* sender(name: string, returns: boolean): VirtualThread {
      for (let index = 0; index < 2; index++) {
        push(`${name}${index}`, index ? 'high' : 'normal');
        yield `pushes ${name}${index}`;
        if (!returns || index >= processes) continue;
        queues.requestReturn(queue);
        yield `requests return ${index}`;
      }
    }
    function* processor(): VirtualThread {
      for (let index = 0; index < processes; index++) {
        let end = '';
        void queues.processUntilReturn(queue).then(
          (how) => {
            end = how;
          },
          (error: { code: string }) => {
            end = error.code;
          },
        );
        yield `processes ${index}`;
        yield waitFor('a return', () => end !== '');
        ends.push(end);
      }
    }
    function* idler(): VirtualThread {
      try {
        queues.processUntilIdle(queue);
      } catch (error) {
        expect((error as { code: string }).code).toBe('queue-in-process');
      }
      yield 'processes until idle';
    }
    function* closer(): VirtualThread {
      yield 'comes';
      queues.shutDown();
      isDown = true;
      yield 'shuts down';
    }
    function* eventLoop(): VirtualThread {
      for (;;) {
        yield waitFor('a turn', () => turns.length > 0);
        turns.shift()?.();
        yield 'turn';
      }
    }
    return {
      threads: {
        a: sender('a', true),
        b: sender('b', false),
        processor: processor(),
        idler: idler(),
        ...(shutsDown && { closer: closer() }),
        loop: eventLoop(),
      },
      daemons: ['loop'],
      invariant: () => {
        expect(faults.join()).toBe('');
        for (const [name, fate] of fates) expect(fate.length, `what became of ${name}`).toBeLessThan(2);
        // The first `processUntilReturn` returns only after `a0`, which was queued before the request.
        if (ends[0] === 'returned')
          expect(fates.get('a0'), 'what had become of a0 at the return').toEqual(['ran']);
        if (isDown) for (const [name, fate] of fates) expect(fate, name).toHaveLength(1);
      },
      atEnd: () => {
        expect(ends).toHaveLength(processes);
        if (!shutsDown) for (const each of ends) expect(each).toBe('returned');
        expect(fates.size).toBe(4);
        // `processUntilReturn` leaves entries that arrive after its return in the queue.
        if (!shutsDown && queue === 'local') queues.processUntilIdle(queue);
        for (const [name, fate] of fates)
          if (queue === 'local' || shutsDown) expect(fate, name).toHaveLength(1);
      },
    };
  };
}

const SHAPES: readonly Shape[] = (['local', 'main'] as const).flatMap((queue) => [
  { queue, processes: 2, shutsDown: false },
  { queue, processes: 1, shutsDown: true },
]);

it.each(SHAPES)(
  'T2: no call runs twice, processUntilReturn returns, and a shutdown empties the queues, with up to 3 delays: $queue, shutdown $shutsDown',
  async (shape) => {
    const { schedules, steps } = await exploreAsync(program(ThreadQueues, shape), { maxDelays: 3 });
    console.log(
      `T2 ${shape.queue} queue, ${shape.processes} processing calls${shape.shutsDown ? ', a shutdown' : ''}, up to 3 delays: ${schedules} schedules, ${steps} steps.`,
    );
    expect(schedules).toBeGreaterThan(300);
  },
);

const caught = (Class: Queues, shape: Shape) => exploreAsync(program(Class, shape), { maxDelays: 3 });

it('T2: the explorer catches queues that keep only one of two pending return requests', async () => {
  class Merging extends ThreadQueues {
    #last: QueueName | null = null;
    override requestReturn(queue: QueueName): void {
      if (this.#last !== queue) super.requestReturn(queue);
      this.#last = queue;
    }
  }
  await expect(caught(Merging, SHAPES[0]!)).rejects.toThrow(/Deadlock: processor waits for a return/);
});

it('T2: the explorer catches queues that lose a return request made before processUntilReturn', async () => {
  class Forgetful extends ThreadQueues {
    #isProcessed = false;
    override async processUntilReturn(queue: QueueName): Promise<'returned' | 'shut down'> {
      this.#isProcessed = true;
      try {
        return await super.processUntilReturn(queue);
      } finally {
        this.#isProcessed = false;
      }
    }
    override requestReturn(queue: QueueName): void {
      if (this.#isProcessed) super.requestReturn(queue);
    }
  }
  await expect(caught(Forgetful, SHAPES[0]!)).rejects.toThrow(/Deadlock: processor waits for a return/);
});

it('T2: the explorer catches a return that overtakes earlier calls', async () => {
  class Hasty extends ThreadQueues {
    #isRequest = false;
    override requestReturn(queue: QueueName): void {
      this.#isRequest = true;
      super.requestReturn(queue);
      this.#isRequest = false;
    }
    override push(call: Parameters<ThreadQueues['push']>[0], queue: QueueName): void {
      super.push(this.#isRequest ? { ...call, priority: 'high' } : call, queue);
    }
  }
  await expect(caught(Hasty, SHAPES[0]!)).rejects.toThrow(/what had become of a0/);
});

it('T2: the explorer catches a shutdown that also abandons calls that have run', async () => {
  class Double extends ThreadQueues {
    readonly #all: Parameters<ThreadQueues['push']>[0][] = [];
    override push(call: Parameters<ThreadQueues['push']>[0], queue: QueueName): void {
      this.#all.push(call);
      super.push(call, queue);
    }
    override shutDown(): void {
      super.shutDown();
      for (const call of this.#all) call.abandon(new Error('twice') as never);
    }
  }
  await expect(caught(Double, SHAPES[1]!)).rejects.toThrow(/what became of/);
});

it('T2: the explorer catches a queue that is processed inside itself', async () => {
  class Unguarded extends ThreadQueues {
    readonly #calls: Parameters<ThreadQueues['push']>[0][] = [];
    override push(call: Parameters<ThreadQueues['push']>[0], queue: QueueName): void {
      const entry = {
        ...call,
        run: () => this.#calls.splice(this.#calls.indexOf(entry), 1)[0] && call.run(),
      };
      this.#calls.push(entry);
      super.push(entry, queue);
    }
    override processUntilIdle(): number {
      let count = 0;
      for (let call = this.#calls[0]; call; call = this.#calls[0], count++) call.run();
      return count;
    }
  }
  await expect(caught(Unguarded, SHAPES[0]!)).rejects.toThrow(/inside/);
});
