import { type Actor, type ActorEvent, type ActorEventType, OptionError } from '../../index.js';
import type { Instance } from './instance.js';

/** Pointer events of an actor, as props. They bubble as `actor.addEventListener` describes. */
export interface ActorEventProps {
  readonly onClick?: ((event: ActorEvent) => void) | undefined;
  readonly onDoubleClick?: ((event: ActorEvent) => void) | undefined;
  readonly onContextMenu?: ((event: ActorEvent) => void) | undefined;
  readonly onPointerDown?: ((event: ActorEvent) => void) | undefined;
  readonly onPointerUp?: ((event: ActorEvent) => void) | undefined;
  readonly onPointerMove?: ((event: ActorEvent) => void) | undefined;
  readonly onPointerEnter?: ((event: ActorEvent) => void) | undefined;
  readonly onPointerLeave?: ((event: ActorEvent) => void) | undefined;
}

const EVENTS: Readonly<Record<keyof ActorEventProps, ActorEventType>> = {
  onClick: 'click',
  onDoubleClick: 'dblclick',
  onContextMenu: 'contextmenu',
  onPointerDown: 'pointerdown',
  onPointerUp: 'pointerup',
  onPointerMove: 'pointermove',
  onPointerEnter: 'pointerenter',
  onPointerLeave: 'pointerleave',
};

export const isEventProp = (name: string): name is keyof ActorEventProps => Object.hasOwn(EVENTS, name);

/** Listeners of an actor that call the current event props of an instance. */
interface EventListeners {
  /** Adds and removes listeners for the event props among `names`. @throws OptionError `option-invalid` */
  update(names: readonly string[]): void;
}

/**
 * Connects the event props of an instance to an actor. The actor has a listener only while the prop is set, because the
 * engine picks at each move of the pointer for actors with listeners. A new function does not change the listener.
 */
export function listenTo(actor: Actor, instance: Instance): EventListeners {
  const listeners = new Map<string, (event: ActorEvent) => void>();
  return {
    update: (names) => {
      for (const name of names.filter(isEventProp)) {
        const handler = instance.props[name];
        if (handler !== undefined && handler !== null && typeof handler !== 'function')
          throw new OptionError(
            'option-invalid',
            `${name} of <${instance.kind.name}> is ${String(handler)}; it has to be a function.`,
          );
        const listener = listeners.get(name);
        if (handler && !listener) {
          const call = (event: ActorEvent): void =>
            (instance.props[name] as ((event: ActorEvent) => void) | undefined)?.(event);
          listeners.set(name, call);
          actor.addEventListener(EVENTS[name], call);
        } else if (!handler && listener) {
          listeners.delete(name);
          actor.removeEventListener(EVENTS[name], listener);
        }
      }
    },
  };
}
