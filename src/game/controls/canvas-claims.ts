/** Overrides the page's `touch-action` and `tabindex` of a canvas while controls need that. */
export class CanvasClaims {
  readonly #element: HTMLElement;
  /** The page's own `touch-action`, while the controls override it; `null` otherwise. */
  #pageTouchAction: string | null = null;
  /** Whether the controls have set `tabindex`. */
  #hasTabIndex = false;

  /** @param before claims on the previous canvas; the new element is a copy of it with the same attributes */
  constructor(element: HTMLElement, before: CanvasClaims | null) {
    this.#element = element;
    if (before) this.#takeOver(before);
  }

  /** Gives the copy the values of the page, because the copy may have the values of the controls. */
  #takeOver(before: CanvasClaims): void {
    const { style } = this.#element;
    if (style.touchAction === 'none') {
      style.touchAction = before.#pageTouchAction ?? before.#element.style.touchAction;
    }
    if (before.#hasTabIndex) this.#element.removeAttribute('tabindex');
  }

  /** @param isClaimed whether touches on the canvas belong to controls, instead of scrolling the page */
  claimTouches(isClaimed: boolean): void {
    const { style } = this.#element;
    if (isClaimed === (this.#pageTouchAction !== null)) return;
    if (this.#pageTouchAction !== null) style.touchAction = this.#pageTouchAction;
    this.#pageTouchAction = isClaimed ? style.touchAction : null;
    if (isClaimed) style.touchAction = 'none';
  }

  /** @param isClaimed whether the canvas needs the focus */
  claimKeys(isClaimed: boolean): void {
    const element = this.#element;
    if (isClaimed === this.#hasTabIndex) return;
    if (this.#hasTabIndex) element.removeAttribute('tabindex');
    // A page that has set its own `tabindex` keeps it.
    this.#hasTabIndex = isClaimed && !element.hasAttribute('tabindex');
    if (this.#hasTabIndex) element.tabIndex = 0;
  }
}
