import type { StreamReader } from '../../core/streams/stream.js';
import type { Renderer } from '../../render/renderer.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { FrameHeader } from './render-thread.js';

/** The part of the render thread that features use. */
export interface FeatureHost {
  readonly renderer: Renderer;
  /** The world whose commands the feature executes. */
  readonly world: WorldRenderer;
  /** Returns whether another list may be recorded: no frame has begun, and few lists are in flight. */
  isIdle(): boolean;
  /** Records another list of the last game frame. @param timeSeconds scene time that the list shows */
  recordAgain(timeSeconds: number): void;
}

/**
 * An optional feature of a world. It is created by the first command that needs it, or attached by a control call, and
 * lasts until the world or the thread ends. The feature creates its own buffers, pipelines and passes, so it costs no
 * GPU memory on pages that never use it.
 */
export interface WorldFeature {
  /** Executes the reader's current record. Called per command of the feature. */
  execute(reader: StreamReader, frame: FrameHeader): void;
  /** Called per game frame, before it is recorded. */
  beginFrame?(frame: FrameHeader): void;
  /** Called per list, before it is recorded: for game frames, and for further lists that a feature requests. */
  beginList?(frame: FrameHeader): void;
  /** Called per list, after its end and before it is published. Commands recorded in this call follow the list. */
  endList?(): void;
  stop?(): void;
}

export type CreateFeature = (host: FeatureHost) => WorldFeature;
