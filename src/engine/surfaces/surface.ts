import { cssZoomOf } from '../../core/browser/css-zoom.js';
import { disposedError, isTyped, OptionError, PlatformError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import type { CanvasSource } from '../../threads/connections/connection.js';
import type { MeasuredSurface } from '../options/frame-settings.js';

const canvasesInUse = new WeakSet<HTMLCanvasElement>();
/** Canvases that an engine has drawn to and left: nobody can draw to them again, so a fresh one takes their place. */
const canvasesLeft = new WeakSet<HTMLCanvasElement>();

/** What an engine asks of its surface. */
export type EngineSurface = Pick<Surface, keyof Surface>;

export type SurfaceClass = new (
  target: HTMLElement,
  pixelRatio: number | null,
  onResize: (width: number, height: number) => void,
) => EngineSurface;

/**
 * The engine owns its surface: the canvas element, its size in physical pixels, and the observers that follow
 * the element. The backing size is set by whoever draws; here it is only measured.
 *
 *   element resized, zoomed, moved to another screen ──► ResizeObserver ──► onResize(width, height)
 *
 * Sizes are in physical pixels unless a name says CSS.
 */
export class Surface implements CanvasSource, MeasuredSurface {
  width = 0;
  height = 0;
  /** The size in which it was shown last. */
  shown = { width: 0, height: 0 };
  readonly #observer: ResizeObserver;
  #canvas: HTMLCanvasElement;
  readonly #ownsCanvas: boolean;
  /** What the page passed in, where a fresh one stands in for it. */
  #given: HTMLCanvasElement | null = null;
  #hasLeft = false;
  /** Whether this engine has drawn to it. */
  #isTaken = false;
  #resolutionQuery: MediaQueryList | null = null;
  // In CSS pixels, as it was observed last. Measured anew in between, a canvas that is away for a moment would have none,
  // and the observer, which meets it as it was, would say nothing when it is back.
  #layoutWidth: number;
  #layoutHeight: number;
  #isDisposed = false;
  #maximumSize = Infinity;
  #pixelRatio: number | null;
  readonly #onResize: (width: number, height: number) => void;

  /**
   * @param target a canvas, or any element, which then gets a canvas that fills it
   * @param pixelRatio physical pixels per CSS pixel; null follows the window's
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
      this.#given = this.canvas;
      this.#canvas = this.canvas.cloneNode() as HTMLCanvasElement;
      this.#given.replaceWith(this.#canvas);
      canvasesInUse.add(this.#given);
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

  /** Physical pixels per CSS pixel; null: the window's. */
  get pixelRatio(): number | null {
    return this.#pixelRatio;
  }
  set pixelRatio(ratio: number | null) {
    this.#pixelRatio = ratio;
    this.#pixelRatioChanged();
  }

  /** CSS pixels. */
  get layout(): readonly [width: number, height: number] {
    return [this.#layoutWidth, this.#layoutHeight];
  }

  /** CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `layout`. */
  get zoom(): number {
    return cssZoomOf(this.canvas);
  }

  /** The element that is observed. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  /** Whether it has no box: it, or what it is in, has `display: none`, or is not in the document. */
  get isHidden(): boolean {
    return this.canvas.getClientRects().length === 0;
  }

  /** Another canvas stands in for the one there is, until the engine ends. */
  replaceCanvas(canvas: HTMLCanvasElement): void {
    this.#observer.disconnect();
    if (canvas !== this.#canvas && !this.#ownsCanvas) this.#given ??= this.#canvas;
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

  /** A surface larger than `maximum` physical pixels each way is drawn smaller, in its proportions; the page scales it up. */
  limitSize(maximum = Infinity): void {
    this.#maximumSize = maximum;
    this.#follow();
  }

  /** The engine ends: another one may take the canvas from now on. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    // Whoever put it there finds it in its place, such as a framework that takes away what it has made.
    if (this.#given) this.canvas.replaceWith(this.#given);
    for (const canvas of [this.canvas, this.#given]) {
      if (canvas === null) continue;
      canvasesInUse.delete(canvas);
      if (this.#isTaken || canvas === this.#given) canvasesLeft.add(canvas);
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

  /** Zoom and a move to another screen change the ratio without changing the CSS size. */
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
    if (!this.isHidden) this.shown = { width: wholeWidth, height: wholeHeight };
    return true;
  }
}

/** Elements that are seen, and show nothing that is put into them. */
const HOLDS_NOTHING = /^(br|iframe|img|input|textarea|video)$/i;

/** @throws OptionError `canvas-missing` for what is no element, `option-invalid` for one that no canvas can be put into */
export function checkTarget(target: HTMLElement | null | undefined): void {
  // By their names: an element of an iframe is of classes of its own.
  const tag = target?.tagName;
  if (tag && !HOLDS_NOTHING.test(tag)) return;
  const given = tag ? `<${tag}>, which can't hold one` : target === null ? 'null' : shownValue(target);
  // A selector, or the result of one that matches nothing.
  const query = typeof target === 'string' ? target : target === null ? '#view' : null;
  const remedy = query
    ? `the element that document.querySelector(${JSON.stringify(query)}) finds`
    : 'a canvas or a container element';
  throw new OptionError(tag ? 'option-invalid' : 'canvas-missing', `The canvas is ${given}. Pass ${remedy}.`);
}

/** @throws PlatformError `canvas-in-use`, or what `by` throws of ours */
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
 * An unstyled canvas is laid out at its backing size, so following its layout at pixel ratio 2 doubles it for
 * ever. Where the backing size drives the layout (tried out, because style sheets can say it in many ways),
 * the CSS size is pinned to what it is now.
 *
 * A copy without content is tried out in its place: the size of one that was handed over can't be set any more.
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
