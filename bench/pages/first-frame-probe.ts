/**
 * Injected into a page before its scripts: reports when the first frame with the cube is complete on the GPU. The time
 * is in milliseconds since the navigation began. The page's own code is unchanged.
 *
 *   navigation ── scripts ── device ── pipelines ── draw ── submit ── end of task ── GPU done
 *   0                                                                                firstFrame
 *
 * The probe detects frames only of engines that draw on the main thread. The page of an engine that draws in a worker
 * calls `reportFirstFrame` itself.
 */
declare global {
  interface Window {
    firstFrame: Promise<number>;
    reportFirstFrame(milliseconds: number): void;
  }
}

/** A box has at least this many indices; blits and clears have fewer. */
const CUBE_INDICES = 36;

window.firstFrame = new Promise((resolve) => {
  window.reportFirstFrame = resolve;
});

if ('GPUQueue' in globalThis) {
  let hasDrawn = false;
  let isReported = false;
  const watchDraws = (prototype: GPURenderPassEncoder | GPURenderBundleEncoder) => {
    const { draw, drawIndexed } = prototype;
    prototype.draw = function (...args: Parameters<typeof draw>) {
      hasDrawn ||= args[0] >= CUBE_INDICES;
      return draw.apply(this, args);
    };
    prototype.drawIndexed = function (...args: Parameters<typeof drawIndexed>) {
      hasDrawn ||= args[0] >= CUBE_INDICES;
      return drawIndexed.apply(this, args);
    };
  };
  watchDraws(GPURenderPassEncoder.prototype);
  watchDraws(GPURenderBundleEncoder.prototype);
  const { submit } = GPUQueue.prototype;
  GPUQueue.prototype.submit = function (...args) {
    const result = submit.apply(this, args);
    if (hasDrawn && !isReported) {
      isReported = true;
      // Runs after the task, because engines may submit more than once per frame.
      queueMicrotask(() => this.onSubmittedWorkDone().then(() => window.reportFirstFrame(performance.now())));
    }
    return result;
  };
}

export {};
