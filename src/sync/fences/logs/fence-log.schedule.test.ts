import { describe, expect, it, vi } from 'vitest';
import {
  type Body,
  program,
  type Snapshot,
  setUp,
  signalled,
  tryAll,
  viewOf,
  WaitingThread,
} from '../../testing/fence-programs.js';
import { replayThread, steppedAtomics } from '../../testing/replay-thread.js';
import type { Program } from '../../testing/schedule-explorer.js';
import type { FenceAtomics } from '../fence-environment.js';
import { FenceMemory, LOG_HEADER_BYTES, LogKind } from '../fence-memory.js';
import { FenceLog, FenceLogReader, logCapacity, orderLog } from './fence-log.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

describe('F9 the log, every schedule of at most two preemptions', () => {
  const capacity = logCapacity(0);
  /** Creates memory with a log that has room for one more entry, so that three more entries wrap it. */
  const nearlyFullLog = (): ArrayBufferLike => {
    const { buffer, memory } = setUp();
    const log = new FenceLog(memory, 0, 1);
    for (let value = 1; value < capacity; value++) log.append(signalled(0, value));
    return buffer;
  };
  const nearlyFull = (
    write: (log: FenceLog, view: Snapshot, value: number) => void,
    read: (reader: FenceLogReader, view: Snapshot) => { values: number[]; lost: number },
    readings = 2,
  ) => {
    return (): Program => {
      const buffer = nearlyFullLog();
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
          // The entries that the reader returned must be consecutive, and must be added entries.
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
  const append = (log: FenceLog, _: Snapshot, value: number) => log.append(signalled(0, value));
  const read = (reader: FenceLogReader) => {
    const { entries, lost } = reader.read();
    if (entries.some(({ value, timeFinished }) => Number(value) !== timeFinished)) {
      throw new Error('An entry is torn.');
    }
    return { values: entries.map(({ value }) => Number(value)), lost };
  };

  it('the reader returns whole entries in order, across the wrap', () => {
    expect(tryAll(nearlyFull(append, read), { maxPreemptions: 2 }).schedules).toBeGreaterThan(200);
  });

  it('the explorer catches a writer that writes the header before the entry', () => {
    const hasty = (_: FenceLog, { memory }: Snapshot, value: number) => {
      const { atomics, words } = memory;
      const at = memory.logOffset(0, 1) / 8 + 8;
      const slot = (value - 1) % capacity;
      const wraps = BigInt(Math.floor((value - 1) / capacity));
      atomics.store(words, at, BigInt(slot + 1) | (wraps << 32n));
      const entry = at + 8 + slot * 4;
      const doubles = new Float64Array([value]);
      atomics.store(words, entry + 1, BigInt(value));
      atomics.store(words, entry + 3, new BigUint64Array(doubles.buffer)[0]);
    };
    expect(() => tryAll(nearlyFull(hasty, read), { maxPreemptions: 2 })).toThrow(/torn|Read/);
  });

  /**
   * Returns a program in which the real reader reads a full log while two more entries overwrite the oldest two. All
   * atomic operations of the writer are steps. The reader's loads are steps only up to the end of these two entries.
   */
  const readingTheOldest =
    (sabotage: (atomics: FenceAtomics, header: number) => FenceAtomics = (atomics) => atomics) =>
    (): Program => {
      const { buffer, memory } = setUp();
      const log = new FenceLog(memory, 0, LogKind.signals);
      for (let value = 1; value <= capacity; value++) log.append(signalled(0, value));
      const header = (memory.logOffset(0, LogKind.signals) + LOG_HEADER_BYTES) / 8;
      const isStep = (at: number): boolean => at < header + 8 + 2 * 4;
      return {
        threads: {
          reader: replayThread((stepper) => {
            const stepped = steppedAtomics(stepper) as FenceAtomics;
            const load = ((words: BigUint64Array, at: number) =>
              (isStep(at) ? stepped : Atomics).load(words, at)) as FenceAtomics['load'];
            const view = new FenceMemory(buffer, sabotage({ ...stepped, load }, header));
            read(new FenceLogReader(view, 0, LogKind.signals));
          }),
          writer: replayThread((stepper) => {
            const log = new FenceLog(viewOf(stepper, buffer).memory, 0, LogKind.signals);
            for (const value of [capacity + 1, capacity + 2]) log.append(signalled(0, value));
          }),
        },
      };
    };

  it('the reader returns no entry that was overwritten while it was read', () => {
    const { schedules } = tryAll(readingTheOldest(), { maxPreemptions: 2 });
    console.log(`fence log, the oldest entries: ${schedules} schedules of at most 2 preemptions`);
    expect(schedules).toBeGreaterThan(200);
  });

  it('the explorer catches a reader that does not read the header again after the entries', () => {
    const readingOnce = (atomics: FenceAtomics, header: number): FenceAtomics => {
      let known: bigint | null = null;
      const load = (words: BigUint64Array, at: number): bigint => {
        if (at !== header) return atomics.load(words, at);
        known ??= atomics.load(words, at);
        return known;
      };
      return { ...atomics, load: load as unknown as FenceAtomics['load'] };
    };
    expect(() => tryAll(readingTheOldest(readingOnce), { maxPreemptions: 2 })).toThrow('An entry is torn.');
  });

  /** Returns a program in which a log is replaced, in the same memory, while it is read (SYSTEMS F13). */
  const madeAnew =
    (sabotage: (atomics: FenceAtomics, log: number) => FenceAtomics = (atomics) => atomics) =>
    (): Program => {
      const { buffer, memory } = setUp();
      const log = new FenceLog(memory, 0, LogKind.signals);
      for (const value of [1, 2]) log.append(signalled(0, value));
      return {
        threads: {
          reader: replayThread((stepper) => {
            const { atomics } = viewOf(stepper, buffer).memory;
            const view = new FenceMemory(buffer, sabotage(atomics, memory.logOffset(0, LogKind.signals) / 8));
            const reader = new FenceLogReader(view, 0, LogKind.signals);
            const values = [...read(reader).values, ...read(reader).values];
            // Values are in order, and no entry of the new log is taken for an entry of the old log.
            if (values.some((value, index) => value <= (values[index - 1] ?? 0)))
              throw new Error(`Read ${values}.`);
          }),
          writer: replayThread((stepper) => {
            const { memory: view } = viewOf(stepper, buffer);
            orderLog(view, 0, LogKind.signals, null);
            orderLog(view, 0, LogKind.signals, 1);
            const log = new FenceLog(view, 0, LogKind.signals);
            for (const value of [3, 4]) log.append(signalled(0, value));
          }),
        },
      };
    };

  it('F13: a reader returns whole entries of the old or the new log while the log is replaced', () => {
    const { schedules } = tryAll(madeAnew(), { maxPreemptions: 2 });
    console.log(`fence log, made anew: ${schedules} schedules of at most 2 preemptions`);
    expect(schedules).toBeGreaterThan(200);
  });

  it('F13: the explorer catches a reader that does not check whether the log was replaced', () => {
    const lookingOnce = (atomics: FenceAtomics, log: number): FenceAtomics => {
      let known: bigint | null = null;
      const load = (words: BigUint64Array, at: number): bigint => {
        if (at !== log) return atomics.load(words, at);
        known ??= atomics.load(words, at);
        return known;
      };
      return { ...atomics, load: load as unknown as FenceAtomics['load'] };
    };
    expect(() => tryAll(madeAnew(lookingOnce), { maxPreemptions: 2 })).toThrow(/torn|Read/);
  });
});

describe('F11 notification by queue, every schedule of at most three preemptions', () => {
  /**
   * Signals as a queue does: raises the value, appends the log entry, names the queue and rings. With
   * `name first`, the log entry is appended last.
   */
  const queueSignal =
    (order: 'log first' | 'name first') =>
    (value: bigint): Body =>
    ({ memory, cell, mailbox }) => {
      const log = new FenceLog(memory, 0, 1);
      const write = () => log.append(signalled(0, Number(value)));
      const notify = () =>
        cell.forEachToNotify(value, () => {
          mailbox.nameQueue(0);
          mailbox.ring();
        });
      cell.raise(value);
      if (order === 'log first') write();
      notify();
      if (order === 'name first') write();
    };
  /** Waits, and checks its fence only if the log has new or lost entries. */
  const waitByLog =
    (awaited: bigint): Body =>
    (view, done) => {
      const thread = new WaitingThread(view, done);
      const reader = new FenceLogReader(view.memory, 0, 1, 'now');
      thread.await(awaited);
      thread.run(() => {
        const { entries, lost } = reader.read();
        return lost > 0 || entries.length > 0;
      });
    };

  it('no wake-up is lost', () => {
    tryAll(program([queueSignal('log first')(2n)], waitByLog(2n), [2n]));
  });

  it('the explorer catches a queue that is named before its log is written', () => {
    expect(() => tryAll(program([queueSignal('name first')(2n)], waitByLog(2n), [2n]))).toThrow('Deadlock');
  });
});
