import { describe, expect, it } from 'vitest';
import { type ExploreOptions, explore } from '../../sync/testing/schedule-explorer.js';
import { type QueueProgramOptions, queueProgram } from '../testing/queue-program.js';
import { SharedQueues } from './shared-queues.js';
import { asleepFor } from './sleeping-threads.js';
import { Header, Thread } from './task-memory.js';

/** Explores all schedules within the bound. Prints and returns their number. */
function tryAll(name: string, options: QueueProgramOptions, bound: ExploreOptions = { maxPreemptions: 2 }) {
  const { schedules, steps } = explore(queueProgram(options), bound);
  console.log(`T3 ${name}: ${schedules} schedules of ${JSON.stringify(bound)}, ${steps} steps.`);
  return schedules;
}

describe('T3: queues and wake-ups in shared memory, in every explored order', () => {
  it('one worker gets every job, and no wake-up is lost', () => {
    expect(tryAll('one job, one worker', { jobs: 1, workers: 1 })).toBeGreaterThan(100);
    expect(tryAll('two jobs, one worker', { jobs: 2, workers: 1 }, { maxPreemptions: 1 })).toBeGreaterThan(
      50,
    );
  });

  it('two workers share the jobs, each of which runs once', () => {
    expect(tryAll('one job, two workers', { jobs: 1, workers: 2 }, { maxDelays: 2 })).toBeGreaterThan(100);
    expect(tryAll('two jobs, two workers', { jobs: 2, workers: 2 }, { maxDelays: 1 })).toBeGreaterThan(50);
  });

  it('slots and entries are reused', () => {
    expect(
      tryAll('three jobs in one slot', { jobs: 3, workers: 1, slots: 1, ring: 2 }, { maxPreemptions: 1 }),
    ).toBeGreaterThan(100);
  });

  it('a job is retracted or run, never both', () => {
    expect(
      tryAll('two jobs, one taken back', { jobs: 2, workers: 1, retracts: true }, { maxPreemptions: 1 }),
    ).toBeGreaterThan(50);
  });

  it('a shutdown ends every worker at any step, and no job runs twice', () => {
    expect(
      tryAll('a shutdown, one job, one worker', { jobs: 1, workers: 1, abandons: true }),
    ).toBeGreaterThan(100);
    expect(
      tryAll('a shutdown, two jobs, two workers', { jobs: 2, workers: 2, abandons: true }, { maxDelays: 2 }),
    ).toBeGreaterThan(100);
  });

  it('a worker that dies at any of 40 steps loses at most its own job; the other jobs run', () => {
    let schedules = 0;
    const bound = { maxPreemptions: 0 };
    for (let deathAfter = 0; deathAfter < 40; deathAfter++) {
      const options = { jobs: 2, workers: 2, deathAfter };
      schedules += explore(queueProgram(options), bound).schedules;
    }
    console.log(`T3 a death at each of 40 steps: ${schedules} schedules of ${JSON.stringify(bound)}.`);
    expect(schedules).toBeGreaterThan(100);
  });
});

describe('T2: sets of workers, in every explored order', () => {
  const sets = { jobs: 2, workers: 2, queues: 2, queueOfJob: [1, 0], orders: [[0], [0, 1]] } as const;

  it('each job wakes a worker of its set, whichever other workers sleep', () => {
    expect(tryAll('two sets of one worker', sets, { maxDelays: 1 })).toBeGreaterThan(50);
  });

  it('the explorer catches waking a worker that does not take from the queue', () => {
    class Anyone extends SharedQueues {
      override wakeOne(): boolean {
        return super.wakeOne(0);
      }
    }
    expect(() => explore(queueProgram({ ...sets, jobs: 1, Queues: Anyone }), { maxPreemptions: 1 })).toThrow(
      'Deadlock',
    );
  });
});

