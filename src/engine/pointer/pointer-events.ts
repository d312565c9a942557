import { messageOf, SceneError } from '../../core/errors.js';
import type { Actor } from '../../game/components/actor.js';
import type { ActorEventType, ActorListener } from '../../game/components/actor-events.js';
import type { SceneComponent } from '../../game/components/scene-component.js';
import type { PickResult } from '../../game/picking/pick-result.js';
import type { View } from '../../game/world/view.js';
import type { PickPlace, Picks } from './picks.js';

/** What an actor hears of where the pointer is. */
const BY_MOVES = ['pointermove', 'pointerenter', 'pointerleave'] as const;
/** Those that the canvas has as well, and which bubble. */
const BUBBLING = ['click', 'dblclick', 'contextmenu', 'pointerdown', 'pointerup'] as const;

/** Tells actors what the pointer does to them, on the engine's canvas and on those of views. Created with the first listener. */
export class PointerEvents {
  readonly #picks: Picks;
  readonly #reportError: (error: unknown) => void;
  /** By the view whose canvas it is; null: the engine's. */
  readonly #canvases = new Map<View | null, CanvasPointer>();
  readonly #listening = new Listening();

  constructor(canvas: HTMLCanvasElement, picks: Picks, reportError: (error: unknown) => void) {
    this.#picks = picks;
    this.#reportError = reportError;
    this.listenTo(canvas);
  }

  /** From now on, and to no other in its place. @param view whose canvas it is; null: it is the engine's */
  listenTo(canvas: EventTarget, view: View | null = null): void {
    const picks = this.#picks;
    const pick: PickPlaceOf = (place, canWait, asked) => picks.pickPlace(place, view, canWait, asked);
    const pointer = this.#canvases.get(view) ?? new CanvasPointer(pick, this.#listening, this.#reportError);
    this.#canvases.set(view, pointer);
    pointer.listenTo(canvas);
  }

  /** The actor has a listener. */
  watch(actor: Actor): void {
    this.#listening.add(actor);
  }

  drop(view: View): void {
    this.#canvases.get(view)?.dispose();
    this.#canvases.delete(view);
  }

  dispose(): void {
    for (const pointer of this.#canvases.values()) pointer.dispose();
  }
}

/** Who listens, so that nothing is picked for nobody. It keeps no actor alive. */
class Listening {
  readonly #known = new WeakSet<Actor>();
  #actors: WeakRef<Actor>[] = [];
  /** Gone through when there are twice as many: until then those that are gone stay in it. */
  #limit = 16;

  add(actor: Actor): void {
    if (this.#known.has(actor)) return;
    this.#known.add(actor);
    this.#actors.push(new WeakRef(actor));
    if (this.#actors.length < this.#limit) return;
    this.#actors = this.#actors.filter((each) => each.deref()?.isDestroyed === false);
    this.#limit = Math.max(this.#actors.length * 2, 16);
  }

  /** Whether any actor has a listener of one of the kinds. */
  listenFor(types: readonly ActorEventType[]): boolean {
    return this.#actors.some((each) => {
      const actor = each.deref();
      return !actor?.isDestroyed && types.some((type) => actor?.listeners?.get(type)?.size);
    });
  }
}

type PickPlaceOf = (place: PickPlace, canWait: boolean, asked: () => void) => Promise<PickResult | null>;

/** What is seen under the pointer, asked for but not yet by a frame. */
interface WaitingPick {
  readonly place: PickPlace;
  readonly hit: Promise<PickResult | null>;
}

/** Moves of one frame, of which the last is told. */
interface WaitingMove extends WaitingPick {
  event: MouseEvent;
}

/**
 * One canvas: for each of its events that somebody listens for, what is under the pointer is picked, and who listens hears of it.
 *
 *   event A ─► pick, by the next frame ─────────────► told: enter and leave, by comparison with the last one,
 *   event B ─► pick, by the next frame ──► … after A ─► told                    then the event itself, up the attachment
 *
 * The pick belongs to the frame that follows the event, whatever was asked before and is not answered yet: things move on. Events of
 * a frame at the same place share one. Events are told in their order; of moves that come between two frames only the last is.
 */
class CanvasPointer {
  readonly #pick: PickPlaceOf;
  readonly #actors: Listening;
  readonly #reportError: (error: unknown) => void;
  #listening = new AbortController();
  /** The actors that the pointer is over, the one that is seen first. */
  #over: readonly Actor[] = [];
  /** Ends with the event before. */
  #before: Promise<void> = Promise.resolve();
  /** What brought it there. */
  #last: MouseEvent | null = null;
  /** That no frame has asked for yet, and where. */
  #waiting: WaitingPick | null = null;
  /** The last event, where it is a move whose place may still change. */
  #move: WaitingMove | null = null;

