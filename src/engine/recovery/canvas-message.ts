/**
 * A message over the canvas while there is no picture, for the option `deviceLostMessage`. A page can style the element
 * by its class `fencepost-message`.
 */
export class CanvasMessage {
  #element: HTMLElement | null = null;

  /**
   * Shows the message over the canvas. The message gets the canvas's current position and size, and keeps them until
   * the next `show`.
   */
  show(canvas: HTMLCanvasElement, text: string): void {
    this.hide();
    if (!canvas.isConnected) return;
    const element = document.createElement('div');
    element.className = 'fencepost-message';
    element.setAttribute('role', 'status');
    element.textContent = text;
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = canvas;
    element.style.cssText = `position:absolute;box-sizing:border-box;left:${offsetLeft}px;top:${offsetTop}px;width:${offsetWidth}px;height:${offsetHeight}px;display:grid;place-content:center;padding:1em;text-align:center;font:14px/1.4 system-ui,sans-serif;color:#fff;background:#000a;pointer-events:none`;
    canvas.after(element);
    this.#element = element;
  }

  hide(): void {
    this.#element?.remove();
    this.#element = null;
  }
}
