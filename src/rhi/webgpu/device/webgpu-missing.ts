import { PlatformError } from '../../../core/errors.js';

/** The error for a page or thread without `navigator.gpu`: asked for before any thread is started, and again there. */
export function webGpuMissing(): PlatformError {
  return new PlatformError(
    'webgpu-missing',
    'This browser has no WebGPU here. Use a current Chrome, Edge, Safari or Firefox, and serve the page over https or from localhost.',
  );
}
