import type { FrameSource } from '../frames/frame-scheduler.js';
import type { ResolvedOptions } from '../options/engine-options.js';
import { checkTarget, type EngineSurface } from '../surfaces/surface.js';

/**
 * Replaces the page's surface for an engine with `backend: 'null'` if the page has no layout. This is the
 * case in Node without a DOM, and in a DOM such as jsdom.
 *
 *   createEngine(null)      Node    engine.canvas: an event target with a size, in no document
 *   createEngine(element)   jsdom   engine.canvas: the given canvas, or a new one in the given element
 *   animation frames                the DOM's, or else a timer 60 times a second; never hidden
 *
 * Sizes: the canvas's own `width` and `height` (300 × 150 by default) times the pixel ratio. Its default is the
 * global `devicePixelRatio`, or 1 without that global.
 */
export class UnseenSurface implements EngineSurface {
  width = 0;
  height = 0;
  readonly isHidden = false;
  readonly zoom = 1;
  readonly canvas: HTMLCanvasElement;
  readonly #ownsCanvas: boolean;
  readonly #onResize: (width: number, height: number) => void;
  #pixelRatio: number | null;

  /** @throws OptionError `canvas-missing`, `option-invalid` */
  constructor(
    target: HTMLElement | null,
    pixelRatio: number | null,
    onResize: (width: number, height: number) => void,
  ) {
    this.#pixelRatio = pixelRatio;
    this.#onResize = onResize;
    if (target != null || globalThis.document) checkTarget(target);
    this.#ownsCanvas = target?.tagName !== 'CANVAS';
    if (!target) this.canvas = canvasWithoutDocument();
    else this.canvas = this.#ownsCanvas ? target.ownerDocument.createElement('canvas') : (target as never);
    if (this.#ownsCanvas) target?.append(this.canvas);
    this.#measure();
  }

  get shown(): { width: number; height: number } {
    return this;
  }

  get layout(): readonly [width: number, height: number] {
    return [this.canvas.width, this.canvas.height];
  }

  get pixelRatio(): number | null {
    return this.#pixelRatio;
  }
  set pixelRatio(ratio: number | null) {
    this.#pixelRatio = ratio;
    this.#measure();
    this.#onResize(this.width, this.height);
  }

  /** Passes the canvas to `by`. Taking it cannot fail, because the null backend draws nothing. */
  take<Taken>(by: (canvas: HTMLCanvasElement) => Taken | null): Taken {
    return by(this.canvas) as Taken;
  }
  replaceCanvas(): void {}
  limitSize(): void {}
  leave(): void {}

  dispose(): void {
    if (this.#ownsCanvas) this.canvas.remove();
  }

  #measure(): void {
    const ratio = this.#pixelRatio ?? globalThis.devicePixelRatio ?? 1;
    this.width = Math.round(this.canvas.width * ratio);
    this.height = Math.round(this.canvas.height * ratio);
  }
}

/**
 * Animation frames of the DOM, or a timer if there are none. The globals are looked up per call, so that tests can
 * replace the timers.
 */
export const unseenFrameSource: FrameSource = {
  requestFrame: (callback) =>
    'requestAnimationFrame' in globalThis
      ? requestAnimationFrame(callback)
      : Number(setTimeout(() => callback(performance.now()), 1000 / 60)),
  cancelFrame: (request) =>
    'cancelAnimationFrame' in globalThis ? cancelAnimationFrame(request) : clearTimeout(request),
  now: () => performance.now(),
  isHidden: false,
};

/** Returns the options with `threading: 'single'` if the environment has no workers. */
export const withoutWorkers = (options: ResolvedOptions): ResolvedOptions =>
  globalThis.Worker ? options : { ...options, threading: 'single' };

/** Returns an event target with the canvas members that page code uses. */
function canvasWithoutDocument(): HTMLCanvasElement {
  const [width, height] = [300, 150];
  const members = { width, height, clientWidth: width, clientHeight: height, style: {}, remove: () => {} };
  return Object.assign(new EventTarget(), members) as unknown as HTMLCanvasElement;
}
