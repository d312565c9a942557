/**
 * Injected into a page before its scripts: tells when the first frame that draws the cube is complete on the
 * GPU, in milliseconds since the navigation began, without a word in the page's own code.
 *
 *   navigation ── scripts ── device ── pipelines ── draw ── submit ── end of task ── GPU done
 *   0                                                                                firstFrame
 *
 * Sees engines that draw on the main thread. One that draws in a worker says it itself (`first-frame-report`).
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
      // After the task: engines may submit more than once per frame.
      queueMicrotask(() => this.onSubmittedWorkDone().then(() => window.reportFirstFrame(performance.now())));
    }
    return result;
  };
}

export {};
