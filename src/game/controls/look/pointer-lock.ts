/**
 * The lock of the mouse pointer to a canvas. While it lasts, the pointer is hidden, and the canvas gets its movements
 * without limits. The user ends the lock by the escape key.
 */
export class PointerLock {
  /** Called when the lock has begun or ended. */
  readonly #onChange: () => void;
  /** The canvas that has asked for the lock last. */
  #element: HTMLElement | null = null;
  #isLocked = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** Asks for the lock, which browsers allow only after a click. A refused lock has no effect. */
  request(element: HTMLElement): void {
    if (this.#isLocked) return;
    this.#element?.ownerDocument.removeEventListener('pointerlockchange', this.#follow);
    this.#element = element;
    element.ownerDocument.addEventListener('pointerlockchange', this.#follow);
    // Some browsers return no promise.
    const promise = element.requestPointerLock?.() as Promise<void> | undefined;
    promise?.catch(() => {});
  }

  /** Ends the lock. */
  release(): void {
    const element = this.#element;
    if (!element) return;
    if (this.#isLocked) element.ownerDocument.exitPointerLock();
    element.ownerDocument.removeEventListener('pointerlockchange', this.#follow);
    this.#element = null;
    this.#set(false);
  }

  readonly #follow = (): void => {
    // The document does not name elements in a shadow tree, but the tree's root does.
    const root = this.#element?.getRootNode() as DocumentOrShadowRoot | undefined;
    this.#set(root?.pointerLockElement === this.#element);
  };

  #set(isLocked: boolean): void {
    if (isLocked === this.#isLocked) return;
    this.#isLocked = isLocked;
    this.#onChange();
  }
}
