/**
 * What runs every frame, in four groups, one after the other (SYSTEMS G1). A callback that throws is reported,
 * once until it succeeds or throws something else, and the rest go on; one that is removed during a tick is not called any more, one that is added waits for
 * the next tick.
 */
import { messageOf, OptionError, SceneError } from '../../core/errors.js';
import { checkChoice } from '../../core/options/check-value.js';

export const TICK_GROUPS = ['pre-physics', 'physics', 'post-physics', 'post-update'] as const;
export type TickGroup = (typeof TICK_GROUPS)[number];
/** @param deltaSeconds since the last tick; `timeSeconds` is their sum */
export type TickCallback = (deltaSeconds: number, timeSeconds: number) => void;

interface Entry {
  callback: TickCallback | null;
  readonly group: TickGroup;
  /** What its last call threw; `null` when it threw nothing. */
  failure: string | null;
}

export class TickGroups {
  /** By `TICK_GROUPS`; then what comes behind all callbacks of the page. */
  #groups: Entry[][] = [...TICK_GROUPS.map(() => []), []];
  readonly #reportError: (error: unknown) => void;
  #hasRemoved = false;

  constructor(reportError: (error: unknown) => void) {
    this.#reportError = reportError;
  }

  add(callback: TickCallback, group: TickGroup): () => void {
    if (typeof callback !== 'function') throw new OptionError('option-invalid', 'onTick takes a function.');
    return this.#push(
      callback,
      group,
      TICK_GROUPS.indexOf(checkChoice('onTick', 'group', group, TICK_GROUPS)),
    );
  }

  /** Behind all groups: for what shows what their callbacks have asked for. */
  addLast(callback: TickCallback): () => void {
    return this.#push(callback, 'post-update', TICK_GROUPS.length);
  }

  #push(callback: TickCallback, group: TickGroup, index: number): () => void {
    const entry: Entry = { callback, group, failure: null };
    this.#groups[index]?.push(entry);
    return () => {
      entry.callback = null;
      this.#hasRemoved = true;
    };
  }

  /** Per frame. */
  run(deltaSeconds: number, timeSeconds: number): void {
    if (this.#hasRemoved) this.#sweep();
    for (const group of this.#groups) {
      // What is added during the tick waits for the next one.
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

/** In development: what an `async` callback rejects with is reported as what others throw: once until it says something else. */
export function reported(callback: TickCallback, reportError: (error: unknown) => void): TickCallback {
  let last = '';
  return (...times) => {
    const ended = callback(...times) as unknown as Promise<void> | undefined;
    ended?.catch?.((cause: unknown) => {
      const message = messageOf(cause);
      if (message === last) return;
      last = message;
      const text = `An async callback of onTick rejected: ${message} Nothing waits for it: catch what it throws.`;
      reportError(new SceneError('tick-failed', text, { cause }));
    });
  };
}
