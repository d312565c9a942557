/**
 * A canvas that one or more controls listen to: those of the engine and of views in its parts. It decides which
 * controls get an event.
 *
 *   ┌ canvas ───────────────────┐
 *   │ engine's controls  ┌────┐ │    a press, the wheel ─► the topmost view at this point that has controls
 *   │                    │view│ │                          elsewhere: the engine's controls
 *   │                    └────┘ │    keys ─► the controls that were pressed last
 *   └───────────────────────────┘
 *
 * Several controls of one part share its input by rank: a gizmo is asked first, then dragged actors, then the camera.
 * A finger that joins pressed fingers belongs to the controls that these fingers have pressed.
 */
import { CanvasClaims } from './canvas-claims.js';

/** Ranks of controls. The highest rank that takes a press or a turn of the wheel gets it alone. */
export const InputRank = { camera: 0, actors: 1, gizmo: 2 } as const;

/** Receives the input of one set of controls. */
export interface InputReceiver {
  /** Position in the drawing order; a higher number is on top. */
  readonly order: number;
  /** One of `InputRank`. */
  readonly rank: number;
  /** Whether touches belong to the controls, instead of scrolling the page. */
  readonly claimsTouches: boolean;
  /** Whether the canvas needs the focus. */
  readonly claimsKeys: boolean;
  /** Whether the context menu of the browser stays closed. */
  readonly withholdsMenu: boolean;
  /** Whether a pointer of the controls is pressed. */
  readonly isPressed: boolean;
  /** Returns whether a point of the window is in the drawn part that the controls belong to. */
  covers(x: number, y: number): boolean;
  /** Returns whether the controls want this press. */
  takesPress(event: PointerEvent): boolean;
  press(event: PointerEvent): void;
  move(event: PointerEvent): void;
  release(pointerId: number): void;
  /** Called when a pointer that is not pressed moves; with `null`, it has left the controls' part. */
  hover(event: PointerEvent | null): void;
  /** Returns whether the controls have used the turn. */
  turnWheel(event: WheelEvent): boolean;
  /** Returns whether the controls have used the key. */
  pressKey(event: KeyboardEvent): boolean;
  releaseKey(event: KeyboardEvent): void;
  /** Called when the canvas has lost the focus. */
  releaseKeys(): void;
  /** Returns whether a click is the end of a drag, so that nothing else should get it. */
  withholdsClick(event: MouseEvent): boolean;
  click(event: MouseEvent): void;
}

const RIGHT_BUTTON = 2;

const canvases = /* @__PURE__ */ new WeakMap<HTMLElement, ControlledCanvas>();

export class ControlledCanvas {
  readonly element: HTMLElement;
  readonly #claims: CanvasClaims;
  readonly #receivers = new Set<InputReceiver>();
  /** Receivers of pressed pointers by id. */
  readonly #pointers = new Map<number, readonly InputReceiver[]>();
  /** The receiver that was pressed last. */
  #pressed: InputReceiver | null = null;
  /** Receivers of the last press of the right button, which decide about its context menu. */
  #menuOwners: readonly InputReceiver[] | null = null;
  /** Functions that remove the listeners. */
  readonly #removals: (() => void)[] = [];

  private constructor(element: HTMLElement, before: ControlledCanvas | null) {
    this.element = element;
    this.#claims = new CanvasClaims(element, before === null ? null : before.#claims);
  }

  /**
   * Returns the canvas with this element.
   * @param before the previous canvas; the new element is a copy of it with the same attributes
   */
  static of(element: HTMLElement, before: ControlledCanvas | null): ControlledCanvas {
    const known = canvases.get(element);
    if (known) return known;
    const canvas = new ControlledCanvas(element, before);
    canvases.set(element, canvas);
    return canvas;
  }

