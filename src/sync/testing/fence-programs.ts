import { expect } from 'vitest';
import { FenceCell } from '../fences/cells/fence-cell.js';
import type { FenceAtomics } from '../fences/fence-environment.js';
import { FenceMailbox, FenceReceiver, type Notification } from '../fences/fence-mailbox.js';
import { CELL_BYTES, createFenceBuffer, FenceMemory, SLOTS } from '../fences/fence-memory.js';
import { NOBODY_WAITS } from '../fences/fence-value.js';
import { FenceWaiters } from '../fences/fence-waiters.js';
import { FenceOperation, type LoggedOperation } from '../fences/logs/fence-log.js';
import { replayThread, type Stepper, steppedAtomics } from './replay-thread.js';
import { type Exploration, type ExploreOptions, explore, type Program } from './schedule-explorer.js';

/**
 * Programs for the schedule explorer: signallers and one waiter run the real protocol of monitored fences in shared
 * memory, interrupted before every atomic operation. Only a change of the bell in its mailbox wakes the waiter, so a
 * lost wake-up is a deadlock.
 *
 *   signaller   raise ─ read monitored ─ name ─ ring             at each dash any other thread may act
 *   waiter      monitor ─ read ─ sleep ─ take names ─ check
 *
 * Test-only.
 */
export const WAITER = 1;

/** Creates one thread's view of the group's memory. */
export function viewOf(stepper: Stepper, buffer: ArrayBufferLike) {
  const memory = new FenceMemory(buffer, steppedAtomics(stepper) as FenceAtomics);
  const cell = new FenceCell(memory, memory.cellOffset(0), SLOTS, CELL_BYTES);
  return { memory, cell, mailbox: new FenceMailbox(memory, WAITER) };
}

export type Snapshot = ReturnType<typeof viewOf>;
export type Body = (view: Snapshot, done: (value: bigint) => void) => void;

export function setUp(flags = 0, value = 0n) {
  const buffer = createFenceBuffer({ capacity: 1, queues: 1 }, true);
  const memory = new FenceMemory(buffer);
  const cell = new FenceCell(memory, memory.cellOffset(0), SLOTS, CELL_BYTES);
  cell.create(value, flags);
  cell.openSlot(WAITER);
  return { buffer, memory, cell };
}

/** Returns a program of signallers and a waiter. @param expected values whose waits must have ended */
export function program(
  signallers: readonly Body[],
  waiter: Body,
  expected: readonly bigint[],
): () => Program {
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

/**
 * Signals like `FenceThread.signalCells`: raises the value. If the waiter monitors less, names the fence and rings.
 */
export const signal =
  (...values: bigint[]): Body =>
  ({ cell, mailbox }) => {
    for (const value of values) {
      if (!cell.raise(value)) continue;
      let mustRing = false;
      cell.forEachToNotify(value, () => {
        mailbox.nameFence(0);
        mustRing = true;
      });
      if (mustRing) mailbox.ring();
    }
  };

/** A thread that waits, with the real waiters and the real receiver. */
export class WaitingThread {
  readonly receiver: FenceReceiver;
  readonly waiters: FenceWaiters;
  missing = 0;
  readonly #done: (value: bigint) => void;

  constructor({ memory, cell, mailbox }: Snapshot, done: (value: bigint) => void) {
    this.receiver = new FenceReceiver(memory, mailbox);
    this.waiters = new FenceWaiters(cell, WAITER, () => null);
    this.#done = done;
  }

  await(value: bigint): void {
    this.missing++;
    const settle = () => {
      this.missing--;
      this.#done(value);
    };
    this.waiters.add({ value, settle });
  }

  /**
   * Sleeps and handles notifications until no value is awaited.
   * @param mustCheck whether a notification makes the waiters check their values; default: every notification does
   */
  run(mustCheck: (notification: Notification) => boolean = () => true): void {
    while (this.missing > 0) {
      this.receiver.sleep(Number.POSITIVE_INFINITY);
      const notification = this.receiver.receive();
      if (notification && mustCheck(notification)) this.waiters.check();
    }
  }
}

/** Waits for all the values; the waits begin in this order. */
export const waitFor =
  (...awaited: bigint[]): Body =>
  (view, done) => {
    const thread = new WaitingThread(view, done);
    for (const value of awaited) thread.await(value);
    thread.run();
  };

/** Tries every schedule with at most three preemptions, or with the bounds of `options`. */
export const tryAll = (create: () => Program, options: ExploreOptions = { maxPreemptions: 3 }): Exploration =>
  explore(create, options);

/** Creates a log entry of an executed signal whose `timeFinished` equals its value. */
export const signalled = (fence: number, value: number): LoggedOperation => ({
  fence,
  generation: 1,
  value: BigInt(value),
  operation: FenceOperation.signalExecuted,
  timeObserved: 0,
  timeFinished: value,
});
