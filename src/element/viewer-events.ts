import type { FencepostError, Level, LoadProgress } from '../index.js';

/** Events by name. */
export interface FencepostViewerEventMap {
  /** The picture shows the file of `src`, for the first time or after it was unloaded to free memory. */
  load: CustomEvent<{ readonly level: Level }>;
  progress: CustomEvent<LoadProgress>;
  /** An attribute or the engine has failed. The error is printed unless `preventDefault` is called. */
  error: CustomEvent<FencepostError>;
}

/** The base class. Without `HTMLElement`, as on servers that render pages, the module can still be imported. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** An element with typed events. */
export class ViewerEventTarget extends Base {
  override addEventListener<Name extends keyof FencepostViewerEventMap>(
    type: Name,
    listener: (event: FencepostViewerEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options);
  }

  override removeEventListener<Name extends keyof FencepostViewerEventMap>(
    type: Name,
    listener: (event: FencepostViewerEventMap[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void {
    super.removeEventListener(type, listener, options);
  }
}
