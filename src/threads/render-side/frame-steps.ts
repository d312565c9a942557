/**
 * Steps of a frame on the render thread at which an end-to-end test can hold the thread, or throw. The test puts a
 * function on the thread's global scope; without one a step is a look-up of a property.
 */
export type FrameStep = 'recording' | 'recorded';

declare global {
  var fencepostFrameStep: ((step: FrameStep, frame: number) => void) | undefined;
}

/** Per frame. */
export function atFrameStep(step: FrameStep, frame: number): void {
  globalThis.fencepostFrameStep?.(step, frame);
}
