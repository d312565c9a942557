import { describe, expect, it, vi } from 'vitest';
import { FenceThreads } from '../testing/fence-threads.js';
import { replayThread, type Stepper } from '../testing/replay-thread.js';
import {
  type ExploreOptions,
  explore,
  type Program,
  waitFor as waitForEvent,
} from '../testing/schedule-explorer.js';
import { FenceCell, FenceFlag, HALF_RANGE, NOBODY_WAITS } from './fence-cell.js';
import { FenceLog, FenceLogReader, FenceOperation, logCapacity } from './fence-log.js';
import { FenceMailbox, FenceReceiver } from './fence-mailbox.js';
import { CELL_BYTES, createFenceBuffer, type FenceAtomics, FenceMemory, SLOTS } from './fence-memory.js';
import { FenceWaiters } from './fence-waiters.js';

// Thousands of schedules take seconds on a busy machine; no result depends on the time.
vi.setConfig({ testTimeout: 120_000 });

/**
 * The real protocol in shared memory, interrupted before every atomic operation. A waiter sleeps on its bell only, as
 * a thread does, so a lost wake-up is a deadlock. Each race that WDDM's documents warn of, and some of ours, stands
 * beside it as a variant that is broken on purpose and must be caught.
 */
const WAITER = 1;

/** One thread's view: every atomic operation is a step, and sleeping is the explorer's. */
function viewOf(stepper: Stepper, buffer: ArrayBufferLike) {
  const atomics = new Proxy(Atomics, {
    get: (target, name) => {
      if (name === 'wait') {
        return (ints: Int32Array, index: number, expected: number) =>
          stepper.wait('the bell', () => ints[index] !== expected);
      }
      const operation = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) =>
        stepper.act(`${String(name)} ${args.slice(1).join(' ')}`, () => operation.apply(target, args));
    },
  }) as FenceAtomics;
  const memory = new FenceMemory(buffer, atomics);
  const cell = new FenceCell(memory, memory.cellOffset(0), SLOTS, CELL_BYTES);
  return { memory, cell, mailbox: new FenceMailbox(memory, WAITER) };
}

type View = ReturnType<typeof viewOf>;
type Body = (view: View, done: (value: bigint) => void) => void;

function setUp(flags = 0, value = 0n) {
  const buffer = createFenceBuffer({ capacity: 1, queues: 1 }, true);
  const memory = new FenceMemory(buffer);
  const cell = new FenceCell(memory, memory.cellOffset(0), SLOTS, CELL_BYTES);
  cell.create(value, flags);
  cell.openSlot(WAITER);
  return { buffer, memory, cell };
}

/** `expected`: what the waiter has been released for, at the end. */
function program(signallers: readonly Body[], waiter: Body, expected: readonly bigint[]): () => Program {
  return () => {
    const { buffer, cell } = setUp();
    let released: bigint[] = [];
    let last = 0n;
    const thread = (body: Body, isWaiter = false) =>
      replayThread((stepper) => {
        const list: bigint[] = [];
        body(viewOf(stepper, buffer), (value) => list.push(value));
        if (isWaiter) released = list;
      });
    return {
      threads: {
        waiter: thread(waiter, true),
        ...Object.fromEntries(signallers.map((body, index) => [`signaller ${index + 1}`, thread(body)])),
      },
      invariant: () => {
        const { current } = cell;
        if (current < last) throw new Error(`The value went back from ${last} to ${current}.`);
        last = current;
      },
      atEnd: () => {
        expect([...released].sort()).toEqual(expected);
        expect(cell.monitored(WAITER)).toBe(NOBODY_WAITS);
      },
    };
  };
}

/** As `Fences.signalCells` has it: value first, then whoever monitors less is named and rung. */
const signal =
  (...values: bigint[]): Body =>
  ({ cell, mailbox }) => {
    for (const value of values) {
      if (!cell.raise(value)) continue;
      let mustRing = false;
      cell.forEachToTell(value, () => {
        mailbox.nameFence(0);
        mustRing = true;
      });
      if (mustRing) mailbox.ring();
    }
  };

