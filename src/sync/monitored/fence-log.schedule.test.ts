import { describe, expect, it, vi } from 'vitest';
import {
  type Body,
  program,
  setUp,
  signalled,
  tryAll,
  type View,
  viewOf,
  WaitingThread,
} from '../testing/fence-programs.js';
import { replayThread } from '../testing/replay-thread.js';
import type { Program } from '../testing/schedule-explorer.js';
import { FenceLog, FenceLogReader, logCapacity } from './fence-log.js';

// Thousands of schedules take seconds on a busy machine; no result depends on the time.
vi.setConfig({ testTimeout: 120_000 });

describe('F9 the log, every schedule', () => {
  const capacity = logCapacity(0);
  /** Memory with a log that is full but for one entry, so that writing three more wraps it. */
  const nearlyFullLog = (): ArrayBufferLike => {
    const { buffer, memory } = setUp();
    const log = new FenceLog(memory, 0, 1);
    for (let value = 1; value < capacity; value++) log.append(signalled(0, value));
    return buffer;
  };
  const nearlyFull = (
    write: (log: FenceLog, view: View, value: number) => void,
    read: (reader: FenceLogReader, view: View) => { values: number[]; lost: number },
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
  const append = (log: FenceLog, _: View, value: number) => log.append(signalled(0, value));
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

  it('is caught when the header is not read again: entries overwritten meanwhile', () => {
    const program = (isChecked: boolean) => (): Program => {
      const buffer = nearlyFullLog();
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
      const write = () => log.append(signalled(0, Number(value)));
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
    (view, done) => {
      const thread = new WaitingThread(view, done);
      const reader = new FenceLogReader(view.memory, 0, 1, 'now');
      thread.await(awaited);
      thread.run(() => {
        const { entries, lost } = reader.read();
        return lost > 0 || entries.length > 0;
      });
    };

  it('loses no wake-up', () => {
    tryAll(program([queueSignal('log first')(2n)], waitByLog(2n), [2n]));
  });

  it('is caught when the queue is named before its log is written', () => {
    expect(() => tryAll(program([queueSignal('name first')(2n)], waitByLog(2n), [2n]))).toThrow('Deadlock');
  });
});
