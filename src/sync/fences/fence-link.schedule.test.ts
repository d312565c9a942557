import { expect, it, vi } from 'vitest';
import type { PortLike } from '../../core/streams/carrier.js';
import { replayThread, type Stepper, steppedAtomics } from '../testing/replay-thread.js';
import { explore, type Program } from '../testing/schedule-explorer.js';
import { CountCell } from './cells/count-cell.js';
import type { FenceAtomics, FenceListening } from './fence-environment.js';
import { createFenceLink, ReceivedFences, sendFences } from './fence-link.js';
import { PrivateFence } from './private-fence.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

/**
 * The engine's links in shared memory: the real cell, sender and receiver, interrupted before every atomic operation.
 * Only a change of the bell, the first word of the memory, wakes the receiver. So a lost wake-up is a deadlock.
 */
const names = ['recorded'];
const { memory: shared } = createFenceLink(names, true)[0];
/** Returns the link's memory, cleared for the next schedule. */
const linkMemory = (): ArrayBufferLike => {
  memoryOf(shared as ArrayBufferLike).fill(0);
  return shared as ArrayBufferLike;
};
const noPort: PortLike = { postMessage: () => {}, onmessage: null, close: () => {} };
const bounds = { maxPreemptions: 3 };
const memoryOf = (memory: ArrayBufferLike): Int32Array => new Int32Array(memory);
/** Offset of the link's first fence, in bytes. */
const FENCE_BYTE = 64;

type Body = (stepper: Stepper, memory: ArrayBufferLike) => void;

/** Signals the values as the sender of a link. */
const send =
  (...values: number[]): Body =>
  (stepper, memory) => {
    const fence = new PrivateFence('recorded', { cell: new CountCell(new Int32Array(8), 0) });
    const atomics = steppedAtomics(stepper) as FenceAtomics;
    sendFences({ port: noPort, memory, names }, { recorded: fence }, { atomics, listen: () => {} });
    for (const value of values) fence.signal(value);
  };

/** Waits for the values in turn, as an event loop does. */
const receive =
  (...values: number[]): Body =>
  (stepper, memory) => {
    let onBell: (() => void) | null = null;
    const listening: FenceListening = {
      atomics: steppedAtomics(stepper) as FenceAtomics,
      listen: (ints, index, expected, onChange) => {
        onBell = () => {
          stepper.wait('the bell', () => ints[index] !== expected);
          onChange();
        };
      },
    };
    const [fence] = new ReceivedFences({ port: noPort, memory, names }, listening).fences;
    for (const value of values) {
      let isOver = false;
      const unsubscribe = fence.subscribe(() => {
        isOver = fence.isReached(value);
      });
      isOver ||= fence.isReached(value);
      while (!isOver) {
        const ring = onBell as (() => void) | null;
        if (!ring) throw new Error('The receiver does not listen.');
        onBell = null;
        ring();
      }
      unsubscribe();
    }
  };

const program =
  (sender: Body, receiver: Body): (() => Program) =>
  () => {
    const memory = linkMemory();
    return {
      threads: {
        sender: replayThread((stepper) => sender(stepper, memory)),
        receiver: replayThread((stepper) => receiver(stepper, memory)),
      },
    };
  };

it('F5: no wake-up is lost over a link in memory, in every schedule of few preemptions', () => {
  expect(explore(program(send(1), receive(1)), bounds).schedules).toBeGreaterThan(500);
  expect(explore(program(send(1, 2), receive(1, 2)), { maxPreemptions: 2 }).schedules).toBeGreaterThan(500);
});

it('F5: a sender that reads the monitored value before it raises the current value is caught', () => {
  const hasty: Body = (stepper, memory) => {
    const atomics = steppedAtomics(stepper) as FenceAtomics;
    const ints = memoryOf(memory);
    const cell = new CountCell(ints, FENCE_BYTE, atomics);
    for (const value of [1, 2]) {
      const mustNotify = cell.mustNotify(0, value);
      cell.raise(value, 'recorded');
      if (mustNotify) atomics.add(ints, 0, 1);
    }
  };
  expect(() => explore(program(hasty, receive(2)), bounds)).toThrow('Deadlock');
});

it('F5: a sender that rings before it raises the value is caught', () => {
  const early: Body = (stepper, memory) => {
    const atomics = steppedAtomics(stepper) as FenceAtomics;
    const ints = memoryOf(memory);
    const cell = new CountCell(ints, FENCE_BYTE, atomics);
    atomics.add(ints, 0, 1);
    cell.raise(2, 'recorded');
  };
  expect(() => explore(program(early, receive(2)), bounds)).toThrow('Deadlock');
});

const signalled = [2 ** 32 - 1, 2 ** 32 + 1, 2 ** 50];
const at = FENCE_BYTE / 4;

/** Returns a program that signals values whose two words both change, while a reader reads the cell twice. */
const changing =
  (read: (cell: CountCell, ints: Int32Array, atomics: FenceAtomics) => number, write?: Body) =>
  (): Program => {
    const memory = linkMemory();
    const raise: Body = (stepper) => {
      const cell = new CountCell(memoryOf(memory), FENCE_BYTE, steppedAtomics(stepper) as FenceAtomics);
      for (const value of signalled) cell.raise(value, 'recorded');
    };
    return {
      threads: {
        signaller: replayThread((stepper) => (write ?? raise)(stepper, memory)),
        reader: replayThread((stepper) => {
          const atomics = steppedAtomics(stepper) as FenceAtomics;
          const ints = memoryOf(memory);
          const cell = new CountCell(ints, FENCE_BYTE, atomics);
          let last = 0;
          for (let reading = 0; reading < 2; reading++) {
            const value = read(cell, ints, atomics);
            if (value !== 0 && !signalled.includes(value)) throw new Error(`${value} was never signalled.`);
            if (value < last) throw new Error(`The value went back from ${last} to ${value}.`);
            last = value;
          }
        }),
      },
    };
  };

it('F1: a count never tears or goes back, in every schedule of at most three preemptions', () => {
  const { schedules } = explore(
    changing((cell) => cell.current),
    bounds,
  );
  expect(schedules).toBeGreaterThan(100);
});

it('F1: a reader that does not read the version again is caught', () => {
  const careless = (_cell: CountCell, ints: Int32Array, atomics: FenceAtomics): number => {
    const copy = at + 2 + 2 * (atomics.load(ints, at) & 1);
    const low = atomics.load(ints, copy) >>> 0;
    return atomics.load(ints, copy + 1) * 2 ** 32 + low;
  };
  expect(() => explore(changing(careless), bounds)).toThrow(/never signalled|went back/);
});

it('F1: a signaller that overwrites the copy that readers read is caught', () => {
  const inPlace: Body = (stepper, memory) => {
    const atomics = steppedAtomics(stepper) as FenceAtomics;
    const ints = memoryOf(memory);
    for (const value of signalled) {
      atomics.store(ints, at + 2, value | 0);
      atomics.store(ints, at + 3, Math.floor(value / 2 ** 32));
    }
  };
  expect(() =>
    explore(
      changing((cell) => cell.current, inPlace),
      bounds,
    ),
  ).toThrow(/never signalled|went back/);
});
