/**
 * An EventTarget with TypeScript types for its event names and their `detail`. At run time it is a plain EventTarget;
 * `fireEvent` dispatches a CustomEvent.
 */
declare const eventTypes: unique symbol;

/** The type of the base class. It is exported because the declarations of derived classes name it. */
export interface TypedEventTarget<Events> {
  /** For type inference only; never set. */
  readonly [eventTypes]?: Events;
  addEventListener<K extends keyof Events & string>(
    type: K,
    listener: (event: CustomEvent<Events[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof Events & string>(
    type: K,
    listener: (event: CustomEvent<Events[K]>) => void,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** Returns the base class to extend: `class Engine extends typedEventTarget<EngineEvents>() { … }`. */
export function typedEventTarget<Events>(): new () => TypedEventTarget<Events> &
  Pick<EventTarget, 'dispatchEvent'> {
  return EventTarget as new () => TypedEventTarget<Events> & EventTarget;
}

/** Fires an event. @returns false if a listener called `preventDefault` */
export function fireEvent<Events, K extends keyof Events & string>(
  target: TypedEventTarget<Events> & Pick<EventTarget, 'dispatchEvent'>,
  type: K,
  detail: Events[K],
): boolean {
  return target.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
}
