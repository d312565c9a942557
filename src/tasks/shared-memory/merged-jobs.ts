/**
 * Small jobs that share a slot (SYSTEMS T12). The page merges calls of one task that wait directly behind each other,
 * if they have been measured as cheap. One claim, one wake-up and one report then serve all of them.
 *
 *   waiting   a a a a b        arguments   [a₁, a₂, a₃, a₄]       results   [[r₁], [r₂], failure, ]
 *             └ merged ┘                                                                          └ taken back
 *
 * Each piece has a bit in the slot. A worker sets the bit to begin the piece, and the page sets it to take the piece
 * back. The thread that sets the bit first decides.
 */
import type { Job } from '../job.js';
import { type Failure, thrownBy } from '../task-errors.js';
import { Slot, type TaskMemory } from './task-memory.js';

/** Value of the word `begin` in a slot with merged jobs. */
export const MERGED = -1;

/** Largest number of pieces of a merged job: one bit each. */
const MOST = 31;
/**
 * Largest total cost of a merged job in milliseconds, if all pieces cost as much as the first one. More work is worth
 * the wake-up of another worker.
 */
const WORTH = 0.1;

/** Outcome of a piece: its result in a list, or its failure. Undefined if the piece was taken back. */
export type PieceEnd = readonly [value: unknown] | Failure | undefined;

/** Claims a piece for the caller. @returns false if another thread has begun it or taken it back */
export function claimPiece(words: Int32Array, at: number, piece: number): boolean {
  return (Atomics.or(words, at, 1 << piece) & (1 << piece)) === 0;
}

/** Returns the index of the word with the bits of the pieces. */
export const bitsAt = (memory: TaskMemory, slot: number): number => memory.slotAt(slot) + Slot.counter;

interface MergedSlot {
  readonly words: Int32Array;
  /** Index of the word with the bits of the pieces. */
  readonly at: number;
  /** Whether the slot still has these pieces, and no report of their end has arrived. */
  readonly isHere: () => boolean;
  readonly isRunning: () => boolean;
}

/** Lets each piece be taken back until a worker begins it. */
export function watchPieces(pieces: readonly Job[], { words, at, isHere, isRunning }: MergedSlot): void {
  for (const [index, piece] of pieces.entries()) {
    let isBack = false;
    const takeBack = (): boolean => {
      isBack ||= isHere() && claimPiece(words, at, index);
      return isBack;
    };
    piece.future.watch(piece, {
      isRunning: () => !isBack && isRunning() && (Atomics.load(words, at) & (1 << index)) !== 0,
      retract: () => void takeBack(),
      takeBack,
      skip: () => piece.onDone(null),
    });
  }
}

/** Returns how many jobs like this one may share a slot; 0 or 1 if it stays alone. */
export function mostMerged({ cost, ranges, ports }: Job): number {
  if (cost === undefined || ranges || ports.length > 0) return 1;
  return Math.min(MOST, Math.floor(WORTH / cost));
}

/** Returns whether two adjacent jobs may share a slot. */
export const isAlike = (job: Job, { module, name, target, cost }: Job): boolean =>
  job.module === module &&
  job.name === name &&
  job.target.set === target.set &&
  (job.cost ?? WORTH) <= 2 * (cost ?? 0);

/** Merges jobs into one job that settles all of them. */
export function mergedJob(pieces: readonly Job[]): Job {
  const [first] = pieces as [Job, ...Job[]];
  return {
    ...first,
    args: pieces.map(({ args }) => args),
    begin: MERGED,
    end: pieces.length,
    pieces,
    get isOver() {
      return pieces.every(({ isOver }) => isOver);
    },
    onDone: (ends, milliseconds) => {
      for (const [index, end] of (ends as readonly PieceEnd[]).entries()) {
        const piece = pieces[index];
        if (!piece || !end) continue;
        if ('error' in end) piece.future.fail(thrownBy(end));
        else piece.onDone(end[0], milliseconds === undefined ? undefined : milliseconds / pieces.length);
      }
    },
  };
}
