/**
 * What somebody waits for before going on: a count of what is missing, and which tasks and events those are, so that a
 * circle can be found before it is closed.
 *
 *   missing 1 (the lock)  ─ add ─► 2 ─ one is done ─► 1 ─ release ─► 0: open, once
 */
import { TaskError } from '../../core/errors.js';

/** A task or an event, as those see it that wait for it. */
export interface Awaited {
  readonly name: string;
  /** Somebody waits for it. */
  readonly hasSubsequents: boolean;
  /** Calls back at the call that settles it, at once if it has settled. */
  whenSettled(subsequent: Subsequent): void;
  /** What it waits for itself, unsettled. */
  awaits(): Iterable<Awaited>;
  /** Somebody else tells of its failure: a rejection that nobody listens to is no news to the page. */
  silence(): void;
}

/** What can be named as a prerequisite: the future itself, or something that stands for it. */
interface Prerequisite {
  /** @internal */
  readonly node: Awaited;
}

/** @param failure null where it is done; else what it was cancelled or failed with */
export type Subsequent = (failure: { readonly reason: unknown } | null) => void;

/** The task or event; undefined: any other promise, which can't be part of a circle that is seen here. */
function nodeOf(value: PromiseLike<unknown>): Awaited | undefined {
  return 'node' in value ? (value as unknown as Prerequisite).node : undefined;
}

export class Gate {
  readonly #awaited = new Set<Awaited>();
  readonly #onOpen: () => void;
  readonly #onFailed: (reason: unknown) => void;
  #missing = 1;
  #isOver = false;

  /** Closed until `release`: what is added before that is waited for. @param onFailed called once, and nothing after it */
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

  /** One that was missing is there; the lock itself, where nothing was added. */
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
 * Before `waiter` waits for `awaited`: nothing that `awaited` waits for may wait for `waiter`.
 * @throws TaskError `task-cycle`, with the path
 */
export function refuseCycle(waiter: Awaited, awaited: PromiseLike<unknown>): void {
  const node = nodeOf(awaited);
  // Nothing leads back to what nobody waits for: graphs that grow at their ends cost nothing here.
  if (!node || (node !== waiter && !waiter.hasSubsequents)) return;
  const path = pathTo(waiter, node);
  if (!path) return;
  const names = [waiter, ...path].map(({ name }) => name);
  throw new TaskError(
    'task-cycle',
    `A circle: ${waiter.name} can't wait for ${node.name}, because it would wait for itself (${names.join(' waits for ')}). Leave out one of these.`,
  );
}

/** From `from` to `goal` along what each waits for, both included. Iterative: chains may be as long as memory lasts. */
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

/** Whatever settles in this call does so before any of its subsequents is called: of a whole graph none is told that another one failed first. */
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

/** Calls one after the other, never one inside another: a chain of 100,000 events is no recursion. */
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
