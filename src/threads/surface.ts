import { OptionError, PlatformError } from '../core/errors.js';

/**
 * The engine owns its surface: the canvas element, its size in physical pixels, and the observers that follow
 * the element. The backing size is set by whoever draws; here it is only measured.
 *
 *   element resized, zoomed, moved to another screen ──► ResizeObserver ──► onResize(width, height)
 *
 * Sizes are in physical pixels unless a name says CSS.
 */
const canvasesInUse = new WeakSet<HTMLCanvasElement>();

export class Surface {
  readonly canvas: HTMLCanvasElement;
  width = 0;
  height = 0;
  readonly #observer: ResizeObserver;
  readonly #ownsCanvas: boolean;
  #resolutionQuery: MediaQueryList | null = null;
  #isDisposed = false;
  readonly #pixelRatio: number | null;
  readonly #onResize: (width: number, height: number) => void;

  /**
   * @param target a canvas, or any element, which then gets a canvas that fills it
   * @param pixelRatio physical pixels per CSS pixel; null follows the window's
   * @param onResize called when the size in physical pixels has changed
   * @throws OptionError `canvas-missing`, PlatformError `canvas-in-use`
   */
  constructor(
    target: HTMLElement,
    pixelRatio: number | null,
    onResize: (width: number, height: number) => void,
  ) {
    this.#pixelRatio = pixelRatio;
    this.#onResize = onResize;
    if (!(target instanceof HTMLElement)) {
      throw new OptionError(
        'canvas-missing',
        `createEngine was given ${target === null ? 'null (a query that found nothing?)' : typeof target}. Pass a canvas or a container element.`,
      );
    }
    this.#ownsCanvas = !(target instanceof HTMLCanvasElement);
    this.canvas = this.#ownsCanvas ? appendFillingCanvas(target) : (target as HTMLCanvasElement);
    if (canvasesInUse.has(this.canvas)) throw canvasInUseError(this.canvas);
    canvasesInUse.add(this.canvas);
    pinLayoutSize(this.canvas);
    this.#measure();
    this.#observer = new ResizeObserver((entries) => {
      const entry = entries[entries.length - 1];
      if (entry) this.#apply(entry);
    });
    this.#observer.observe(this.canvas);
    this.#watchPixelRatio();
  }

  /** Hands the canvas over to a worker. It can be done once in a canvas's life. */
  transferToOffscreen(): OffscreenCanvas {
    try {
      return this.canvas.transferControlToOffscreen();
    } catch (cause) {
      throw canvasInUseError(this.canvas, cause);
    }
  }

  /** @param isUsable whether the canvas could be drawn to again (its control was not handed over) */
  dispose(isUsable: boolean): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#observer.disconnect();
    this.#resolutionQuery?.removeEventListener('change', this.#pixelRatioChanged);
    if (this.#ownsCanvas) this.canvas.remove();
    if (isUsable) canvasesInUse.delete(this.canvas);
  }

  readonly #pixelRatioChanged = (): void => {
    if (this.#measure()) this.#onResize(this.width, this.height);
    this.#watchPixelRatio();
  };

  /** Zoom and a move to another screen change the ratio without changing the CSS size. */
  #watchPixelRatio(): void {
    if (this.#pixelRatio !== null) return;
    this.#resolutionQuery?.removeEventListener('change', this.#pixelRatioChanged);
    this.#resolutionQuery = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    this.#resolutionQuery.addEventListener('change', this.#pixelRatioChanged);
  }

  #measure(): boolean {
    const ratio = this.#pixelRatio ?? devicePixelRatio;
    return this.#setSize(this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio);
  }

  #apply(entry: ResizeObserverEntry): void {
    const ratio = this.#pixelRatio ?? devicePixelRatio;
    const { width, height } = entry.contentRect;
    if (this.#setSize(width * ratio, height * ratio)) this.#onResize(this.width, this.height);
  }

  #setSize(width: number, height: number): boolean {
    const wholeWidth = Math.round(width);
    const wholeHeight = Math.round(height);
    if (wholeWidth === this.width && wholeHeight === this.height) return false;
    this.width = wholeWidth;
    this.height = wholeHeight;
    return true;
  }
}

function appendFillingCanvas(container: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.style.cssText = 'display:block;width:100%;height:100%';
  container.append(canvas);
  return canvas;
}

/**
 * An unstyled canvas is laid out at its backing size, so following its layout at pixel ratio 2 doubles it for
 * ever. Where the backing size drives the layout (tried out, because style sheets can say it in many ways),
 * the CSS size is pinned to what it is now.
 */
function pinLayoutSize(canvas: HTMLCanvasElement): void {
  const { clientWidth, clientHeight, width, height } = canvas;
  if (!canvas.isConnected) {
    if (!canvas.style.width) canvas.style.width = `${width}px`;
    if (!canvas.style.height) canvas.style.height = `${height}px`;
    return;
  }
  try {
    canvas.width = width + 64;
    const isWidthDriven = canvas.clientWidth !== clientWidth;
    const isHeightDriven = canvas.clientHeight !== clientHeight;
    canvas.width = width;
    canvas.height = height + 64;
    const isHeightDrivenByHeight = canvas.clientHeight !== clientHeight;
    const isWidthDrivenByHeight = canvas.clientWidth !== clientWidth;
    canvas.height = height;
    if (isWidthDriven && isHeightDrivenByHeight && !isHeightDriven && !isWidthDrivenByHeight) {
      canvas.style.width = `${clientWidth}px`;
      canvas.style.height = `${clientHeight}px`;
    } else if (isHeightDriven || isWidthDrivenByHeight) {
      canvas.style.aspectRatio = `${width} / ${height}`;
    } else {
      if (isWidthDriven) canvas.style.width = `${clientWidth}px`;
      if (isHeightDrivenByHeight) canvas.style.height = `${clientHeight}px`;
    }
  } catch (cause) {
    throw canvasInUseError(canvas, cause);
  }
}

export function canvasInUseError(canvas: HTMLCanvasElement, cause?: unknown): PlatformError {
  const name = canvas.id ? `canvas "#${canvas.id}"` : 'the canvas';
  return new PlatformError(
    'canvas-in-use',
    `createEngine can't draw to ${name}: it already has a context or belongs to another engine. Pass a fresh canvas, or a container.`,
    { cause },
  );
}
