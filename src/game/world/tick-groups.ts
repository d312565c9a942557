/**
 * Callbacks that run every frame, in four groups, one group after the other (SYSTEMS G1). An error of a callback is
 * reported, and the other callbacks still run. An error with the message of the callback's previous error is not
 * reported, unless the callback has succeeded in between. A callback removed during a tick is not called any more. A
 * callback added during a tick waits for the next tick.
 */
import { messageOf, OptionError, SceneError } from '../../core/errors.js';
import { checkChoice } from '../../core/options/check-value.js';

export const TICK_GROUPS = ['pre-physics', 'physics', 'post-physics', 'post-update'] as const;
export type TickGroup = (typeof TICK_GROUPS)[number];
/** @param deltaSeconds seconds since the last tick @param timeSeconds sum of all ticks */
export type TickCallback = (deltaSeconds: number, timeSeconds: number) => void;

interface Entry {
  callback: TickCallback | null;
  readonly group: TickGroup;
  /** Message of the error that the last call threw; `null` if it threw none. */
  failure: string | null;
}

export class TickGroups {
  /** Callbacks by `TICK_GROUPS`, followed by those that run after all callbacks of the page. */
  #groups: Entry[][] = [...TICK_GROUPS.map(() => []), []];
  readonly #reportError: (error: unknown) => void;
  readonly #onAdd: () => void;
  #hasRemoved = false;

  /** @param onAdd called after each added callback */
  constructor(reportError: (error: unknown) => void, onAdd = (): void => {}) {
    this.#reportError = reportError;
    this.#onAdd = onAdd;
  }

  /** Whether there is no callback. */
  get isEmpty(): boolean {
    return this.#groups.every((group) => group.every(({ callback }) => !callback));
  }

  add(callback: TickCallback, group: TickGroup): () => void {
    if (typeof callback !== 'function') throw new OptionError('option-invalid', 'onTick takes a function.');
    return this.#push(
      callback,
      group,
      TICK_GROUPS.indexOf(checkChoice('onTick', 'group', group, TICK_GROUPS)),
    );
  }

  /** Adds a callback that runs after all groups, to show results that the groups have requested. */
  addLast(callback: TickCallback): () => void {
    return this.#push(callback, 'post-update', TICK_GROUPS.length);
  }

  #push(callback: TickCallback, group: TickGroup, index: number): () => void {
    const entry: Entry = { callback, group, failure: null };
    this.#groups[index]?.push(entry);
    this.#onAdd();
    return () => {
      entry.callback = null;
      this.#hasRemoved = true;
    };
  }

  /** Per frame: calls the callbacks of all groups. */
  run(deltaSeconds: number, timeSeconds: number): void {
    if (this.#hasRemoved) this.#sweep();
    for (const group of this.#groups) {
      // Callbacks added during the tick wait for the next one.
      const count = group.length;
      for (let at = 0; at < count; at++) {
        const entry = group[at];
        if (!entry) return; // A callback has disposed the world.
        try {
          entry.callback?.(deltaSeconds, timeSeconds);
          entry.failure = null;
        } catch (cause) {
          const message = messageOf(cause);
          if (message === entry.failure) continue;
          entry.failure = message;
          const text = `A callback in tick group "${entry.group}" threw: ${message}`;
          this.#reportError(new SceneError('tick-failed', text, { cause }));
        }
      }
    }
  }

  clear(): void {
    for (const group of this.#groups) {
      for (const entry of group.splice(0)) entry.callback = null;
    }
  }

  #sweep(): void {
    this.#hasRemoved = false;
    this.#groups = this.#groups.map((group) => group.filter(({ callback }) => callback));
  }
}

/**
 * In development: reports a rejection of an `async` callback like a thrown error, once until the message
 * changes.
 */
export function reportRejections(
  callback: TickCallback,
  reportError: (error: unknown) => void,
): TickCallback {
  let last = '';
  return (...times) => {
    const ended = callback(...times) as unknown as Promise<void> | undefined;
    ended?.catch?.((cause: unknown) => {
      const message = messageOf(cause);
      if (message === last) return;
      last = message;
      const text = `An async callback of onTick rejected: ${message} Catch errors in the callback, because onTick does not wait for it.`;
      reportError(new SceneError('tick-failed', text, { cause }));
    });
  };
}
