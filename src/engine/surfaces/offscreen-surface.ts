import { OptionError, PlatformError } from '../../core/errors.js';
import { canvasInUseError } from './surface.js';

const inUse = new WeakSet<OffscreenCanvas>();

/** The surface of a view on an OffscreenCanvas of the page. Its size is fixed when the view is added. */
export class OffscreenSurface {
  readonly canvas: OffscreenCanvas;
  readonly width: number;
  readonly height: number;
  pixelRatio: number | null = 1;
  readonly isHidden = false;

  /**
   * @param largest the device's largest width and height in pixels
   * @throws OptionError `option-out-of-range`; PlatformError `canvas-in-use`
   */
  constructor(canvas: OffscreenCanvas, largest: number) {
    const { width, height } = canvas;
    if (inUse.has(canvas)) throw canvasInUseError(canvas);
    if (width < 1 || height < 1 || width > largest || height > largest) {
      throw new OptionError(
        'option-out-of-range',
        `The canvas of a view is ${width} × ${height} pixels; width and height have to be 1 to ${largest} on this device. A canvas that was transferred to another thread has no size here. Pass a canvas that this thread owns.`,
      );
    }
    inUse.add(canvas);
    this.canvas = canvas;
    this.width = width;
    this.height = height;
  }

  /** Throws, because no fresh canvas can replace an OffscreenCanvas. @throws PlatformError `canvas-lost` */
  fresh(): never {
    throw new PlatformError(
      'canvas-lost',
      'The OffscreenCanvas of a view was lost with the thread that drew to it, so the view was removed. Pass another canvas to addView, or an element, whose canvas the engine can replace.',
    );
  }

  limitSize(): void {}

  dispose(): void {
    inUse.delete(this.canvas);
  }
}
