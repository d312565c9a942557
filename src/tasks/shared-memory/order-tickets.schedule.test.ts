import { describe, expect, it } from 'vitest';
import { replayThread, type Stepper, steppedAtomics } from '../../sync/testing/replay-thread.js';
import { type ExploreOptions, explore, type Program } from '../../sync/testing/schedule-explorer.js';
import { OrderTickets } from './owned-jobs.js';
import { Phase, SharedQueues } from './shared-queues.js';
import { type TaskAtomics, TaskMemory } from './task-memory.js';

interface TicketProgram {
  readonly jobs: number;
  readonly tickets?: number;
  /** Adds a job in a slot. The job blocks its thread until the first order has been carried out. */
  readonly holds?: boolean;
  /** Whether the page withdraws the first job, if no worker has claimed its ticket. */
  readonly withdraws?: boolean;
  /** Number of steps after which worker 1 dies. */
  readonly deathAfter?: number;
  readonly Queues?: typeof SharedQueues;
  /** Adds a fault: a worker claims more jobs before its order has arrived. */
  readonly claimsOn?: boolean;
}

type Mail =
  | { readonly from: number; readonly ticket: number }
  | { readonly from: number; readonly done: number };

class Died extends Error {}

const HELD = 100;

/** Creates a program of a page with orders and two workers, which receive messages only in their event loops. */
function ticketProgram(options: TicketProgram): () => Program {
  const { jobs, tickets: perQueue = 2, holds = false, withdraws = false, deathAfter, claimsOn } = options;
  const { Queues = SharedQueues } = options;
  return () => {
    const shape = { threads: 3, slots: 1, ring: 4, queues: 1, counters: 1, slotWords: 10 };
    const memory = new TaskMemory({ ...shape, tickets: perQueue });
    const mail: Mail[] = [];
    /** Messages in flight to each worker: orders, and `null` for a withdrawn order. */
    const inboxes = [[], [], []] as (number | null)[][];
    const runs: number[] = [];
    let sentToDead: number | null = null;
    let isDead = false;
    let ended: string[] = [];

    const page = replayThread((stepper) => {
      const queues = new Queues(memory, 0, steppedAtomics(stepper) as TaskAtomics);
      const tickets = new OrderTickets<number>(queues);
      const list: string[] = [];
      let offered = 0;
      let hasReaped = false;
      const offer = (): void => {
        while (offered < jobs && typeof tickets.offer(offered, 0) === 'number') offered++;
      };
      offer();
      if (holds) {
        const slot = queues.allocate();
        queues.publish(slot, 0);
        queues.wakeOne(0);
      }
      const first = memory.firstTicketOf(0) + perQueue - 1;
      if (withdraws && tickets.withdraw(first, 0)) {
        list.push('0 withdrawn');
        offer();
      }
      const all = jobs + (holds ? 1 : 0);
      while (list.length < all) {
        stepper.wait('a message', () => mail.length > 0 || (isDead && !hasReaped));
        const lost = stepper.act('looks', () => {
          if (!isDead || hasReaped) return undefined;
          // Messages of the dead worker are lost, because its port is closed.
          mail.splice(0, mail.length, ...mail.filter(({ from }) => from !== 1));
          return { order: sentToDead, hasHeld: runs.includes(HELD) };
        });
        if (lost) {
          hasReaped = true;
          queues.reap(1);
          if (lost.order !== null) list.push(`${lost.order} lost`);
        }
        const message = stepper.act('hears', () => mail.shift());
        if (!message) continue;
        if ('done' in message) {
          stepper.act('closes', () => {
            if (message.from === 1) sentToDead = null;
          });
          list.push(`${message.done} done`);
          continue;
        }
        const job = tickets.take(message.ticket) ?? null;
        stepper.act('sends', () => {
          if (message.from === 1) sentToDead = job;
          inboxes[message.from]?.push(job);
        });
        offer();
      }
      queues.shutDown();
      ended = list;
    });

    const worker = (thread: number) =>
      replayThread((stepper) => {
        let steps = 0;
        const mortal: Stepper = {
          wait: stepper.wait,
          act: (label, action) => {
            if (thread === 1 && deathAfter !== undefined && steps++ === deathAfter) throw new Died();
            return stepper.act(label, action);
          },
        };
        const queues = new Queues(memory, thread, steppedAtomics(mortal) as TaskAtomics);
        const inbox = inboxes[thread] as (number | null)[];
        const post = (message: Mail): void => void mortal.act('posts', () => mail.push(message));
        const obey = (): void => {
          const job = mortal.act('gets', () => inbox.shift() ?? null);
          if (job === null) return;
          mortal.act('runs', () => runs.push(job));
          post({ from: thread, done: job });
        };
        let fetching = 0;
        try {
          while (!queues.isShutDown) {
            const slot = queues.claim([0]);
            if (slot >= 0 && memory.isTicket(slot)) {
              post({ from: thread, ticket: slot });
              fetching++;
              if (claimsOn) continue;
            } else if (slot >= 0) {
              stepper.wait('the first order to be carried out', () => runs.includes(0));
              mortal.act('runs', () => runs.push(HELD));
              queues.complete(slot, Phase.done);
              post({ from: thread, done: HELD });
              continue;
            }
            if (fetching > 0) {
              stepper.wait('its order', () => inbox.length > 0);
              fetching--;
              obey();
              continue;
            }
            const bell = queues.prepareSleep([0]);
            if (bell === null) continue;
            queues.wait(bell, 1000);
            queues.wakeUp();
          }
        } catch (error) {
          if (!(error instanceof Died)) throw error;
          stepper.act('is dead', () => {
            isDead = true;
          });
        }
      });

    return {
      threads: { page, 'worker 1': worker(1), 'worker 2': worker(2) },
      atEnd: () => {
        const names = ended.map((each) => each.split(' ')[0]);
        if (new Set(names).size < names.length) throw new Error(`Ended: ${ended.join(', ')}.`);
        if (new Set(runs).size < runs.length) throw new Error(`Runs: ${runs.join(', ')}.`);
        const done = ended.filter((each) => each.endsWith('done'));
        if (runs.length < done.length) throw new Error(`Runs: ${runs.join(', ')} for ${ended.join(', ')}.`);
        const lost = ended.filter((each) => each.endsWith('lost')).length;
        if (lost > (deathAfter === undefined ? 0 : 1)) throw new Error(`Ended: ${ended.join(', ')}.`);
      },
    };
  };
}

