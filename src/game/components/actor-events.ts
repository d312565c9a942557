/**
 * What actors hear of the pointer. Events bubble up the attachment, as the DOM's do up the document: from the actor that is seen
 * under the pointer to what it is attached to, and on.
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

/** A pointer event as an actor hears it. */
export interface ActorEvent {
  readonly type: ActorEventType;
  /** The actor that is seen under the pointer. */
  readonly target: Actor;
  /** The actor whose listener is called: the target, or what it is attached to. */
  readonly currentTarget: Actor;
  /** What is seen there; null: the pointer has left for where nothing is. */
  readonly hit: PickResult | null;
  /** The canvas's own event. It is over by the time its listeners are called: what is under the pointer is asked for first. */
  readonly nativeEvent: MouseEvent;
  /** What the actor is attached to does not hear of it. */
  stopPropagation(): void;
}

export type ActorListener = (event: ActorEvent) => void;

const LISTENER_OPTIONS = {
  once: byDefault(boolean(), false),
  /** Aborted, it hears no more. */
  signal: optional(anything<AbortSignal>()),
};

export type ActorListenerOptions = Shaped<typeof LISTENER_OPTIONS>;

/** The listeners of one actor, by type in the order in which they were added, each with whether it hears once. */
export type ActorListeners = Map<ActorEventType, Map<ActorListener, boolean>>;

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
  const listeners = all.get(type) ?? new Map<ActorListener, boolean>();
  if (signal?.aborted || listeners.has(listener)) return;
  all.set(type, listeners.set(listener, once));
  signal?.addEventListener('abort', () => listeners.delete(listener));
}
