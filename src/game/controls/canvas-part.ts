/**
 * The part of a canvas that belongs to controls: the whole canvas, or the rectangle of a view. Points are pixels of the
 * window (`clientX`, `clientY`), which CSS `zoom` of the canvas has scaled.
 */
import { cssZoomOf } from '../../core/browser/css-zoom.js';
import type { CameraComponent } from '../components/camera-component.js';
import { type Ray, rayThrough } from '../components/camera-rays.js';
import type { View } from '../world/view.js';
import { areaOf } from './controls-host.js';

export class CanvasPart {
  readonly element: HTMLElement;
  readonly #view: View | null;

  constructor(element: HTMLElement, view: View | null) {
    this.element = element;
    this.#view = view;
  }

  /** Returns whether a point is in the part. False while the view is not drawn. */
  covers(x: number, y: number): boolean {
    if (this.#view && !this.#view.enabled) return false;
    const area = areaOf(this.#view);
    if (area.width === 1 && area.height === 1) return true;
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const right = (x - left) / width - area.x;
    const down = (y - top) / height - area.y;
    return right >= 0 && right < area.width && down >= 0 && down < area.height;
  }

  /** Height in pixels of the window; 1 for a canvas without height. */
  get height(): number {
    const { element } = this;
    return element.clientHeight * cssZoomOf(element) * areaOf(this.#view).height || 1;
  }

  /** Returns a point's place right of and below the middle, in heights of the part. */
  fromMiddle(x: number, y: number): [right: number, down: number] {
    const area = areaOf(this.#view);
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const middleX = left + (area.x + area.width / 2) * width;
    const middleY = top + (area.y + area.height / 2) * height;
    return [(x - middleX) / this.height, (y - middleY) / this.height];
  }

  /** Returns the ray from a camera through a point. */
  rayAt(camera: CameraComponent, x: number, y: number): Ray {
    const area = areaOf(this.#view);
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const size = [area.width * width, area.height * height] as const;
    return rayThrough(camera, x - left - area.x * width, y - top - area.y * height, size);
  }
}
