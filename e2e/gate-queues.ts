/**
 * Gates in front of the GPU. A test closes them to stop submissions or completions. Events instead of time then
 * decide how far the GPU's work has come.
 */
import type { BrowserContext, Page } from '@playwright/test';

declare global {
  interface Window {
    /**
     * The gates. A gate is closed while its number is 1. Gate 0 blocks a worker in `submit`, and gate 1 holds
     * back completions.
     */
    gates: Int32Array;
    openGate(index: number): void;
    /** Requests a frame. Resolves once the page has produced it. Its GPU work waits at closed gates. */
    drawFrame(engine: import('../src/index.js').Engine): Promise<void>;
    /** Adds a mesh whose vertices fill a page of geometry memory. */
    addLargeMesh(engine: import('../src/index.js').Engine): import('../src/index.js').Actor;
  }
}

/** Puts gates before the submissions and completions of every thread that has a GPU queue. */
export async function gateQueues(context: BrowserContext, page: Page): Promise<void> {
  const gateQueue = `(() => {
    let gates = globalThis.gates ?? new Int32Array(2);
    globalThis.addEventListener?.('message', (event) => {
      if (!(event.data instanceof Int32Array)) return;
      event.stopImmediatePropagation();
      gates = event.data;
    });
    const { submit, onSubmittedWorkDone } = GPUQueue.prototype;
    GPUQueue.prototype.submit = function (...parameters) {
      if (globalThis.document === undefined && Atomics.wait(gates, 0, 1, 20_000) === 'timed-out')
        throw new Error('The page did not open the gate in time.');
      return submit.apply(this, parameters);
    };
    GPUQueue.prototype.onSubmittedWorkDone = async function () {
      await onSubmittedWorkDone.call(this);
      await Atomics.waitAsync(gates, 1, 1).value;
    };
  })();`;
  await context.route(/\/worker\.(js|ts)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: gateQueue + (await response.text()) });
  });
  await page.addInitScript(() => {
    window.gates = new Int32Array(new SharedArrayBuffer(8));
    window.openGate = (index) => {
      Atomics.store(window.gates, index, 0);
      Atomics.notify(window.gates, index);
    };
    window.drawFrame = async (engine) => {
      const { frame } = engine.stats();
      engine.invalidate();
      while (engine.stats().frame === frame) await new Promise(requestAnimationFrame);
    };
    window.addLargeMesh = ({ world }) => {
      const { geometry, unlitMaterial } = window.fencepost;
      const positions = new Float32Array(3 * 65535);
      return world.addMesh({ geometry: geometry({ positions }), material: unlitMaterial() });
    };
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        this.postMessage(window.gates);
      }
    };
  });
  await page.addInitScript(gateQueue);
}
