/**
 * A gate that opens when all its prerequisites are done. It counts the missing prerequisites, and knows which tasks
 * and events they are, so that cycles are rejected before they exist.
 *
 *   missing 1 (the lock)  ─ add ─► 2 ─ one is done ─► 1 ─ release ─► 0: open, once
 */
import { TaskError } from '../../core/errors.js';

/** The part of a task or an event that its waiters use. */
export interface Awaited {
  readonly name: string;
  /** True if any task or event waits for it. */
  readonly hasSubsequents: boolean;
  /** Calls `subsequent` inside the call that settles this task or event, or at once if it has settled. */
  whenSettled(subsequent: Subsequent): void;
  /** Returns the unsettled tasks and events that this task or event waits for. */
  awaits(): Iterable<Awaited>;
  /** Begins a deferred task, because a task or event waits for it. */
  launch(): void;
  /** Marks its promise as handled, because its waiter reports the failure: the page gets no `unhandledrejection`. */
  silence(): void;
}

/** A prerequisite: the future itself, or an object that represents it. */
interface Prerequisite {
  /** @internal */
  readonly node: Awaited;
}

/**
 * Called when a task or event has settled.
 * @param failure `null` if it is done; otherwise the reason for which it failed or was cancelled
 */
export type Subsequent = (failure: { readonly reason: unknown } | null) => void;

/**
 * Returns the task or event of a prerequisite, or undefined for any other promise. Cycles through other promises can't
 * be found.
 */
function nodeOf(value: PromiseLike<unknown>): Awaited | undefined {
  return 'node' in value ? (value as unknown as Prerequisite).node : undefined;
}

export class Gate {
  readonly #awaited = new Set<Awaited>();
  readonly #onOpen: () => void;
  readonly #onFailed: (reason: unknown) => void;
  #missing = 1;
  #isOver = false;

  /**
   * Creates a closed gate. It waits for one call of `release`, and for all added prerequisites.
   * @param onFailed called once, at the first failure; nothing is called after it
   */
  constructor(onOpen: () => void, onFailed: (reason: unknown) => void) {
    this.#onOpen = onOpen;
    this.#onFailed = onFailed;
  }

  get awaited(): Iterable<Awaited> {
    return this.#awaited;
  }

  add(other: PromiseLike<unknown>): void {
    this.#missing++;
    const node = nodeOf(other);
    if (!node) {
      Promise.resolve(other).then(
        () => this.release(),
        (reason) => this.#fail(reason),
      );
      return;
    }
    this.#awaited.add(node);
    node.silence();
    node.whenSettled((failure) => {
      this.#awaited.delete(node);
      if (failure) this.#fail(failure.reason);
      else this.release();
    });
  }

  /** Counts one prerequisite as done. One extra call, by the gate's owner, removes the initial lock. */
  release(): void {
    if (--this.#missing > 0 || this.#isOver) return;
    this.#isOver = true;
    this.#onOpen();
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#awaited.clear();
    this.#onFailed(reason);
  }
}

/**
 * Checks that `waiter` may wait for `awaited`: `awaited` must not wait for `waiter`, directly or through
 * other tasks.
 * @throws TaskError `task-cycle`, with the path
 */
export function refuseCycle(waiter: Awaited, awaited: PromiseLike<unknown>): void {
  const node = nodeOf(awaited);
  // No cycle can contain a waiter that nothing waits for. So graphs that grow at their ends need no search.
  if (!node || (node !== waiter && !waiter.hasSubsequents)) return;
  const path = pathTo(waiter, node);
  if (!path) return;
  const names = [waiter, ...path].map(({ name }) => name);
  throw new TaskError(
    'task-cycle',
    `A cycle: ${waiter.name} can't wait for ${node.name}, because it would wait for itself (${names.join(' waits for ')}). Leave out one of these.`,
  );
}

/**
 * Finds a path from `from` to `goal` along awaited tasks, both included. It is iterative, because chains may be very
 * long.
 */
function pathTo(goal: Awaited, from: Awaited): Awaited[] | undefined {
  const cameFrom = new Map<Awaited, Awaited | null>([[from, null]]);
  const left = [from];
  for (let at = left.pop(); at; at = left.pop()) {
    if (at === goal) {
      const path: Awaited[] = [];
      for (let step: Awaited | null = at; step; step = cameFrom.get(step) ?? null) path.unshift(step);
      return path;
    }
    for (const next of at.awaits()) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      left.push(next);
    }
  }
  return undefined;
}

const due: (() => void)[] = [];
let isDispatching = false;

/**
 * Settles several tasks before any of their subsequents is called. So no task of a cancelled graph receives the
 * failure of another task first.
 */
export function settleTogether(settle: () => void): void {
  if (isDispatching) {
    settle();
    return;
  }
  isDispatching = true;
  try {
    settle();
  } finally {
    isDispatching = false;
    dispatch([]);
  }
}

/** Makes these calls one after the other, never nested, so that long chains of events don't recurse. */
export function dispatch(calls: readonly (() => void)[]): void {
  due.push(...calls);
  if (isDispatching) return;
  isDispatching = true;
  try {
    for (let next = 0; next < due.length; next++) due[next]?.();
  } finally {
    due.length = 0;
    isDispatching = false;
  }
}
