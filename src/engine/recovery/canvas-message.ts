/**
 * A sentence over the canvas, for as long as there is no picture: the option `deviceLostMessage`. The element has the
 * class `fencepost-message`, by which a page can give it another look.
 */
export class CanvasMessage {
  #element: HTMLElement | null = null;

  /** @param canvas covered by the message, which moves and changes size with it at the next `show` */
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
