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
  /** Whether the browser has neither granted nor refused the last request. */
  #isPending = false;
  /** Whether the lock was released while its request was pending, so that a granted lock ends at once. */
  #isReleased = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** Asks for the lock, which browsers allow only after a click. A refused lock has no effect. */
  request(element: HTMLElement): void {
    if (this.#isLocked || !element.requestPointerLock) return;
    this.#stopListening();
    this.#element = element;
    this.#isPending = true;
    this.#isReleased = false;
    element.ownerDocument.addEventListener('pointerlockchange', this.#follow);
    element.ownerDocument.addEventListener('pointerlockerror', this.#fail);
    // Some browsers return no promise.
    const promise = element.requestPointerLock() as Promise<void> | undefined;
    promise?.catch(() => {});
  }

  /** Ends the lock. A lock that the browser grants later ends at once. */
  release(): void {
    if (this.#isPending) {
      this.#isReleased = true;
      return;
    }
    if (this.#isLocked) this.#element?.ownerDocument.exitPointerLock();
    this.#stopListening();
    this.#set(false);
  }

  #stopListening(): void {
    const document = this.#element?.ownerDocument;
    document?.removeEventListener('pointerlockchange', this.#follow);
    document?.removeEventListener('pointerlockerror', this.#fail);
    this.#element = null;
  }

  readonly #follow = (): void => {
    // The document does not name elements in a shadow tree, but the tree's root does.
    const root = this.#element?.getRootNode() as DocumentOrShadowRoot | undefined;
    const isLocked = root !== undefined && root.pointerLockElement === this.#element;
    if (isLocked) this.#isPending = false;
    if (isLocked && this.#isReleased) {
      this.#element?.ownerDocument.exitPointerLock();
      this.#stopListening();
      return;
    }
    this.#set(isLocked);
  };

  readonly #fail = (): void => {
    this.#isPending = false;
    if (this.#isReleased) this.#stopListening();
  };

  #set(isLocked: boolean): void {
    if (isLocked === this.#isLocked) return;
    this.#isLocked = isLocked;
    this.#onChange();
  }
}
