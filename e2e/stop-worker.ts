import type { BrowserContext } from '@playwright/test';
import { atStartOfWorkers } from './workers.js';

/**
 * Calls at which a test can stop a worker. The worker that has the device stops at GPU calls, and any worker
 * at the n-th read of the clock.
 */
export const RHI_PHASES = [
  'GPUDevice.createBuffer',
  'GPUCommandEncoder.beginRenderPass',
  'GPURenderPassEncoder.drawIndexed',
  'GPUCanvasContext.getCurrentTexture',
  'GPUQueue.submit',
  'GPUBuffer.mapAsync',
] as const;
export const RENDER_PHASES = [
  'Performance.now 1',
  'Performance.now 2',
  'Performance.now 4',
  'Performance.now 6',
] as const;

/** Code at the start of each worker. A message makes the worker hang or throw at once, or hang at a named call. */
const stopOnDemand = `{
  let armed = '';
  let calls = 0;
  let how = '';
  const hang = () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    Atomics.wait(new Int32Array(memory.buffer), 0, 0);
  };
  const name = self.name;
  const channel = new BroadcastChannel('stop-worker');
  for (const call of ${JSON.stringify([...RHI_PHASES, 'Performance.now'])}) {
    const [type, method] = call.split('.');
    const prototype = globalThis[type].prototype;
    const original = prototype[method];
    prototype[method] = function (...parameters) {
      if (armed === call && --calls === 0) {
        armed = '';
        channel.postMessage({ to: 'test', stopped: true });
        hang();
      }
      return original.apply(this, parameters);
    };
  }
  let role = '';
  addEventListener('message', ({ data }) => {
    role = data.role?.kind ?? role;
  });
  channel.onmessage = ({ data }) => {
    if (data.to !== role) return;
    if (data.call === 'hang') {
      channel.postMessage({ to: 'test', stopped: true });
      hang();
    } else if (data.call === 'throw') {
      setTimeout(() => {
        throw new Error('thrown by the test');
      });
    } else [armed, calls = 1] = data.call.split(' ');
    channel.postMessage({ to: 'test' });
  };
}`;

export async function prepareStops(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const ask = (to: string, call: string, isStopped: boolean): Promise<void> =>
      new Promise((resolve) => {
        const channel = new BroadcastChannel('stop-worker');
        channel.onmessage = ({ data }) => {
          if (data.to !== 'test' || (isStopped && !data.stopped)) return;
          channel.close();
          resolve();
        };
        channel.postMessage({ to, call });
      });
    window.stopWorker = (role, call) => ask(role, call, false);
    window.stoppedWorker = () => ask('', '', true);
  });
  await atStartOfWorkers(context, stopOnDemand);
}

declare global {
  interface Window {
    /**
     * Stops the worker of a role (`render`, `rhi`, `render+rhi`) with 'hang' or 'throw', or at a call of the
     * lists above.
     */
    stopWorker(role: string, call: string): Promise<void>;
    /** Resolves once a worker hangs. */
    stoppedWorker(): Promise<void>;
  }
}