  add(receiver: InputReceiver): void {
    this.#receivers.add(receiver);
    if (this.#removals.length === 0) this.#listen();
    this.follow();
  }

  remove(receiver: InputReceiver): void {
    this.#receivers.delete(receiver);
    if (this.#pressed === receiver) this.#pressed = null;
    if (this.#receivers.size === 0) {
      for (const removeListener of this.#removals.splice(0)) removeListener();
      this.#pointers.clear();
      this.#menuOwners = null;
    }
    this.follow();
  }

  /** Applies changes of `claimsTouches` and `claimsKeys`. */
  follow(): void {
    const receivers = [...this.#receivers];
    this.#claims.claimTouches(receivers.some(({ claimsTouches }) => claimsTouches));
    this.#claims.claimKeys(receivers.some(({ claimsKeys }) => claimsKeys));
  }

  #listen(): void {
    const { element } = this;
    const on = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      listener: (event: HTMLElementEventMap[Type]) => void,
      options: AddEventListenerOptions = {},
    ): void => {
      element.addEventListener(type, listener, options);
      this.#removals.push(() => element.removeEventListener(type, listener, options));
    };
    on('pointerdown', (event) => this.#press(event));
    on('pointermove', (event) => this.#move(event));
    on('pointerleave', () => this.#hover([], null));
    on('pointerup', ({ pointerId }) => this.#release(pointerId));
    on('pointercancel', ({ pointerId }) => this.#release(pointerId));
    on('lostpointercapture', ({ pointerId }) => this.#release(pointerId));
    on('wheel', (event) => this.#turnWheel(event), { passive: false });
    on('keydown', (event) => this.#pressKey(event));
    on('keyup', (event) => this.#each((receiver) => receiver.releaseKey(event)));
    on('blur', () => this.#each((receiver) => receiver.releaseKeys()));
    // The capture phase comes before the listeners of the page and of actors.
    on('click', (event) => this.#click(event), { capture: true });
    on('contextmenu', (event) => this.#openMenu(event));
  }

  #each(call: (receiver: InputReceiver) => void): void {
    for (const receiver of [...this.#receivers]) call(receiver);
  }

  /** Returns the receivers of the topmost part at a point of the window, by descending rank. */
  #receiversAt({ clientX, clientY }: MouseEvent): InputReceiver[] {
    const here = [...this.#receivers].filter((receiver) => receiver.covers(clientX, clientY));
    const top = Math.max(...here.map(({ order }) => order));
    return here.filter(({ order }) => order === top).sort((a, b) => b.rank - a.rank);
  }

  /** Returns the receivers of a press: all of the highest rank that take it. */
  #takersOf(event: PointerEvent, here: readonly InputReceiver[]): InputReceiver[] {
    const pressed = here.filter(({ isPressed }) => isPressed);
    if (pressed.length > 0) return pressed;
    const takers: InputReceiver[] = [];
    for (const receiver of here) {
      if (takers[0] && receiver.rank < takers[0].rank) break;
      if (receiver.takesPress(event)) takers.push(receiver);
    }
    return takers;
  }

  #press(event: PointerEvent): void {
    const here = this.#receiversAt(event);
    const takers = this.#takersOf(event, here);
    if (event.button === RIGHT_BUTTON) this.#menuOwners = here;
    const [first] = takers;
    if (!first) return;
    // Keys belong to the camera of the pressed part, even if the press has grabbed an actor.
    this.#pressed = here.find(({ claimsKeys }) => claimsKeys) ?? first;
    this.#pointers.set(event.pointerId, takers);
    for (const receiver of takers) receiver.press(event);
    try {
      this.element.setPointerCapture(event.pointerId);
    } catch {
      // An event created by a script has no active pointer to capture. The controls still follow its events
      // on the canvas.
    }
  }

  #move(event: PointerEvent): void {
    const receivers = this.#pointers.get(event.pointerId);
    if (!receivers) this.#hover(this.#receiversAt(event), event);
    else for (const receiver of receivers) receiver.move(event);
  }

  /** Tells all receivers whether the pointer is above their part. */
  #hover(here: readonly InputReceiver[], event: PointerEvent | null): void {
    this.#each((receiver) => receiver.hover(here.includes(receiver) ? event : null));
  }

  #release(pointerId: number): void {
    const receivers = this.#pointers.get(pointerId) ?? [];
    this.#pointers.delete(pointerId);
    for (const receiver of receivers) receiver.release(pointerId);
  }

  #turnWheel(event: WheelEvent): void {
    let rank = -1;
    for (const receiver of this.#receiversAt(event)) {
      if (receiver.rank < rank) break;
      if (receiver.turnWheel(event)) rank = receiver.rank;
    }
    if (rank >= 0) event.preventDefault();
  }

  /** Per key and repetition, while the canvas has the focus. Combinations with other keys belong to the browser. */
  #pressKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.#keyReceiver?.pressKey(event)) event.preventDefault();
  }

  get #keyReceiver(): InputReceiver | null {
    if (this.#pressed?.claimsKeys) return this.#pressed;
    for (const first of this.#receivers) if (first.claimsKeys) return first;
    return null;
  }

  #click(event: MouseEvent): void {
    let isWithheld = false;
    this.#each((receiver) => {
      if (receiver.withholdsClick(event)) isWithheld = true;
    });
    if (isWithheld) {
      event.stopImmediatePropagation();
      event.preventDefault();
      return;
    }
    for (const receiver of this.#receiversAt(event)) receiver.click(event);
  }

  /** A right drag may end above another part, so the part of its press decides. */
  #openMenu(event: MouseEvent): void {
    const owners = event.button === RIGHT_BUTTON ? this.#menuOwners : null;
    this.#menuOwners = null;
    const here = owners ?? this.#receiversAt(event);
    if (here.some(({ withholdsMenu }) => withholdsMenu)) event.preventDefault();
  }
}