  constructor(pick: PickPlaceOf, actors: Listening, reportError: (error: unknown) => void) {
    this.#pick = pick;
    this.#actors = actors;
    this.#reportError = reportError;
  }

  /** From now on, and to no other. */
  listenTo(canvas: EventTarget): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const listen = (type: string, hear: (event: MouseEvent) => void): void =>
      canvas.addEventListener(type, hear as (event: Event) => void, { signal });
    listen('pointermove', (event) => this.#moved(event));
    for (const type of BUBBLING) listen(type, (event) => this.#heard(type, event));
    listen('pointerleave', (event) => {
      this.#move = null;
      this.#later(() => this.#enter(null, event));
    });
  }

  /** The pointer leaves what it was over. */
  dispose(): void {
    this.#listening.abort();
    if (this.#last) this.#enter(null, this.#last);
  }

  #moved(event: MouseEvent): void {
    if (!this.#actors.listenFor(BY_MOVES)) {
      // Where it is now is not known, and who asks later hears of it as of a pointer that has come then.
      if (this.#over.length > 0) {
        this.#later(() => {
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
    // A running engine draws no frame more for a move.
    const hit = this.#pick(place, true, () => {
      if (this.#move === move) this.#move = null;
    });
    const move: WaitingMove = { place, hit, event };
    this.#move = move;
    this.#tell(hit, () => ['pointermove', move.event]);
  }

  #heard(type: (typeof BUBBLING)[number], event: MouseEvent): void {
    // Where a move that comes later goes, it comes after this one.
    this.#move = null;
    // A finger comes without a move.
    const isHeard = this.#actors.listenFor(type === 'pointerdown' ? [type, ...BY_MOVES] : [type]);
    if (!isHeard) return;
    const { offsetX: x, offsetY: y } = event;
    const { place } = this.#waiting ?? {};
    if (place?.x !== x || place.y !== y) {
      const hit = this.#pick({ x, y }, false, () => {
        if (this.#waiting === waiting) this.#waiting = null;
      });
      const waiting: WaitingPick = { place: { x, y }, hit };
      this.#waiting = waiting;
    }
    this.#tell((this.#waiting as WaitingPick).hit, () => [type, event]);
  }

  #tell(
    hit: Promise<PickResult | null>,
    what: () => readonly [type: ActorEventType, event: MouseEvent],
  ): void {
    hit.catch(() => {}); // Reported in its turn.
    this.#later(async () => {
      const seen = await hit;
      if (this.#listening.signal.aborted) return;
      const [type, event] = what();
      this.#enter(seen, event);
      if (seen) this.#bubble(type, seen, event);
    });
  }

  #later(work: () => Promise<void> | void): void {
    this.#before = this.#before.then(work).catch((error: unknown) => {
      // A disposed engine tells nobody any more.
      if (!this.#listening.signal.aborted) this.#reportError(error);
    });
  }

  /** As in the DOM: leaving is told from the inside out, entering from the outside in, and neither bubbles. */
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

  /** @returns whether a listener wants it to go no further */
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
    for (const listener of take(currentTarget, type)) this.#callOne(listener, event);
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

/** The actor that was hit, and those it is attached to. */
function chainOf({ component }: PickResult): readonly Actor[] {
  const actors: Actor[] = [];
  for (let up: SceneComponent | null = component; up; up = up.parent) {
    if (up.actor && !actors.includes(up.actor)) actors.push(up.actor);
  }
  return actors;
}

/** Those that hear of it now; who wants to hear once has heard. */
function take(actor: Actor, type: ActorEventType): readonly ActorListener[] {
  const listeners = actor.listeners?.get(type) ?? new Map<ActorListener, boolean>();
  const all = [...listeners.keys()];
  for (const [listener, isOnce] of listeners) if (isOnce) listeners.delete(listener);
  return all;
}
