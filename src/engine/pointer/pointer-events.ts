import { messageOf, SceneError } from '../../core/errors.js';
import type { Actor } from '../../game/components/actor.js';
import type { ActorEventType, ActorListener } from '../../game/components/actor-events.js';
import type { SceneComponent } from '../../game/components/scene-component.js';
import type { PickResult } from '../../game/picking/pick-result.js';
import type { View } from '../../game/world/view.js';
import type { PickPlace, Picks } from './picks.js';

/** Events that follow from moves of the pointer. */
const BY_MOVES = ['pointermove', 'pointerenter', 'pointerleave'] as const;
/** Bubbling events, which have the same names as the canvas's events. */
const BUBBLING = ['click', 'dblclick', 'contextmenu', 'pointerdown', 'pointerup'] as const;

/** Dispatches pointer events of all canvases to actors. It is created with the first listener of an actor. */
export class PointerEvents {
  readonly #picks: Picks;
  readonly #reportError: (error: unknown) => void;
  /** Pointers of canvases by view; null is the engine's canvas. */
  readonly #canvases = new Map<View | null, CanvasPointer>();
  readonly #actors = new ListeningActors();

  constructor(canvas: HTMLCanvasElement, picks: Picks, reportError: (error: unknown) => void) {
    this.#picks = picks;
    this.#reportError = reportError;
    this.listenTo(canvas);
  }

  /** Listens to a canvas instead of the view's previous canvas. @param view null for the engine's canvas */
  listenTo(canvas: EventTarget, view: View | null = null): void {
    const picks = this.#picks;
    const pick: PickPlaceOf = (place, canWait, onPick) => picks.pickPlace(place, view, canWait, onPick);
    const pointer = this.#canvases.get(view) ?? new CanvasPointer(pick, this.#actors, this.#reportError);
    this.#canvases.set(view, pointer);
    pointer.listenTo(canvas);
  }

  /** Adds an actor that has a listener. */
  watch(actor: Actor): void {
    this.#actors.add(actor);
  }

  drop(view: View): void {
    this.#canvases.get(view)?.dispose();
    this.#canvases.delete(view);
  }

  dispose(): void {
    for (const pointer of this.#canvases.values()) pointer.dispose();
  }
}

/** The actors with listeners, as weak references. Without such actors, nothing is picked. */
class ListeningActors {
  readonly #known = new WeakSet<Actor>();
  #actors: WeakRef<Actor>[] = [];
  /** Count at which destroyed actors are removed. The limit then becomes twice the remaining count, at least 16. */
  #limit = 16;

  add(actor: Actor): void {
    if (this.#known.has(actor)) return;
    this.#known.add(actor);
    this.#actors.push(new WeakRef(actor));
    if (this.#actors.length < this.#limit) return;
    this.#actors = this.#actors.filter((each) => each.deref()?.isDestroyed === false);
    this.#limit = Math.max(this.#actors.length * 2, 16);
  }

  /** Returns whether any actor has a listener for one of the types. */
  listenFor(types: readonly ActorEventType[]): boolean {
    return this.#actors.some((each) => {
      const actor = each.deref();
      return !actor?.isDestroyed && types.some((type) => actor?.listeners?.get(type)?.size);
    });
  }
}

type PickPlaceOf = (place: PickPlace, canWait: boolean, onPick: () => void) => Promise<PickResult | null>;

/** A pick that waits for its frame. */
interface WaitingPick {
  readonly place: PickPlace;
  readonly hit: Promise<PickResult | null>;
}

/** The moves before one frame. Only the last move is dispatched. */
interface WaitingMove extends WaitingPick {
  event: MouseEvent;
}

/**
 * The pointer over one canvas. For each event with listeners, it picks the actor under the pointer and dispatches the
 * event.
 *
 *   event A ─► pick, by the next frame ─────────────► dispatch: enter and leave, by comparison with the last pick,
 *   event B ─► pick, by the next frame ──► … after A ─► dispatch       then the event itself, from child to parent
 *
 * The frame after the event picks, even if earlier picks are still pending, because actors move. Consecutive events of
 * `BUBBLING` at the same point before one frame share a pick. Events are dispatched in their order. Only the last of
 * consecutive moves before one frame is dispatched.
 */
class CanvasPointer {
  readonly #pick: PickPlaceOf;
  readonly #actors: ListeningActors;
  readonly #reportError: (error: unknown) => void;
  #listening = new AbortController();
  /** The actors under the pointer: the visible actor, then the actors that it is attached to. */
  #over: readonly Actor[] = [];
  /** Resolves when the previous event has been dispatched. */
  #before: Promise<void> = Promise.resolve();
  /** The last event for which `#over` was determined. */
  #last: MouseEvent | null = null;
  /** The last pick for an event of `BUBBLING`, until a frame carries it out; then null. */
  #waiting: WaitingPick | null = null;
  /** The last event if it is a move whose point may still change; else null. */
  #move: WaitingMove | null = null;

  constructor(pick: PickPlaceOf, actors: ListeningActors, reportError: (error: unknown) => void) {
    this.#pick = pick;
    this.#actors = actors;
    this.#reportError = reportError;
  }

