/**
 * Pointer events of actors. They bubble up the attachment hierarchy, as DOM events bubble up the document: from the
 * actor under the pointer to its parent, and so on. `pointerenter` and `pointerleave` do not bubble.
 */

import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkChoice, checkSignal } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, optional } from '../../core/options/members.js';
import type { PickResult } from '../picking/pick-result.js';
import type { Actor } from './actor.js';

const ACTOR_EVENTS = [
  'click',
  'dblclick',
  'contextmenu',
  'pointerdown',
  'pointerup',
  'pointermove',
  'pointerenter',
  'pointerleave',
] as const;

export type ActorEventType = (typeof ACTOR_EVENTS)[number];

/** A pointer event that an actor receives. */
export interface ActorEvent<Type extends ActorEventType = ActorEventType> {
  readonly type: Type;
  /** The visible actor under the pointer; for `pointerleave`, the visible actor that was under it before. */
  readonly target: Actor;
  /** The actor whose listener is called: the target or one of its ancestors. */
  readonly currentTarget: Actor;
  /** The hit under the pointer. For `pointerleave`, it is `null` if no actor is under the pointer any more. */
  readonly hit: Type extends 'pointerleave' ? PickResult | null : PickResult;
  /**
   * The canvas's own event. Its dispatch has ended before listeners are called, because picking takes time.
   */
  readonly nativeEvent: MouseEvent;
  /** Stops the event from bubbling to the actor's parent. */
  stopPropagation(): void;
}

export type ActorListener<Type extends ActorEventType = ActorEventType> = (event: ActorEvent<Type>) => void;

const LISTENER_OPTIONS = {
  once: byDefault(boolean(), false),
  /** Removes the listener when aborted. */
  signal: optional(anything<AbortSignal>()),
};

export type ActorListenerOptions = Shaped<typeof LISTENER_OPTIONS>;

/** A listener's options. Each call of `addActorListener` creates another object. */
interface ListenerEntry {
  /** Whether the first event removes the listener. */
  readonly once: boolean;
}

/** The listeners of one actor by event type, in the order in which they were added. */
export type ActorListeners = Map<ActorEventType, Map<ActorListener, ListenerEntry>>;

/** @throws OptionError `option-invalid`, `option-unknown` */
export function addActorListener(
  all: ActorListeners,
  type: ActorEventType,
  listener: ActorListener,
  options: ActorListenerOptions,
): void {
  const call = 'addEventListener';
  checkChoice(call, 'type', type, ACTOR_EVENTS);
  if (typeof listener !== 'function') {
    throw new OptionError('option-invalid', `${call} takes the name of an event and a function.`);
  }
  checkOptions(call, options, LISTENER_OPTIONS);
  const { once = false } = options;
  const signal = checkSignal(call, options.signal);
  const listeners = all.get(type) ?? new Map<ActorListener, ListenerEntry>();
  if (signal?.aborted || listeners.has(listener)) return;
  const entry: ListenerEntry = { once };
  all.set(type, listeners.set(listener, entry));
  // The listener may have been removed and added again since.
  signal?.addEventListener('abort', () => {
    if (listeners.get(listener) === entry) listeners.delete(listener);
  });
}