function tryAll(name: string, options: TicketProgram, bound: ExploreOptions): number {
  const { schedules } = explore(ticketProgram(options), bound);
  console.log(`T3 ${name}: ${schedules} schedules of ${JSON.stringify(bound)}.`);
  return schedules;
}

describe('T3: orders that workers fetch, in every explored schedule', () => {
  it('each order is carried out once, also with more orders than tickets', () => {
    expect(tryAll('two orders', { jobs: 2 }, { maxDelays: 1 })).toBeGreaterThan(50);
    expect(tryAll('three orders, one ticket', { jobs: 3, tickets: 1 }, { maxDelays: 1 })).toBeGreaterThan(50);
  });

  it('an order is withdrawn or carried out, never both', () => {
    const options = { jobs: 2, tickets: 1, withdraws: true };
    expect(tryAll('two orders, one taken back', options, { maxDelays: 1 })).toBeGreaterThan(50);
  });

  it('a worker that dies at any of 30 steps loses at most its own order; the other orders are carried out', () => {
    let schedules = 0;
    for (let deathAfter = 0; deathAfter < 30; deathAfter++) {
      schedules += explore(ticketProgram({ jobs: 2, deathAfter }), { maxDelays: 1 }).schedules;
    }
    console.log(`T3 orders, and a death at each of 30 steps: ${schedules} schedules of {"maxDelays":1}.`);
    expect(schedules).toBeGreaterThan(50);
  });

  it('T5: a task that blocks until an order is carried out does not prevent that order', () => {
    expect(tryAll('an order that is waited for', { jobs: 1, holds: true }, { maxDelays: 2 })).toBeGreaterThan(
      50,
    );
  });

  it('the explorer catches a deadlock: a worker that claims more before its order has arrived', () => {
    const program = ticketProgram({ jobs: 1, holds: true, claimsOn: true });
    expect(() => explore(program, { maxDelays: 2 })).toThrow('the first order to be carried out');
  });

  it('the explorer catches a claimed ticket of a dead worker that is not queued again', () => {
    class Careless extends SharedQueues {
      override reap(dead: number): boolean {
        const { memory } = this;
        for (let place = 0; place < memory.shape.tickets; place++) {
          const ticket = memory.firstTicketOf(0) + place;
          if ((this.state(ticket) & 7) === Phase.running) this.clearTicket(ticket);
        }
        return super.reap(dead);
      }
    }
    const found = new Set<string>();
    for (let deathAfter = 0; deathAfter < 30; deathAfter++) {
      try {
        explore(ticketProgram({ jobs: 2, deathAfter, Queues: Careless }), { maxDelays: 1 });
      } catch (error) {
        found.add((error as Error).message.split(/[\s:]/)[0] as string);
      }
    }
    expect([...found]).toEqual(['Deadlock']);
  });
});
