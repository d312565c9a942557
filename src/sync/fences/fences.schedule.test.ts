import { describe, expect, it, vi } from 'vitest';
import {
  type Body,
  program,
  signal,
  tryAll,
  WAITER,
  WaitingThread,
  waitFor,
} from '../testing/fence-programs.js';
import { FenceThreads } from '../testing/fence-threads.js';
import { explore, type Program, waitFor as waitForEvent } from '../testing/schedule-explorer.js';
import { FenceReceiver } from './fence-mailbox.js';
import { NOBODY_WAITS } from './fence-value.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

/**
 * Conditional notification. For each race that WDDM's documentation names, and for a few more, a test breaks the
 * protocol on purpose. The explorer must catch the fault.
 */
describe('F5 conditional notification, every schedule of few preemptions', () => {
  it('no wake-up is lost, with one signaller and with two', () => {
    expect(tryAll(program([signal(1n, 2n)], waitFor(2n), [2n])).schedules).toBeGreaterThan(500);
    expect(
      tryAll(program([signal(1n), signal(2n)], waitFor(2n), [2n]), { maxPreemptions: 2 }).schedules,
    ).toBeGreaterThan(500);
  });

  it('no wake-up of several waiters is lost; the monitored value follows the smallest awaited value', () => {
    const result = tryAll(program([signal(1n, 3n)], waitFor(3n, 1n), [1n, 3n]));
    expect(result.schedules).toBeGreaterThan(500);
  });

  it('no wake-up is lost if one waiter expires while another waits and signals arrive', () => {
    const expiring: Body = (view, done) => {
      const thread = new WaitingThread(view, done);
      const early = { value: 1n, settle: () => {} };
      thread.waiters.add(early);
      thread.await(2n);
      thread.waiters.remove(early);
      thread.run();
    };
    tryAll(program([signal(1n, 2n)], expiring, [2n]));
  });
});

describe('F5 races, each planted on purpose and caught', () => {
  const caught = (signallers: readonly Body[], waiter: Body = waitFor(2n), expected = [2n]) =>
    expect(() => tryAll(program(signallers, waiter, expected), { maxPreemptions: 2 })).toThrow(
      'Deadlock: waiter waits for the bell',
    );

  it('stale monitored value: the signaller reads it before it has written the current value', () => {
    caught([
      ({ cell, mailbox }) => {
        let mustNotify = false;
        cell.forEachToNotify(2n, () => {
          mustNotify = true;
        });
        cell.raise(2n);
        if (!mustNotify) return;
        mailbox.nameFence(0);
        mailbox.ring();
      },
    ]);
  });

  it('newer value between read and decision: one signaller decides for several, and reads the value only once', () => {
    const BUSY = 60; // an unused word of the header
    const decidingForOthers =
      (value: bigint): Body =>
      ({ memory, cell, mailbox }) => {
        cell.raise(value);
        const { atomics, ints } = memory;
        if (atomics.exchange(ints, BUSY, 1) === 1) return; // another signaller decides already
        cell.forEachToNotify(cell.current, () => {
          mailbox.nameFence(0);
          mailbox.ring();
        });
        atomics.store(ints, BUSY, 0);
      };
    caught([decidingForOthers(1n), decidingForOthers(2n)]);
  });

  it('the signaller notifies before it raises the value', () => {
    caught([
      ({ cell, mailbox }) => {
        cell.forEachToNotify(2n, () => {
          mailbox.nameFence(0);
          mailbox.ring();
        });
        cell.raise(2n);
      },
    ]);
  });

  it('the waiter reads the current value, and then only writes the monitored value', () => {
    const trusting: Body = ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      while (cell.current < 2n) {
        cell.monitor(WAITER, 1n);
        receiver.sleep(Number.POSITIVE_INFINITY);
        receiver.receive();
      }
      cell.monitor(WAITER, NOBODY_WAITS);
      done(2n);
    };
    caught([signal(2n)], trusting);
  });

  it('the waiter writes the monitored value and sleeps, without reading the current value again', () => {
    const forgetful: Body = ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      for (const awaited of [1n, 2n]) {
        cell.monitor(WAITER, awaited - 1n);
        if (awaited === 1n && cell.current >= awaited) {
          done(awaited);
          continue;
        }
        do {
          receiver.sleep(Number.POSITIVE_INFINITY);
          receiver.receive();
        } while (cell.current < awaited);
        done(awaited);
      }
      cell.monitor(WAITER, NOBODY_WAITS);
    };
    caught([signal(1n, 2n)], forgetful, [1n, 2n]);
  });

  it('the receiver reads the bell after it has taken the names', () => {
    const late: Body = (view, done) => {
      const { memory, mailbox } = view;
      const thread = new WaitingThread(view, done);
      for (const value of [1n, 2n]) thread.await(value);
      let rings = 0;
      while (thread.missing > 0) {
        memory.atomics.wait(memory.ints, mailbox.bell, rings);
        if (mailbox.take().fences.length > 0) thread.waiters.check();
        rings = mailbox.rings;
      }
    };
    caught([signal(1n, 2n)], late, [1n, 2n]);
  });

  it('the bell rings before the fence is named, and a notification without names is ignored', () => {
    const deaf: Body = (view, done) => {
      const thread = new WaitingThread(view, done);
      thread.await(2n);
      thread.run(({ fences }) => fences.length > 0);
    };
    const hasty: Body = ({ cell, mailbox }) => {
      cell.raise(2n);
      cell.forEachToNotify(2n, () => {
        mailbox.ring();
        mailbox.nameFence(0);
      });
    };
    caught([hasty], deaf);
    // A receiver that checks all fences after an empty notification loses nothing even in this order.
    tryAll(program([hasty], waitFor(2n), [2n]));
  });
});