  /** Listens to a canvas instead of the previous canvas. */
  listenTo(canvas: EventTarget): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const listen = (type: string, listener: (event: MouseEvent) => void): void =>
      canvas.addEventListener(type, listener as (event: Event) => void, { signal });
    listen('pointermove', (event) => this.#onMove(event));
    for (const type of BUBBLING) listen(type, (event) => this.#onBubbling(type, event));
    listen('pointerleave', (event) => {
      this.#move = null;
      this.#enqueue(() => this.#enter(null, event));
    });
  }

  /** Stops listening, and dispatches `pointerleave` to the actors under the pointer. */
  dispose(): void {
    this.#listening.abort();
    if (this.#last) this.#enter(null, this.#last);
  }

  #onMove(event: MouseEvent): void {
    if (!this.#actors.listenFor(BY_MOVES)) {
      // The actors under the pointer are unknown now. A later listener gets `pointerenter` with the next pick.
      if (this.#over.length > 0) {
        this.#enqueue(() => {
          this.#over = [];
        });
      }
      return;
    }
    const { offsetX: x, offsetY: y } = event;
    if (this.#move) {
      Object.assign(this.#move.place, { x, y });
      this.#move.event = event;
      return;
    }
    const place = { x, y };
    // `canWait`: a running engine draws no extra frame for a move.
    const hit = this.#pick(place, true, () => {
      if (this.#move === move) this.#move = null;
    });
    const move: WaitingMove = { place, hit, event };
    this.#move = move;
    this.#dispatchWhenPicked(hit, () => ['pointermove', move.event]);
  }

  #onBubbling(type: (typeof BUBBLING)[number], event: MouseEvent): void {
    // Later moves need their own entry, because they are dispatched after this event.
    this.#move = null;
    // A touch starts without a move, so `pointerdown` also updates the actors under the pointer.
    const hasListener = this.#actors.listenFor(type === 'pointerdown' ? [type, ...BY_MOVES] : [type]);
    if (!hasListener) return;
    const { offsetX: x, offsetY: y } = event;
    const { place } = this.#waiting ?? {};
    if (place?.x !== x || place.y !== y) {
      const hit = this.#pick({ x, y }, false, () => {
        if (this.#waiting === waiting) this.#waiting = null;
      });
      const waiting: WaitingPick = { place: { x, y }, hit };
      this.#waiting = waiting;
    }
    this.#dispatchWhenPicked((this.#waiting as WaitingPick).hit, () => [type, event]);
  }

  #dispatchWhenPicked(
    hit: Promise<PickResult | null>,
    eventOf: () => readonly [type: ActorEventType, event: MouseEvent],
  ): void {
    hit.catch(() => {}); // the queued work below reports the error
    this.#enqueue(async () => {
      const seen = await hit;
      if (this.#listening.signal.aborted) return;
      const [type, event] = eventOf();
      this.#enter(seen, event);
      if (seen) this.#bubble(type, seen, event);
    });
  }

  /** Runs the work after all earlier events have been dispatched. */
  #enqueue(work: () => Promise<void> | void): void {
    this.#before = this.#before.then(work).catch((error: unknown) => {
      // A disposed engine reports no errors.
      if (!this.#listening.signal.aborted) this.#reportError(error);
    });
  }

  /**
   * Dispatches `pointerleave` from the inside out and `pointerenter` from the outside in, as the DOM does. Neither
   * bubbles.
   */
  #enter(hit: PickResult | null, event: MouseEvent): void {
    this.#last = event;
    const before = this.#over;
    const now = hit ? chainOf(hit) : [];
    this.#over = now;
    for (const actor of before) {
      if (!now.includes(actor)) this.#call(actor, 'pointerleave', before[0] as Actor, hit, event);
    }
    for (const actor of [...now].reverse()) {
      if (!before.includes(actor)) this.#call(actor, 'pointerenter', now[0] as Actor, hit, event);
    }
  }

  #bubble(type: ActorEventType, hit: PickResult, event: MouseEvent): void {
    for (const actor of chainOf(hit)) if (this.#call(actor, type, hit.actor, hit, event)) return;
  }

  /** Calls the listeners of one actor. @returns whether one of them has stopped the propagation */
  #call(
    currentTarget: Actor,
    type: ActorEventType,
    target: Actor,
    hit: PickResult | null,
    nativeEvent: MouseEvent,
  ): boolean {
    let isStopped = false;
    const stopPropagation = (): void => {
      isStopped = true;
    };
    const event = { type, target, currentTarget, hit, nativeEvent, stopPropagation };
    for (const listener of takeListeners(currentTarget, type)) this.#callOne(listener, event);
    return isStopped;
  }

  #callOne(listener: ActorListener, event: Parameters<ActorListener>[0]): void {
    try {
      listener(event);
    } catch (cause) {
      const text = `A listener for "${event.type}" of "${event.currentTarget.name}" threw: ${messageOf(cause)}`;
      this.#reportError(new SceneError('listener-failed', text, { cause }));
    }
  }
}

/** Returns the hit actor and the actors that it is attached to, from the inside out. */
function chainOf({ component }: PickResult): readonly Actor[] {
  const actors: Actor[] = [];
  for (let up: SceneComponent | null = component; up; up = up.parent) {
    if (up.actor && !actors.includes(up.actor)) actors.push(up.actor);
  }
  return actors;
}

/** Returns the current listeners, and removes listeners that were added with `once`. */
function takeListeners(actor: Actor, type: ActorEventType): readonly ActorListener[] {
  const listeners = actor.listeners?.get(type);
  if (!listeners) return [];
  const all = [...listeners.keys()];
  for (const [listener, { once }] of listeners) if (once) listeners.delete(listener);
  return all;
}