/** As `Fences` waits: the real waiters and the real receiver. */
const waitFor =
  (...awaited: bigint[]): Body =>
  ({ memory, cell, mailbox }, done) => {
    const receiver = new FenceReceiver(memory, mailbox);
    const waiters = new FenceWaiters(cell, WAITER, () => null);
    let missing = awaited.length;
    for (const value of awaited) {
      waiters.add({
        value,
        settle: () => {
          missing--;
          done(value);
        },
      });
    }
    while (missing > 0) {
      receiver.sleep(Number.POSITIVE_INFINITY);
      if (receiver.hear()) waiters.look();
    }
  };

const tryAll = (create: () => Program, options: ExploreOptions = { maxPreemptions: 3 }) =>
  explore(create, options);

describe('F5 conditional notification, every schedule', () => {
  it('loses no wake-up, with one signaller and two', () => {
    expect(tryAll(program([signal(1n, 2n)], waitFor(2n), [2n])).schedules).toBeGreaterThan(500);
    expect(
      tryAll(program([signal(1n), signal(2n)], waitFor(2n), [2n]), { maxPreemptions: 2 }).schedules,
    ).toBeGreaterThan(500);
  });

  it('loses none of several waiters, whose monitored value follows the smallest', () => {
    const result = tryAll(program([signal(1n, 3n)], waitFor(3n, 1n), [1n, 3n]));
    expect(result.schedules).toBeGreaterThan(500);
  });

  it('lets a waiter expire while others wait and signals come', () => {
    const expiring: Body = ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      const waiters = new FenceWaiters(cell, WAITER, () => null);
      let isOver = false;
      const early = { value: 1n, settle: () => {} };
      waiters.add(early);
      const settle = () => {
        isOver = true;
        done(2n);
      };
      waiters.add({ value: 2n, settle });
      waiters.remove(early);
      while (!isOver) {
        receiver.sleep(Number.POSITIVE_INFINITY);
        if (receiver.hear()) waiters.look();
      }
    };
    tryAll(program([signal(1n, 2n)], expiring, [2n]));
  });
});

describe('F5 races, each broken on purpose, and caught', () => {
  const caught = (signallers: readonly Body[], waiter: Body = waitFor(2n), expected = [2n]) =>
    expect(() => tryAll(program(signallers, waiter, expected), { maxPreemptions: 2 })).toThrow(
      'Deadlock: waiter waits for the bell',
    );

  it('stale monitored value: the signaller reads it before it has written the current one', () => {
    caught([
      ({ cell, mailbox }) => {
        let mustTell = false;
        cell.forEachToTell(2n, () => {
          mustTell = true;
        });
        cell.raise(2n);
        if (!mustTell) return;
        mailbox.nameFence(0);
        mailbox.ring();
      },
    ]);
  });

  it('newer value between read and decision: who decides for several writers looks once', () => {
    const BUSY = 60; // a word of the header that nobody uses
    const decidingForOthers =
      (value: bigint): Body =>
      ({ memory, cell, mailbox }) => {
        cell.raise(value);
        const { atomics, ints } = memory;
        if (atomics.exchange(ints, BUSY, 1) === 1) return; // somebody decides already
        cell.forEachToTell(cell.current, () => {
          mailbox.nameFence(0);
          mailbox.ring();
        });
        atomics.store(ints, BUSY, 0);
      };
    caught([decidingForOthers(1n), decidingForOthers(2n)]);
  });

  it('notifying before writing', () => {
    caught([
      ({ cell, mailbox }) => {
        cell.forEachToTell(2n, () => {
          mailbox.nameFence(0);
          mailbox.ring();
        });
        cell.raise(2n);
      },
    ]);
  });

  it('the waiter reads the current value, and then only writes the monitored one', () => {
    const trusting: Body = ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      while (cell.current < 2n) {
        cell.monitor(WAITER, 1n);
        receiver.sleep(Number.POSITIVE_INFINITY);
        receiver.hear();
      }
      cell.monitor(WAITER, NOBODY_WAITS);
      done(2n);
    };
    caught([signal(2n)], trusting);
  });

  it('the monitored value moves on for the next waiter, and the current one is not read again', () => {
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
          receiver.hear();
        } while (cell.current < awaited);
        done(awaited);
      }
      cell.monitor(WAITER, NOBODY_WAITS);
    };
    caught([signal(1n, 2n)], forgetful, [1n, 2n]);
  });

  it('the receiver reads the bell after it has taken the names', () => {
    const late: Body = ({ memory, cell, mailbox }, done) => {
      const waiters = new FenceWaiters(cell, WAITER, () => null);
      let missing = 2;
      for (const value of [1n, 2n]) {
        const settle = () => {
          missing--;
          done(value);
        };
        waiters.add({ value, settle });
      }
      let rings = 0;
      while (missing > 0) {
        memory.atomics.wait(memory.ints, mailbox.bell, rings);
        if (mailbox.take().fences.length > 0) waiters.look();
        rings = mailbox.rings;
      }
    };
    caught([signal(1n, 2n)], late, [1n, 2n]);
  });

  it('the bell rings before the fence is named, and a notification without names is ignored', () => {
    const deaf: Body = ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      const waiters = new FenceWaiters(cell, WAITER, () => null);
      let isOver = false;
      const settle = () => {
        isOver = true;
        done(2n);
      };
      waiters.add({ value: 2n, settle });
      while (!isOver) {
        receiver.sleep(Number.POSITIVE_INFINITY);
        if ((receiver.hear()?.fences.length ?? 0) > 0) waiters.look();
      }
    };
    const hasty: Body = ({ cell, mailbox }) => {
      cell.raise(2n);
      cell.forEachToTell(2n, () => {
        mailbox.ring();
        mailbox.nameFence(0);
      });
    };
    caught([hasty], deaf);
    // An empty notification means "look at everything": then even this order loses nothing.
    tryAll(program([hasty], waitFor(2n), [2n]));
  });
});

