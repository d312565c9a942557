import { messageOf, SceneError } from '../../core/errors.js';
import type { Actor } from '../../game/actor.js';
import type { ActorEventType, ActorListener } from '../../game/actor-events.js';
import type { PickResult } from '../../game/pick-result.js';
import type { SceneComponent } from '../../game/scene-component.js';
import type { View } from '../../game/view.js';
import type { Picks } from './picks.js';

/** Those that the canvas has as well, and which bubble. */
const BUBBLING = ['click', 'dblclick', 'contextmenu', 'pointerdown', 'pointerup', 'pointermove'] as const;

/** Tells actors what the pointer does to them, on the engine's canvas and on those of views. Loaded with the first listener. */
export class PointerEvents {
  readonly #picks: Picks;
  readonly #reportError: (error: unknown) => void;
  /** By the view whose canvas it is; null: the engine's. */
  readonly #canvases = new Map<View | null, CanvasPointer>();

  constructor(canvas: HTMLCanvasElement, picks: Picks, reportError: (error: unknown) => void) {
    this.#picks = picks;
    this.#reportError = reportError;
    this.listenTo(canvas);
  }

  /** From now on, and to no other in its place. @param view whose canvas it is; null: it is the engine's */
  listenTo(canvas: EventTarget, view: View | null = null): void {
    const picks = this.#picks;
    const pointer =
      this.#canvases.get(view) ?? new CanvasPointer((x, y) => picks.pick(x, y, view), this.#reportError);
    this.#canvases.set(view, pointer);
    pointer.listenTo(canvas);
  }

  drop(view: View): void {
    this.#canvases.get(view)?.dispose();
    this.#canvases.delete(view);
  }

  dispose(): void {
    for (const pointer of this.#canvases.values()) pointer.dispose();
  }
}

/**
 * One canvas: for each of its events, what is under the pointer is picked, and who listens hears of it.
 *
 *   canvas ─► event ─► pick ─► enter and leave, by comparison with the last one ─► the event itself, up the attachment
 *
 * Events are told in their order, one after the other; of moves that wait only the last is told.
 */
class CanvasPointer {
  readonly #pick: (x: number, y: number) => Promise<PickResult | null>;
  readonly #reportError: (error: unknown) => void;
  #listening = new AbortController();
  /** The actors that the pointer is over, the one that is seen first. */
  #over: readonly Actor[] = [];
  /** Ends with the event before. */
  #before: Promise<void> = Promise.resolve();
  /** What brought it there. */
  #last: MouseEvent | null = null;
  /** A move that has not been looked at yet. */
  #move: MouseEvent | null = null;

  constructor(
    pick: (x: number, y: number) => Promise<PickResult | null>,
    reportError: (error: unknown) => void,
  ) {
    this.#pick = pick;
    this.#reportError = reportError;
  }

  /** From now on, and to no other. */
  listenTo(canvas: EventTarget): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const listen = (type: string, hear: (event: MouseEvent) => void): void =>
      canvas.addEventListener(type, hear as (event: Event) => void, { signal });
    for (const type of BUBBLING) listen(type, (event) => this.#heard(type, event));
    listen('pointerleave', (event) => this.#later(() => this.#enter(null, event)));
  }

  /** The pointer leaves what it was over. */
  dispose(): void {
    this.#listening.abort();
    if (this.#last) this.#enter(null, this.#last);
  }

  #heard(type: (typeof BUBBLING)[number], event: MouseEvent): void {
    if (type !== 'pointermove') {
      this.#later(() => this.#tell(type, event));
      return;
    }
    const isWaiting = this.#move !== null;
    this.#move = event;
    if (isWaiting) return;
    this.#later(() => {
      const last = this.#move as MouseEvent;
      this.#move = null;
      return this.#tell(type, last);
    });
  }

  #later(work: () => Promise<void> | void): void {
    this.#before = this.#before.then(work).catch((error: unknown) => {
      // A disposed engine tells nobody any more.
      if (!this.#listening.signal.aborted) this.#reportError(error);
    });
  }

  async #tell(type: (typeof BUBBLING)[number], event: MouseEvent): Promise<void> {
    if (this.#listening.signal.aborted) return;
    const hit = await this.#pick(event.offsetX, event.offsetY);
    if (this.#listening.signal.aborted) return;
    this.#enter(hit, event);
    if (hit) this.#bubble(type, hit, event);
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
    for (const listener of currentTarget.takeListeners(type)) this.#callOne(listener, event);
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
