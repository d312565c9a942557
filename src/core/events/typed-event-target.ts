/**
 * An EventTarget whose event names and `detail` types are known to TypeScript. Nothing is added at run time but
 * one method that fires a CustomEvent.
 */
declare const eventTypes: unique symbol;

/** Exported for the package's declarations, in which classes that extend it name it. */
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

/** The constructor to extend: `class Engine extends typedEventTarget<EngineEvents>() { … }`. */
export function typedEventTarget<Events>(): new () => TypedEventTarget<Events> &
  Pick<EventTarget, 'dispatchEvent'> {
  return EventTarget as new () => TypedEventTarget<Events> & EventTarget;
}

/** Fires an event; false when a listener called `preventDefault`. */
export function fireEvent<Events, K extends keyof Events & string>(
  target: TypedEventTarget<Events> & Pick<EventTarget, 'dispatchEvent'>,
  type: K,
  detail: Events[K],
): boolean {
  return target.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
}