describe('F1 the value, every schedule', () => {
  it('never goes back, whoever signals', () => {
    tryAll(program([signal(1n, 4n), signal(2n, 3n)], waitFor(4n), [4n]), { maxPreemptions: 2 });
  });

  it('is caught when signallers store without comparing', () => {
    const storing =
      (value: bigint): Body =>
      ({ memory, cell }) => {
        const { atomics, words } = memory;
        if (cell.current < value) atomics.store(words, memory.cellOffset(0) / 8, value);
      };
    expect(() => tryAll(program([storing(1n), storing(2n)], () => {}, []))).toThrow(/went back from 2 to 1/);
  });
});

describe('F6 32 bits, every schedule', () => {
  const steps = [1n, 2n, 3n].map((count) => count * HALF_RANGE);
  const narrow =
    (reader: (view: View) => bigint, signallers: readonly (readonly bigint[])[]): (() => Program) =>
    () => {
      const { buffer, cell } = setUp(FenceFlag.is32Bit);
      return {
        threads: {
          ...Object.fromEntries(
            signallers.map((values, index) => [
              `signaller ${index + 1}`,
              replayThread((stepper) => {
                const view = viewOf(stepper, buffer);
                for (const value of values) view.cell.raise(value);
              }),
            ]),
          ),
          reader: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            let last = 0n;
            for (let reading = 0; reading < 2; reading++) {
              const value = reader(view);
              if (value !== 0n && !steps.includes(value)) throw new Error(`${value} was never signalled.`);
              if (value < last) throw new Error(`The value went back from ${last} to ${value}.`);
              last = value;
            }
          }),
        },
        atEnd: () => expect(cell.current).toBe(steps[2]),
      };
    };

  it('never reads a value that was not signalled, across two wraps of half the range', () => {
    const result = tryAll(narrow(({ cell }) => cell.current, [steps]));
    expect(result.schedules).toBeGreaterThan(300);
    tryAll(
      narrow(({ cell }) => cell.current, [steps, steps]),
      { maxPreemptions: 2 },
    );
  });

  it('is caught when the count of half ranges is not read again', () => {
    const careless = ({ memory }: View): bigint => {
      const { atomics, ints } = memory;
      const at = memory.cellOffset(0) / 4;
      const halves = atomics.load(ints, at + 1);
      const low = atomics.load(ints, at);
      const isBehind = (halves & 1) !== low >>> 31;
      return (BigInt((halves + Number(isBehind)) >>> 0) << 31n) | BigInt(low & 0x7fffffff);
    };
    expect(() => tryAll(narrow(careless, [steps]))).toThrow(/was never signalled|went back/);
  });
});

