/**
 * What runs every frame, in four groups, one after the other (SYSTEMS G1). A callback that throws, or rejects, is reported,
 * once until it succeeds or throws something else, and the rest go on; one that is removed during a tick is not called any more, one that is added waits for
 * the next tick.
 */
import { messageOf, OptionError, SceneError } from '../core/errors.js';
import { checkChoice } from './options.js';

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
  #groups: Entry[][] = TICK_GROUPS.map(() => []);
  readonly #reportError: (error: unknown) => void;
  #hasRemoved = false;

  constructor(reportError: (error: unknown) => void) {
    this.#reportError = reportError;
  }

  add(callback: TickCallback, group: TickGroup): () => void {
    if (typeof callback !== 'function') throw new OptionError('option-invalid', 'onTick takes a function.');
    const entry: Entry = { callback, group, failure: null };
    const index = TICK_GROUPS.indexOf(checkChoice('onTick', 'group', group, TICK_GROUPS));
    this.#groups[index]?.push(entry);
    return () => {
      entry.callback = null;
      this.#hasRemoved = true;
    };
  }

  /** Per frame. */
  run(deltaSeconds: number, timeSeconds: number): void {
    if (this.#hasRemoved) this.#sweep();
    for (let index = 0; index < TICK_GROUPS.length; index++) {
      const group = this.#groups[index] as Entry[];
      // What is added during the tick waits for the next one.
      const count = group.length;
      for (let at = 0; at < count; at++) {
        const entry = group[at];
        if (!entry) return; // A callback has disposed the world.
        try {
          // Of an `async` one, which nothing waits for.
          const ended = entry.callback?.(deltaSeconds, timeSeconds) as Promise<void> | undefined;
          if (ended?.then) ended.then(undefined, (cause) => this.#failed(entry, cause));
          else entry.failure = null;
        } catch (cause) {
          this.#failed(entry, cause);
        }
      }
    }
  }

  #failed(entry: Entry, cause: unknown): void {
    const message = messageOf(cause);
    if (message === entry.failure) return;
    entry.failure = message;
    const text = `A callback in tick group "${entry.group}" threw: ${message}`;
    this.#reportError(new SceneError('tick-failed', text, { cause }));
  }

  clear(): void {
    for (const group of this.#groups) {
      for (const entry of group) entry.callback = null;
      group.length = 0;
    }
  }

  #sweep(): void {
    this.#hasRemoved = false;
    this.#groups = this.#groups.map((group) => group.filter(({ callback }) => callback));
  }
}