describe('T3: the explorer catches each classic bug', () => {
  const caught = (options: QueueProgramOptions, bound: ExploreOptions = { maxPreemptions: 2 }) =>
    expect(() => explore(queueProgram(options), bound));

  it('lost wake-up: a worker that sleeps without another check', () => {
    class Trusting extends SharedQueues {
      protected override hasSomething(): boolean {
        return false;
      }
    }
    caught({ jobs: 1, workers: 1, Queues: Trusting }).toThrow('Deadlock');
  });

  it('lost wake-up: a worker that marks itself asleep after its last check', () => {
    class Late extends SharedQueues {
      override prepareSleep(queues: readonly number[]): number | null {
        if (this.hasSomething(queues)) return null;
        const at = this.memory.threadAt(this.thread);
        this.store(at + Thread.asleep, asleepFor(queues));
        return this.load(at + Thread.bell);
      }
    }
    caught({ jobs: 1, workers: 1, Queues: Late }).toThrow('Deadlock');
  });

  it('lost wake-up: a worker that reads the bell after marking itself asleep', () => {
    class Deaf extends SharedQueues {
      override prepareSleep(queues: readonly number[]): number | null {
        const at = this.memory.threadAt(this.thread);
        this.store(at + Thread.asleep, asleepFor(queues));
        const bell = this.load(at + Thread.bell);
        if (!this.hasSomething(queues)) return bell;
        this.wakeUp();
        return null;
      }
    }
    caught({ jobs: 2, workers: 2, slots: 1, Queues: Deaf }, { maxPreemptions: 1 }).toThrow('Deadlock');
  });

  it('lost wake-up: a shutdown that wakes no thread', () => {
    class Silent extends SharedQueues {
      override shutDown(): void {
        this.store(Header.shutdown, 1);
      }
    }
    caught({ jobs: 1, workers: 1, abandons: true, Queues: Silent }).toThrow('Deadlock');
    caught({ jobs: 1, workers: 1, Queues: Silent }).toThrow('Deadlock');
  });

  it('double execution: a job that is begun or retracted by a read and a separate write', () => {
    class Hasty extends SharedQueues {
      protected override change(at: number, from: number, to: number): boolean {
        if (this.load(at) !== from) return false;
        this.store(at, to);
        return true;
      }
    }
    caught({ jobs: 1, workers: 1, retracts: true, Queues: Hasty }).toThrow(/Runs|Ended|Deadlock|twice/);
  });

  it('early completion: a job that is done before its result is written', () => {
    class Eager extends SharedQueues {
      protected override begin(slot: number, queued: number): boolean {
        return super.begin(slot, queued) && super.complete(slot, 3) !== 'dead';
      }
      override complete(): 'tell page' {
        return 'tell page';
      }
    }
    caught({ jobs: 2, workers: 1, Queues: Eager }).toThrow('completed early');
  });

  it('lost end of a job: an owner that clears jobs which ended while it collected', () => {
    class Sweeping extends SharedQueues {
      override collect(onEnd: (slot: number, phase: number) => void): void {
        const at = this.memory.threadAt(0) + Thread.done;
        const bits = this.load(at);
        super.collect((slot, phase) => {
          if (bits & (1 << slot)) onEnd(slot, phase);
        });
      }
    }
    caught({ jobs: 2, workers: 1, Queues: Sweeping }).toThrow('Deadlock');
  });

  it('lost end of a job: a worker that announces the end before it stores it', () => {
    class Boasting extends SharedQueues {
      override complete(slot: number): 'dead' | 'tell page' | 'told' {
        const thread = this.memory.threadAt(0);
        const isFirst = this.atomics.exchange(this.memory.words, thread + Thread.announced, 1) === 0;
        super.complete(slot, 3);
        return isFirst ? 'tell page' : 'told';
      }
    }
    caught({ jobs: 2, workers: 1, Queues: Boasting }).toThrow('Deadlock');
  });

  it('a death: entries that are not queued again', () => {
    class Careless extends SharedQueues {
      override reap(dead: number): boolean {
        void dead;
        return false;
      }
    }
    const found = new Set<string>();
    for (let deathAfter = 0; deathAfter < 40; deathAfter++) {
      try {
        explore(queueProgram({ jobs: 2, workers: 2, deathAfter, Queues: Careless }), { maxPreemptions: 0 });
      } catch (error) {
        found.add((error as Error).message.split(/[\s:]/)[0] as string);
      }
    }
    expect([...found]).toEqual(['Deadlock']);
  });
});
