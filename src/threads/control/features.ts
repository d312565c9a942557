/**
 * What the threads behind the main thread do only when asked: their events and captures (`control-plane.ts`), validation,
 * late frames, and the backend without a GPU. `single` mode imports this file; the workers load
 * it as `worker-features.js` from the address that the main thread gives them, and no page fetches it before it needs it.
 */
import type { ExecutorOptions } from '../../rhi/host/executor.js';
import { NullExecutor, nullCapabilities } from '../../rhi/null/executor.js';
import { validate } from '../../rhi/validation/validate.js';
import { LateFrames, type LateFramesHost } from '../render-worker/late-frames.js';
import { connectModules, createControl, serve } from './control-plane.js';

export { connectModules, createControl, nullCapabilities, serve, validate };

export type Features = typeof import('./features.js');

export const createNullExecutor = (options: ExecutorOptions): NullExecutor => new NullExecutor(options);
export const createLateFrames = (host: LateFramesHost): LateFrames => new LateFrames(host);