describe('F7 references, every schedule', () => {
  type Outcome = 'opened' | 'gone';
  const opening = (open: (view: View) => boolean, close: (view: View) => void) => () => {
    const { buffer, cell } = setUp();
    const generation = cell.generation;
    let outcome: Outcome = 'gone';
    let deaths = 0;
    return {
      threads: {
        closer: replayThread((stepper) => close(viewOf(stepper, buffer))),
        opener: replayThread((stepper) => {
          outcome = open(viewOf(stepper, buffer)) ? 'opened' : 'gone';
        }),
      },
      atEnd: () => {
        // Opened means alive, and its last reference ends it exactly once.
        if (outcome === 'opened') {
          if (!cell.isAlive || cell.generation !== generation) throw new Error('Opened a destroyed fence.');
          if (cell.unreference()) deaths++;
          if (deaths !== 1) throw new Error('It outlived its last reference.');
        }
        if (cell.isAlive) throw new Error('It outlived its last reference.');
      },
    };
  };

  it('a fence is opened alive or not at all', () => {
    const result = tryAll(
      opening(
        ({ cell }) => cell.reference(1),
        ({ cell }) => void cell.unreference(),
      ),
    );
    expect(result.schedules).toBeGreaterThan(5);
  });

  it('is caught when the opener counts without comparing', () => {
    const REFERENCES = 3;
    const careless = ({ memory }: View): boolean => {
      const { atomics, ints } = memory;
      const at = memory.cellOffset(0) / 4 + REFERENCES;
      if (atomics.load(ints, at) <= 0) return false;
      atomics.add(ints, at, 1);
      return true;
    };
    expect(() => tryAll(opening(careless, ({ cell }) => void cell.unreference()))).toThrow(/Opened|outlived/);
  });
});

describe('F9 the log, every schedule', () => {
  /** A log that is full but for one entry, so that writing three more wraps it. */
  const nearlyFull = (
    write: (log: FenceLog, view: View, value: number) => void,
    read: (reader: FenceLogReader, view: View) => { values: number[]; lost: number },
    readings = 2,
  ) => {
    const capacity = logCapacity(0);
    return (): Program => {
      const { buffer, memory } = setUp();
      const before = new FenceLog(memory, 0, 1);
      for (let value = 1; value < capacity; value++) {
        before.append(0, BigInt(value), FenceOperation.signalExecuted, 0, value);
      }
      const added = [capacity, capacity + 1, capacity + 2];
      let seen: number[] = [];
      let lostAll = 0;
      return {
        threads: {
          writer: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            const log = new FenceLog(view.memory, 0, 1);
            for (const value of added) write(log, view, value);
          }),
          reader: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            const reader = new FenceLogReader(view.memory, 0, 1, 'now');
            const values: number[] = [];
            let lost = 0;
            for (let reading = 0; reading < readings; reading++) {
              const found = read(reader, view);
              values.push(...found.values);
              lost += found.lost;
            }
            [seen, lostAll] = [values, lost];
          }),
        },
        atEnd: () => {
          // What was read is what was written, in order, without a gap that nobody counted.
          const first = seen[0] ?? 0;
          if (
            seen.some((value, index) => value !== first + index) ||
            seen.some((value) => value < capacity)
          ) {
            throw new Error(`Read ${seen.join(', ')}; lost ${lostAll}.`);
          }
        },
      };
    };
  };
  const append = (log: FenceLog, _: View, value: number) =>
    log.append(0, BigInt(value), FenceOperation.signalExecuted, 0, value);
  const read = (reader: FenceLogReader) => {
    const { entries, lost } = reader.read();
    if (entries.some(({ value, timeFinished }) => Number(value) !== timeFinished)) {
      throw new Error('An entry is torn.');
    }
    return { values: entries.map(({ value }) => Number(value)), lost };
  };

  it('gives whole entries in order, across the wrap', () => {
    expect(tryAll(nearlyFull(append, read), { maxPreemptions: 2 }).schedules).toBeGreaterThan(200);
  });

  it('is caught when the header is written before the entry', () => {
    const hasty = (_: FenceLog, { memory }: View, value: number) => {
      const { atomics, words } = memory;
      const at = memory.logOffset(0, 1) / 8 + 8;
      const slot = (value - 1) % logCapacity(0);
      const wraps = BigInt(Math.floor((value - 1) / logCapacity(0)));
      atomics.store(words, at, BigInt(slot + 1) | (wraps << 32n));
      const entry = at + 8 + slot * 4;
      const doubles = new Float64Array([value]);
      atomics.store(words, entry + 1, BigInt(value));
      atomics.store(words, entry + 3, new BigUint64Array(doubles.buffer)[0]);
    };
    expect(() => tryAll(nearlyFull(hasty, read), { maxPreemptions: 2 })).toThrow(/torn|Read/);
  });

  it('is caught when the header is not read again: entries overwritten meanwhile', () => {
    const capacity = logCapacity(0);
    const program = (isChecked: boolean) => (): Program => {
      const { buffer, memory } = setUp();
      const before = new FenceLog(memory, 0, 1);
      for (let value = 1; value < capacity; value++) {
        before.append(0, BigInt(value), FenceOperation.signalExecuted, 0, value);
      }
      return {
        threads: {
          reader: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            // It has read all but the two oldest entries of the next lap before.
            const { atomics, words } = view.memory;
            const at = view.memory.logOffset(0, 1) / 8 + 8;
            const [header] = [atomics.load(words, at)];
            const value = atomics.load(words, at + 8 + 1);
            const time = atomics.load(words, at + 8 + 3);
            const again = isChecked ? atomics.load(words, at) : header;
            const written = Number(again >> 32n) * capacity + Number(again & 0xffffffffn);
            const isIntact = written - capacity + 1 <= 0;
            const finished = new Float64Array(new BigUint64Array([time]).buffer)[0];
            if (isIntact && Number(value) !== finished) throw new Error('An entry is torn.');
          }),
          writer: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            const log = new FenceLog(view.memory, 0, 1);
            for (const value of [capacity, capacity + 1]) append(log, view, value);
          }),
        },
      };
    };
    tryAll(program(true), { maxPreemptions: 2 });
    expect(() => tryAll(program(false), { maxPreemptions: 2 })).toThrow('An entry is torn.');
  });
});

