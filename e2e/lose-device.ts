import type { BrowserContext, Page } from '@playwright/test';
import { atStartOfWorkers } from './workers.js';

/** WebGPU calls before which a test can lose the device, by the phase of the engine's work. */
export const PHASES = {
  'a buffer is created': 'GPUDevice.createBuffer',
  'a pipeline is created': 'GPUDevice.createRenderPipelineAsync',
  'a pass is recorded': 'GPUCommandEncoder.beginRenderPass',
  'a draw is recorded': 'GPURenderPassEncoder.drawIndexed',
  'the canvas texture is acquired': 'GPUCanvasContext.getCurrentTexture',
  'a list is submitted': 'GPUQueue.submit',
  'a completion is awaited': 'GPUQueue.onSubmittedWorkDone',
  'a read-back is mapped': 'GPUBuffer.mapAsync',
} as const;

/** Code for every thread that opens a device. A message names the WebGPU call before which the device is lost. */
const loseOnDemand = `{
  let device;
  const open = GPUAdapter.prototype.requestDevice;
  let armed = '';
  GPUAdapter.prototype.requestDevice = async function (...parameters) {
    device = await open.apply(this, parameters);
    return device;
  };
  let missing = 0;
  const find = GPU.prototype.requestAdapter;
  GPU.prototype.requestAdapter = async function (...parameters) {
    return missing-- > 0 ? null : find.apply(this, parameters);
  };
  for (const name of ${JSON.stringify(Object.values(PHASES))}) {
    const [type, method] = name.split('.');
    const prototype = globalThis[type].prototype;
    const call = prototype[method];
    prototype[method] = function (...parameters) {
      if (armed === name) {
        armed = '';
        device.destroy();
      }
      return call.apply(this, parameters);
    };
  }
  const channel = new BroadcastChannel('lose-device');
  channel.onmessage = ({ data }) => {
    if (data.to !== 'device' || !device) return;
    if (data.call === 'now') device.destroy();
    else if (data.call.startsWith('adapters ')) missing = Number(data.call.slice(9));
    else armed = data.call;
    channel.postMessage({ to: 'test' });
  };
}`;

/** Adds `window.loseDevice(call)` to the page. It resolves when the thread with the device has the request. */
export async function prepareLosses(page: Page, context: BrowserContext): Promise<void> {
  await page.addInitScript(loseOnDemand);
  await page.addInitScript(() => {
    window.loseDevice = (call) =>
      new Promise((resolve) => {
        const channel = new BroadcastChannel('lose-device');
        channel.onmessage = ({ data }) => {
          if (data.to !== 'test') return;
          channel.close();
          resolve();
        };
        channel.postMessage({ to: 'device', call });
      });
  });
  await atStartOfWorkers(context, loseOnDemand);
}

declare global {
  interface Window {
    /**
     * Loses the device before the next call of that name (a value of `PHASES`), or at once for 'now'. 'adapters
     * 3' makes the next three requests for an adapter fail.
     */
    loseDevice(call: string): Promise<void>;
  }
}
