import type { CanvasSource } from '../../threads/connections/connection.js';
import { takeBy } from './surface.js';

/**
 * A canvas that looks to the page like another one (id, class, style, every attribute), for threads that can't have
 * the old one: control over a canvas can be handed over once, and dies with its worker. It takes the old one's place
 * when it has a picture. Listeners can't be moved.
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
