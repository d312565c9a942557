// Checks that a page can render with WebGPU. Call it once, before all tests. The probe draws 20 frames of known
// colors, presents each frame, and reads the last one back. Some browsers find an adapter but lose the device after a
// few presented frames. Without the probe, every test would fail there with a message of its own.
import type { Page } from '@playwright/test';

export interface WebGPUProbe {
  /** Vendor and architecture of the adapter, e.g. `google swiftshader`. */
  readonly adapter: string;
  /** Names of the adapter's features. */
  readonly features: readonly string[];
  readonly isFallbackAdapter: boolean;
}

/** Number of presented frames. Browsers that lose the device do so within the first 11. */
const FRAMES = 20;

/**
 * Renders and reads back on the page, which must be served over https or from localhost.
 *
 * @throws Error that names the missing part or the failed step
 */
export async function probeWebGPU(page: Page): Promise<WebGPUProbe> {
  const outcome = await page.evaluate(runProbe, FRAMES);
  if (typeof outcome === 'string') {
    throw new Error(
      `WebGPU does not work in this browser (${page.context().browser()?.version() ?? 'unknown version'}): ${outcome} ` +
        'Launch Chromium with the options of chromiumLaunchOptions(), and serve the page from localhost.',
    );
  }
  return outcome;
}

/**
 * Renders and reads back. Returns a failure as a text. This function runs in the page, so it must not use variables or
 * functions of this module.
 */
async function runProbe(frames: number): Promise<WebGPUProbe | string> {
  if (!isSecureContext) return `"${location.href}" is not a secure context.`;
  if (!navigator.gpu) return 'navigator.gpu is missing.';
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) return 'no adapter was found.';
  const device = await adapter.requestDevice();
  let lost = '';
  void device.lost.then((info) => {
    if (info.reason !== 'destroyed') lost = info.message || 'no reason given';
  });
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 16;
  canvas.style.position = 'fixed';
  document.documentElement.append(canvas);
  const context = canvas.getContext('webgpu');
  if (!context) return 'the canvas gives no "webgpu" context.';
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  context.configure({ device, format: 'rgba8unorm', usage });
  const readback = device.createBuffer({
    size: 256 * 16,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  device.pushErrorScope('validation');
  for (let frame = 0; frame < frames; frame++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const texture = context.getCurrentTexture();
    const encoder = device.createCommandEncoder();
    const clearValue = { r: frame / (frames - 1), g: 0.2, b: 0.4, a: 1 };
    encoder
      .beginRenderPass({
        colorAttachments: [{ view: texture.createView(), clearValue, loadOp: 'clear', storeOp: 'store' }],
      })
      .end();
    if (frame === frames - 1) {
      encoder.copyTextureToBuffer({ texture }, { buffer: readback, bytesPerRow: 256 }, [16, 16]);
    }
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    if (lost) return `the device was lost after ${frame + 1} presented frames (${lost}).`;
  }
  const error = await device.popErrorScope();
  if (error) return `rendering failed: ${error.message}`;
  await readback.mapAsync(GPUMapMode.READ);
  const pixel = [...new Uint8Array(readback.getMappedRange(), 0, 4)];
  const { vendor, architecture } = adapter.info;
  const features = [...adapter.features].sort();
  const isFallbackAdapter = adapter.info.isFallbackAdapter ?? false;
  device.destroy();
  canvas.remove();
  if (pixel.join() !== '255,51,102,255') return `the pixel read back is ${pixel.join()}, not 255,51,102,255.`;
  return { adapter: `${vendor} ${architecture}`, features, isFallbackAdapter };
}
