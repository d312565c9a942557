/**
 * LATENCY without an engine, which measures the platform itself. In every animation frame the page calls `tick`, which
 * returns a colour, and clears the canvas to that colour. The page clears on this thread, or sends a message to a
 * worker that draws at once.
 */

/** A canvas that shows each tick's green value, 0 to 255. */
export interface TickedCanvas {
  readonly canvas: HTMLCanvasElement;
  /** Calls `tick` for every frame from now on. */
  start(tick: () => number): void;
  stop(): void;
  dispose(): Promise<unknown>;
}

export type ClearMessage = { readonly canvas: OffscreenCanvas } | { readonly green: number };

export async function createClearedCanvas(
  canvas: HTMLCanvasElement,
  isWorker: boolean,
): Promise<TickedCanvas> {
  const { clear, end } = isWorker ? await clearInWorker(canvas) : await clearer(canvas);
  let request = 0;
  return {
    canvas,
    start(tick) {
      const frame = (): void => {
        clear(tick());
        request = requestAnimationFrame(frame);
      };
      request = requestAnimationFrame(frame);
    },
    stop: () => cancelAnimationFrame(request),
    dispose: async () => end(),
  };
}

interface Clearer {
  clear(green: number): void;
  end(): void;
}

async function clearInWorker(canvas: HTMLCanvasElement): Promise<Clearer> {
  const worker = new Worker(new URL('./latency-worker.ts', import.meta.url), { type: 'module' });
  const offscreen = canvas.transferControlToOffscreen();
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage({ canvas: offscreen } satisfies ClearMessage, [offscreen]);
  });
  return {
    clear: (green) => worker.postMessage({ green } satisfies ClearMessage),
    end: () => worker.terminate(),
  };
}

/** Returns functions that clear the given canvas on the calling thread, and destroy the device. */
export async function clearer(canvas: HTMLCanvasElement | OffscreenCanvas): Promise<Clearer> {
  const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
  const context = canvas.getContext('webgpu') as GPUCanvasContext | null;
  if (!device || !context) throw new Error('There is no WebGPU device.');
  context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat() });
  return {
    clear(green) {
      const encoder = device.createCommandEncoder();
      const view = context.getCurrentTexture().createView();
      const clearValue = [0, green / 255, 0, 1];
      encoder
        .beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue }] })
        .end();
      device.queue.submit([encoder.finish()]);
    },
    end: () => device.destroy(),
  };
}
