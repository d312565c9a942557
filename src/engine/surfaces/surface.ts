import { cssZoomOf } from '../../core/browser/css-zoom.js';
import { disposedError, isTyped, OptionError, PlatformError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import type { CanvasSource } from '../../threads/connections/connection.js';
import type { MeasuredSurface } from '../options/frame-settings.js';

const canvasesInUse = new WeakSet<HTMLCanvasElement>();
/** Canvases that an engine has drawn to and left. They can't be drawn to again, so a fresh canvas replaces them. */
const canvasesLeft = new WeakSet<HTMLCanvasElement>();

/** The public members of `Surface`, which `UnseenSurface` implements as well. */
export type EngineSurface = Pick<Surface, keyof Surface>;

export type SurfaceClass = new (
  target: HTMLElement,
  pixelRatio: number | null,
  onResize: (width: number, height: number) => void,
) => EngineSurface;

/**
 * The engine's surface: the canvas element, its size in physical pixels, and the observers of the element. This class
 * only measures the size. The thread that draws sets the canvas's backing size.
 *
 *   element resized, zoomed, moved to another screen ──► ResizeObserver ──► onResize(width, height)
 *
 * Sizes are in physical pixels unless a name says CSS.
 */
export class Surface implements CanvasSource, MeasuredSurface {
  width = 0;
  height = 0;
  /** The last visible size. */
  shown = { width: 0, height: 0 };
  readonly #observer: ResizeObserver;
  #canvas: HTMLCanvasElement;
  readonly #ownsCanvas: boolean;
  /** The page's canvas while a fresh canvas replaces it; else null. */
  #pageCanvas: HTMLCanvasElement | null = null;
  #hasLeft = false;
  /** Whether this engine has taken the canvas for drawing. */
  #isTaken = false;
  #resolutionQuery: MediaQueryList | null = null;
  // The size in CSS pixels as last observed. Do not measure it between two observations. A canvas that is
  // briefly out of the document would measure 0, and the observer would not report its return with the old
  // size.
  #layoutWidth: number;
  #layoutHeight: number;
  #isDisposed = false;
  #maximumSize = Infinity;
  #pixelRatio: number | null;
  readonly #onResize: (width: number, height: number) => void;

  /**
   * @param target a canvas, or an element that gets a new canvas, which fills it
   * @param pixelRatio physical pixels per CSS pixel; null follows the window's ratio
   * @param onResize called when the size in physical pixels has changed
   * @throws OptionError `canvas-missing`, `option-invalid`; PlatformError `canvas-in-use`
   */
  constructor(
    target: HTMLElement,
    pixelRatio: number | null,
    onResize: (width: number, height: number) => void,
  ) {
    this.#pixelRatio = pixelRatio;
    this.#onResize = onResize;
    checkTarget(target);
    this.#ownsCanvas = target.tagName !== 'CANVAS';
    this.#canvas = this.#ownsCanvas ? appendFillingCanvas(target) : (target as HTMLCanvasElement);
    if (canvasesInUse.has(this.canvas)) throw canvasInUseError(this.canvas);
    if (canvasesLeft.has(this.canvas)) {
      this.#pageCanvas = this.canvas;
      this.#canvas = this.canvas.cloneNode() as HTMLCanvasElement;
      this.#pageCanvas.replaceWith(this.#canvas);
      canvasesInUse.add(this.#pageCanvas);
    }
    this.#layoutWidth = this.canvas.clientWidth;
    this.#layoutHeight = this.canvas.clientHeight;
    this.#observer = new ResizeObserver((entries) => {
      for (const { contentRect } of entries) {
        this.#layoutWidth = contentRect.width;
        this.#layoutHeight = contentRect.height;
      }
      this.#follow();
    });
    this.replaceCanvas(this.canvas);
    this.#measure();
    this.#watchPixelRatio();
  }

  /** Physical pixels per CSS pixel; null follows the window's ratio. */
  get pixelRatio(): number | null {
    return this.#pixelRatio;
  }
  set pixelRatio(ratio: number | null) {
    this.#pixelRatio = ratio;
    this.#pixelRatioChanged();
  }

  /** Size in CSS pixels. */
  get layout(): readonly [width: number, height: number] {
    return [this.#layoutWidth, this.#layoutHeight];
  }

  /** CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `layout`. */
  get zoom(): number {
    return cssZoomOf(this.canvas);
  }

  /** The observed element. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  /** Whether the canvas has no box: it or an ancestor has `display: none`, or it is outside of the document. */
  get isHidden(): boolean {
    return this.canvas.getClientRects().length === 0;
  }

  /** Uses another canvas in place of the current one, until the engine ends. */
  replaceCanvas(canvas: HTMLCanvasElement): void {
    this.#observer.disconnect();
    if (canvas !== this.#canvas && !this.#ownsCanvas) this.#pageCanvas ??= this.#canvas;
    this.#canvas = canvas;
    canvasesInUse.add(canvas);
    this.#observer.observe(canvas);
  }

  take<Taken>(by: (canvas: HTMLCanvasElement) => Taken | null): Taken {
    if (this.#hasLeft) throw disposedError();
    const { canvas } = this;
    const taken = takeBy(canvas, by);
    this.#isTaken = true;
    pinLayoutSize(canvas);
    return taken;
  }

  /**
   * Limits width and height to `maximum` physical pixels. A larger surface is drawn smaller with the same proportions,
   * and the browser scales it up.
   */
  limitSize(maximum = Infinity): void {
    this.#maximumSize = maximum;
    this.#follow();
  }

  /** Releases the canvas when the engine ends. Another engine may take the canvas from now on. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    // Put the page's own canvas back, because its creator may look for it. For example, frameworks remove their
    // elements.
    if (this.#pageCanvas) this.canvas.replaceWith(this.#pageCanvas);
    for (const canvas of [this.canvas, this.#pageCanvas]) {
      if (canvas === null) continue;
      canvasesInUse.delete(canvas);
      if (this.#isTaken || canvas === this.#pageCanvas) canvasesLeft.add(canvas);
    }
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.leave();
    this.#isDisposed = true;
    this.#observer.disconnect();
    this.#resolutionQuery?.removeEventListener('change', this.#pixelRatioChanged);
    if (this.#ownsCanvas) this.canvas.remove();
  }

  readonly #pixelRatioChanged = (): void => {
    this.#follow();
    this.#watchPixelRatio();
  };

  /** Observes the window's pixel ratio. Zooming or another screen can change it without changing the CSS size. */
  #watchPixelRatio(): void {
    this.#resolutionQuery?.removeEventListener('change', this.#pixelRatioChanged);
    if (this.#pixelRatio !== null) return;
    this.#resolutionQuery = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    this.#resolutionQuery.addEventListener('change', this.#pixelRatioChanged);
  }

  #measure(): boolean {
    const ratio = this.#pixelRatio ?? devicePixelRatio;
    return this.#setSize(this.#layoutWidth * ratio, this.#layoutHeight * ratio);
  }

  #follow(): void {
    if (this.#measure()) this.#onResize(this.width, this.height);
  }

  #setSize(width: number, height: number): boolean {
    const maximum = this.#maximumSize;
    const scale = Math.min(1, maximum / Math.round(Math.max(width, height)));
    const fitted = (size: number): number => Math.min(maximum, Math.ceil(Math.round(size) * scale));
    const wholeWidth = fitted(width);
    const wholeHeight = fitted(height);
    if (wholeWidth === this.width && wholeHeight === this.height) return false;
    this.width = wholeWidth;
    this.height = wholeHeight;
    // A canvas that is briefly out of the document keeps its size in CSS pixels, and shows this size when it returns.
    const isSized = wholeWidth > 0 && wholeHeight > 0;
    if (isSized || !this.isHidden) this.shown = { width: wholeWidth, height: wholeHeight };
    return true;
  }
}

/** Visible elements that don't show their children. */
const HOLDS_NOTHING = /^(br|iframe|img|input|textarea|video)$/i;

/**
 * Checks the target of an engine.
 * @throws OptionError `canvas-missing` if it is not an element, `option-invalid` if it can't contain a canvas
 */
export function checkTarget(target: HTMLElement | null | undefined): void {
  // Check tag names instead of classes, because an element of an iframe has other classes.
  const tag = target?.tagName;
  if (tag && !HOLDS_NOTHING.test(tag)) return;
  const given = tag
    ? `<${tag}>, which can't contain a canvas`
    : target === null
      ? 'null'
      : shownValue(target);
  // The target may be a selector by mistake, or null because a selector matches nothing.
  const query = typeof target === 'string' ? target : target === null ? '#view' : null;
  const remedy = query
    ? `the element that document.querySelector(${JSON.stringify(query)}) finds`
    : 'a canvas or a container element';
  throw new OptionError(tag ? 'option-invalid' : 'canvas-missing', `The canvas is ${given}. Pass ${remedy}.`);
}

/** Returns the result of `by` for the canvas. @throws PlatformError `canvas-in-use`, or a `FencepostError` of `by` */
export function takeBy<Taken>(
  canvas: HTMLCanvasElement,
  by: (canvas: HTMLCanvasElement) => Taken | null,
): Taken {
  let cause: unknown;
  try {
    const taken = by(canvas);
    if (taken) return taken;
  } catch (error) {
    if (isTyped(error)) throw error;
    cause = error;
  }
  throw canvasInUseError(canvas, cause);
}

function appendFillingCanvas(container: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.style.cssText = 'display:block;width:100%;height:100%';
  container.append(canvas);
  return canvas;
}

/**
 * Pins the CSS size of a canvas if its backing size drives its layout. Otherwise an unstyled canvas at pixel ratio 2
 * would double its size for ever.
 *
 * Style sheets can cause this in many ways, so a copy replaces the canvas for a moment and gets two backing sizes as a
 * test. The canvas itself can't be resized after its transfer to a worker.
 */
function pinLayoutSize(canvas: HTMLCanvasElement): void {
  const { clientWidth, clientHeight, width, height, style, isConnected } = canvas;
  if (!isConnected) {
    style.width ||= `${width}px`;
    style.height ||= `${height}px`;
    return;
  }
  const copy = canvas.cloneNode() as HTMLCanvasElement;
  canvas.replaceWith(copy);
  copy.width = width + 64;
  const isWidthDriven = copy.clientWidth !== clientWidth;
  const isHeightDriven = copy.clientHeight !== clientHeight;
  copy.width = width;
  copy.height = height + 64;
  const isHeightDrivenByHeight = copy.clientHeight !== clientHeight;
  const isWidthDrivenByHeight = copy.clientWidth !== clientWidth;
  copy.replaceWith(canvas);
  if (isHeightDriven || isWidthDrivenByHeight) {
    style.aspectRatio = `${width} / ${height}`;
  } else {
    if (isWidthDriven) style.width = `${clientWidth}px`;
    if (isHeightDrivenByHeight) style.height = `${clientHeight}px`;
  }
}

export function canvasInUseError(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  cause?: unknown,
): PlatformError {
  const { id } = canvas as HTMLCanvasElement;
  const name = id ? `canvas "#${id}"` : 'the canvas';
  return new PlatformError(
    'canvas-in-use',
    `Nothing can be drawn to ${name}: it has a context, or was given to an engine before. Pass a fresh canvas, or a container.`,
    { cause },
  );
}
