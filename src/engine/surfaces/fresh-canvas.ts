import type { CanvasSource } from '../../threads/connections/connection.js';
import { takeBy } from './surface.js';

/**
 * A copy of a canvas with all its attributes (id, class, style …), for threads that can't draw to the old canvas.
 * Control over a canvas can be transferred only once, and ends with the worker that has it. The copy replaces the old
 * canvas in the document when the copy has a picture. Event listeners are not copied.
 */
export class FreshCanvas implements CanvasSource {
  readonly canvas: HTMLCanvasElement;

  constructor(old: HTMLCanvasElement) {
    this.canvas = old.cloneNode() as HTMLCanvasElement;
  }

  take<Taken>(by: (canvas: HTMLCanvasElement) => Taken | null): Taken {
    return takeBy(this.canvas, by);
  }

  takePlaceOf(old: HTMLCanvasElement): void {
    const hadFocus = document.activeElement === old;
    old.replaceWith(this.canvas);
    if (hadFocus) this.canvas.focus();
  }
}