describe('F11 notification by queue, every schedule', () => {
  /** The queue's signal: value, entry, header, then the queue is named. */
  const queueSignal =
    (order: 'log first' | 'name first') =>
    (value: bigint): Body =>
    ({ memory, cell, mailbox }) => {
      const log = new FenceLog(memory, 0, 1);
      const write = () => log.append(0, value, FenceOperation.signalExecuted, 0, Number(value));
      const tell = () =>
        cell.forEachToTell(value, () => {
          mailbox.nameQueue(0);
          mailbox.ring();
        });
      cell.raise(value);
      if (order === 'log first') write();
      tell();
      if (order === 'name first') write();
    };
  /** Looks only at fences that the log names since the last time. */
  const waitByLog =
    (awaited: bigint): Body =>
    ({ memory, cell, mailbox }, done) => {
      const receiver = new FenceReceiver(memory, mailbox);
      const reader = new FenceLogReader(memory, 0, 1, 'now');
      const waiters = new FenceWaiters(cell, WAITER, () => null);
      let isOver = false;
      const settle = () => {
        isOver = true;
        done(awaited);
      };
      waiters.add({ value: awaited, settle });
      while (!isOver) {
        receiver.sleep(Number.POSITIVE_INFINITY);
        if (!receiver.hear()) continue;
        const { entries, lost } = reader.read();
        if (lost > 0 || entries.length > 0) waiters.look();
      }
    };

  it('loses no wake-up', () => {
    tryAll(program([queueSignal('log first')(2n)], waitByLog(2n), [2n]));
  });

  it('is caught when the queue is named before its log is written', () => {
    expect(() => tryAll(program([queueSignal('name first')(2n)], waitByLog(2n), [2n]))).toThrow('Deadlock');
  });
});

describe('F5 by messages, every schedule', () => {
  /** A signaller and a waiter, both on replicas; every message arrives when the explorer says so. */
  const byMessages = (isBroken: boolean) => (): Program => {
    const threads = new FenceThreads('messages');
    const { home } = threads;
    const [signaller, waiting] = ['signaller', 'waiter'].map((name) => threads.join(name));
    const fence = home.create('done');
    const [there, here] = [signaller, waiting].map((thread) => thread.open(fence.share()));
    threads.settle();
    if (isBroken) {
      // The proxy writes the monitored value, and does not read the current one again.
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

  it('loses no wake-up, and no copy is ahead of the memory', () => {
    expect(explore(byMessages(false)).schedules).toBeGreaterThan(20);
  });

  it('is caught when the proxy does not read the current value after the monitored one', () => {
    expect(() => explore(byMessages(true))).toThrow('Deadlock: waiter waits for both values');
  });
});
