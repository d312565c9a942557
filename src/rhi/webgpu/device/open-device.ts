/**
 * Opens a WebGPU device with all features and limits that this RHI uses and the adapter has (SYSTEMS H10). If WebGPU,
 * an adapter or a device is missing, the error suggests a remedy.
 */
import { messageOf, PlatformError } from '../../../core/errors.js';
import { checkOption } from '../../../core/options/check-options.js';
import type { Shaped } from '../../../core/options/member.js';
import { optional } from '../../../core/options/members.js';
import { isObject } from '../../../core/options/shown-value.js';
import { featureName, requireCapabilities, usableFeatures } from '../../commands/capabilities.js';
import { checkOptions, versions } from '../../commands/class-arguments.js';
import type { RhiCapabilities } from '../../commands/descriptors.js';
import { measureLatency } from './gpu-work.js';

/**
 * Limits requested at the adapter's maximum. All other limits keep WebGPU's defaults, so that content stays
 * portable.
 */
const RAISED_LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxTextureDimension2D',
  'maxColorAttachmentBytesPerSample',
] as const;

/**
 * Maximum wait for an adapter, and again for its device, in milliseconds. Browsers restart their GPU process in less
 * time.
 */
const ANSWER_LIMIT = 20_000;

/** Returns the browser's preferred canvas format; `rgba8unorm` without a browser. */
export function preferredSurfaceFormat(): GPUTextureFormat {
  return globalThis.navigator?.gpu?.getPreferredCanvasFormat() ?? 'rgba8unorm';
}

export interface OpenDevice {
  readonly device: GPUDevice;
  readonly capabilities: RhiCapabilities;
}

/**
 * Opens a device.
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @param moreFeatures further features to request, in all versions that the adapter has
 * @param moreLimits further limits to request, at the adapter's own value
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`. If an adapter or a device does not
 *   arrive within 20 s, it counts as missing
 */
export async function openDevice(
  gpu: GPU | undefined,
  moreFeatures: readonly string[] = [],
  moreLimits: readonly string[] = [],
): Promise<OpenDevice> {
  const adapter = await requestAdapter(gpu);
  const requiredFeatures = wantedFeatures(adapter, moreFeatures);
  const requiredLimits: Record<string, number> = {};
  for (const name of [...RAISED_LIMITS, ...moreLimits]) {
    const value: unknown = adapter.limits[name as keyof GPUSupportedLimits];
    if (typeof value === 'number') requiredLimits[name] = value;
  }
  const request = adapter.requestDevice({ label: 'fencepost', requiredFeatures, requiredLimits });
  const device = await inTime(request).catch((cause: unknown) => {
    // A device that arrives too late is unused, so it is destroyed.
    request.then((late) => late.destroy()).catch(() => {});
    throw new PlatformError(
      'device-missing',
      `The GPU adapter "${adapterName(adapter)}" returned no device: ${messageOf(cause)} Close other pages that use the GPU.`,
      { cause },
    );
  });
  await measureLatency(device);
  return { device, capabilities: describeDevice(device, adapterName(adapter)) };
}

/**
 * Returns the adapter with the highest performance.
 * @throws PlatformError `webgpu-missing`, `adapter-missing`
 */
export async function requestAdapter(gpu: GPU | undefined): Promise<GPUAdapter> {
  if (!gpu) throw webGpuMissing();
  const adapter = await inTime(gpu.requestAdapter({ powerPreference: 'high-performance' })).catch(() => null);
  if (adapter) return adapter;
  throw new PlatformError(
    'adapter-missing',
    'The browser has WebGPU but returned no adapter. Turn on hardware acceleration, or update the graphics driver.',
  );
}

/**
 * Returns the features to request from the adapter. A feature with several tiers, such as `texture-formats`, is
 * requested in each tier that the adapter has.
 */
export function wantedFeatures(adapter: GPUAdapter, moreFeatures: readonly string[] = []): GPUFeatureName[] {
  const features = [...adapter.features] as GPUFeatureName[];
  const wanted: readonly string[] = [...usableFeatures({ features }), ...moreFeatures];
  return features.filter((each) => wanted.includes(each) || wanted.includes(featureName(each)));
}

/**
 * Returns the request's result. Rejects after `ANSWER_LIMIT`, because the engine's watchdog does not end this
 * wait: the waiting thread still answers the watchdog. `withDeadline` would add 200 bytes to every page.
 */
function inTime<T>(request: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ANSWER_LIMIT, 'No answer for 20 s.');
  });
  return Promise.race([request, end]).finally(() => clearTimeout(timer));
}

const OPEN_DEVICE_OPTIONS = {
  /** Lowest version required of each feature, as in `createRhi`. The features are requested from the adapter. */
  requiredCapabilities: optional(versions()),
  /** @deprecated The old name of `requiredCapabilities`. */
  required: optional(versions()),
};

export type OpenDeviceOptions = Shaped<typeof OPEN_DEVICE_OPTIONS>;

/**
 * Opens a device, and checks that it has the required features.
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; `capability-missing`, which names all
 *   features that are missing or too old; OptionError `option-invalid`, `option-unknown`
 *
 * @example
 * const requiredCapabilities = { 'timestamp-query': 1 };
 * const { device, capabilities } = await openDevice(navigator.gpu, { requiredCapabilities });
 */
export async function openRequiredDevice(
  gpu: GPU | undefined,
  options: OpenDeviceOptions = {},
): Promise<OpenDevice> {
  const isGpu = !gpu || (isObject(gpu) && typeof gpu.requestAdapter === 'function');
  checkOption('The GPU of openDevice', gpu, isGpu, 'navigator.gpu');
  checkOptions('openDevice', options, OPEN_DEVICE_OPTIONS);
  const required = { ...options.required, ...options.requiredCapabilities };
  const opened = await openDevice(gpu, Object.keys(required));
  try {
    requireCapabilities(opened.capabilities, required);
  } catch (error) {
    opened.device.destroy();
    throw error;
  }
  return opened;
}

/** Returns the capabilities of a device. @param adapter name of its adapter */
export function describeDevice(device: GPUDevice, adapter: string): RhiCapabilities {
  const limits: Record<string, number> = {};
  for (const name in device.limits) {
    const value: unknown = device.limits[name as keyof GPUSupportedLimits];
    if (typeof value === 'number') limits[name] = value;
  }
  return {
    backend: 'webgpu',
    adapter,
    surfaceFormat: preferredSurfaceFormat(),
    features: [...device.features],
    limits,
  };
}

function adapterName({ info }: GPUAdapter): string {
  return [info?.vendor, info?.architecture, info?.description].filter(Boolean).join(' ') || 'unknown';
}

/**
 * Returns the error for a page or thread without `navigator.gpu`. The page checks for it before it starts a thread, and
 * the thread checks again.
 */
export function webGpuMissing(): PlatformError {
  if (globalThis.isSecureContext && globalThis.navigator?.userAgent.includes('Firefox'))
    return new PlatformError(
      'webgpu-missing',
      'This Firefox has WebGPU switched off. Set dom.webgpu.enabled to true in about:config. If no adapter is found, also set gfx.webgpu.ignore-blocklist to true. Or use a current Chrome or Edge.',
    );
  return new PlatformError(
    'webgpu-missing',
    'This browser has no WebGPU on this page. Use a current Chrome, Edge, Safari or Firefox, and serve the page over https or from localhost.',
  );
}
