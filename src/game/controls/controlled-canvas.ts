/**
 * A canvas that one or more controls listen to: those of the engine and of views in its parts. It overrides the page's
 * `touch-action` and `tabindex` while any of them needs that, and decides which controls get an event.
 *
 *   ┌ canvas ───────────────────┐
 *   │ engine's controls  ┌────┐ │    a press, the wheel ─► the topmost view at this point that has controls
 *   │                    │view│ │                          elsewhere: the engine's controls
 *   │                    └────┘ │    keys ─► the controls that were pressed last
 *   └───────────────────────────┘
 */

/** Controls of one canvas. */
export interface CanvasUser {
  /** Position in the drawing order; a higher number is on top. */
  readonly order: number;
  /** Returns whether a point of the window is in the drawn part that the controls belong to. */
  covers(x: number, y: number): boolean;
  /** Whether touches on the canvas move the camera, instead of scrolling the page. */
  readonly claimsTouches: boolean;
  /** Whether the canvas needs the focus. */
  readonly claimsKeys: boolean;
}

const canvases = /* @__PURE__ */ new WeakMap<HTMLElement, ControlledCanvas>();

export class ControlledCanvas {
  readonly element: HTMLElement;
  readonly #users = new Set<CanvasUser>();
  /** The user that was pressed last. */
  #pressed: CanvasUser | null = null;
  /** The page's own `touch-action`, while the controls override it; `null` otherwise. */
  #pageTouchAction: string | null = null;
  /** Whether the controls have set `tabindex`. */
  #hasTabIndex = false;

  private constructor(element: HTMLElement) {
    this.element = element;
  }

  /**
   * Returns the canvas with this element.
   * @param before the canvas that the element has replaced, as a copy with the same attributes
   */
  static of(element: HTMLElement, before: ControlledCanvas | null): ControlledCanvas {
    const known = canvases.get(element);
    if (known) return known;
    const canvas = new ControlledCanvas(element);
    canvases.set(element, canvas);
    if (before) canvas.#takeOver(before);
    return canvas;
  }

  /** Gives the copy the values of the page, because the copy may have the values of the controls. */
  #takeOver(before: ControlledCanvas): void {
    const { style } = this.element;
    if (style.touchAction === 'none') {
      style.touchAction = before.#pageTouchAction ?? before.element.style.touchAction;
    }
    if (before.#hasTabIndex) this.element.removeAttribute('tabindex');
  }

  add(user: CanvasUser): void {
    this.#users.add(user);
    this.follow();
  }

  remove(user: CanvasUser): void {
    this.#users.delete(user);
    if (this.#pressed === user) this.#pressed = null;
    this.follow();
  }

  /** Applies changes of `claimsTouches` and `claimsKeys`. */
  follow(): void {
    const users = [...this.#users];
    this.#claimTouches(users.some((user) => user.claimsTouches));
    this.#claimKeys(users.some((user) => user.claimsKeys));
  }

  /** Returns whether the user gets an event at a point of the window. */
  isFor(user: CanvasUser, x: number, y: number): boolean {
    if (!user.covers(x, y)) return false;
    for (const other of this.#users) if (other.order > user.order && other.covers(x, y)) return false;
    return true;
  }

  /** Marks the user that keys belong to. */
  press(user: CanvasUser): void {
    this.#pressed = user;
  }

  /** Returns whether the user gets the keys. */
  hasKeys(user: CanvasUser): boolean {
    if (this.#pressed?.claimsKeys) return this.#pressed === user;
    for (const first of this.#users) if (first.claimsKeys) return first === user;
    return false;
  }

  #claimTouches(isClaimed: boolean): void {
    const { style } = this.element;
    if (isClaimed === (this.#pageTouchAction !== null)) return;
    if (this.#pageTouchAction !== null) style.touchAction = this.#pageTouchAction;
    this.#pageTouchAction = isClaimed ? style.touchAction : null;
    if (isClaimed) style.touchAction = 'none';
  }

  #claimKeys(isClaimed: boolean): void {
    const { element } = this;
    if (isClaimed === this.#hasTabIndex) return;
    if (this.#hasTabIndex) element.removeAttribute('tabindex');
    // A page that has set its own `tabindex` keeps it.
    this.#hasTabIndex = isClaimed && !element.hasAttribute('tabindex');
    if (this.#hasTabIndex) element.tabIndex = 0;
  }
}
