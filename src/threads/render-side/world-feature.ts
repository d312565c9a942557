import type { StreamReader } from '../../core/streams/stream.js';
import type { Renderer } from '../../render/renderer.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { FrameHeader } from './render-thread.js';

/** The render thread, as a feature sees it. */
export interface FeatureHost {
  readonly renderer: Renderer;
  /** The world whose commands the feature executes. */
  readonly world: WorldRenderer;
  /** Returns whether another list may be recorded: no frame has begun, and few lists are in flight. */
  isIdle(): boolean;
  /** Records another list of the last game frame. @param timeSeconds scene time that it shows */
  recordAgain(timeSeconds: number): void;
}

/**
 * An optional feature of a world, from the first command that needs it to the thread's end. Its buffers,
 * pipelines and passes are created together with it, so pages that never use it pay nothing for it on the
 * GPU.
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