describe('F5 by messages, every schedule', () => {
  /**
   * Returns a program of a signaller and a waiter, both on replicas. The explorer chooses when each message arrives.
   */
  const byMessages = (isBroken: boolean) => (): Program => {
    const threads = new FenceThreads('messages');
    const { home } = threads;
    const [signaller, waiting] = ['signaller', 'waiter'].map((name) => threads.join(name));
    const fence = home.create('done');
    const [there, here] = [signaller, waiting].map((thread) => thread.open(fence.share()));
    threads.settle();
    if (isBroken) {
      // The proxy writes the monitored value, and does not read the current value again.
      const cell = home.core.cell(fence.index);
      threads.intercept(waiting, (message) => {
        const { kind, slot, value } = message as { kind: string; slot: number; value: bigint };
        if (kind !== 'monitor') return false;
        cell.monitor(slot, value);
        return true;
      });
    }
    let released = 0;
    let ahead = '';
    const add = (value: bigint) => {
      const settle = () => {
        released++;
      };
      here.local.waiters.add({ value, settle });
    };
    return {
      threads: {
        waiter: (function* () {
          add(2n);
          yield 'awaits 2';
          add(1n);
          yield waitForEvent('both values', () => released === 2);
        })(),
        signaller: (function* () {
          there.signal(1);
          yield 'signals 1';
          there.signal(2);
        })(),
        messages: (function* () {
          for (;;) {
            yield waitForEvent('a message', () => threads.inbox.length > 0);
            threads.deliver();
            const { current } = home.core.cell(fence.index);
            if (here.local.cell.current > current) ahead = `ahead of ${current}`;
          }
        })(),
      },
      daemons: ['messages'],
      invariant: () => {
        if (ahead !== '') throw new Error(`The copy is ${ahead}.`);
      },
    };
  };

  it('no wake-up is lost, and no copy is ahead of the memory', () => {
    expect(explore(byMessages(false)).schedules).toBeGreaterThan(20);
  });

  it('the explorer catches a proxy that does not read the current value after it has written the monitored value', () => {
    expect(() => explore(byMessages(true))).toThrow('Deadlock: waiter waits for both values');
  });
});
