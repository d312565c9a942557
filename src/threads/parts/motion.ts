/** The part for what was declared to move by itself, loaded with the first such command. */
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';
import { LateFrames } from '../render-worker/late-frames.js';

export const createRenderPart = ({ world, isIdle, recordAgain }: RenderPartHost): RenderPart =>
  new LateFrames({ scene: world.scene, isIdle, recordAgain });
