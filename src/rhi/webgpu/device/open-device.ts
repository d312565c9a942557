/**
 * Opens a WebGPU device with the features and limits that its adapter offers, and describes its abilities (SYSTEMS
 * H10). If something is missing, an error tells what to do about it.
 */
import { messageOf, PlatformError } from '../../../core/errors.js';
import { checkOption } from '../../../core/options/check-options.js';
import type { Shaped } from '../../../core/options/member.js';
import { optional } from '../../../core/options/members.js';
import { isObject } from '../../../core/options/shown-value.js';
import { featureName, requireCapabilities } from '../../commands/capabilities.js';
import { checkOptions, versions } from '../../commands/class-arguments.js';
import type { RhiCapabilities } from '../../commands/descriptors.js';
import { measureLatency } from './gpu-work.js';

/** Limits requested at the adapter's maximum. All others keep WebGPU's defaults, so that content stays portable. */
const RAISED_LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxTextureDimension2D',
  'maxColorAttachmentBytesPerSample',
] as const;

const WANTED_FEATURES: readonly GPUFeatureName[] = [
  'timestamp-query',
  'indirect-first-instance',
  'texture-compression-bc',
  'texture-compression-etc2',
  'texture-compression-astc',
  'float32-filterable',
  'rg11b10ufloat-renderable',
  'bgra8unorm-storage',
  'depth-clip-control',
];

/** Milliseconds to wait for an adapter, and for its device: longer than a browser takes to restart its GPU process. */
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
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @param moreFeatures further features to request, in each version that the adapter has
 * @param moreLimits further limits to request, at the adapter's own value
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`, the last two also after 20 s without an
 *   answer
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
      `The GPU adapter "${adapterName(adapter)}" gave no device: ${messageOf(cause)} Close other pages that use the GPU.`,
      { cause },
    );
  });
  await measureLatency(device);
  return { device, capabilities: describeDevice(device, adapterName(adapter)) };
}

/**
 * Returns an adapter that suits the engine.
 * @throws PlatformError `webgpu-missing`, `adapter-missing`
 */
export async function requestAdapter(gpu: GPU | undefined): Promise<GPUAdapter> {
  if (!gpu) throw webGpuMissing();
  const adapter = await inTime(gpu.requestAdapter({ powerPreference: 'high-performance' })).catch(() => null);
  if (adapter) return adapter;
  throw new PlatformError(
    'adapter-missing',
    'The browser has WebGPU but gave no adapter. Turn on hardware acceleration, or update the graphics driver.',
  );
}

/**
 * Returns the features to request from the adapter. Features in tiers, such as `texture-formats`, are requested in all
 * tiers.
 */
export function wantedFeatures(adapter: GPUAdapter, moreFeatures: readonly string[] = []): GPUFeatureName[] {
  const wanted: readonly string[] = [...WANTED_FEATURES, ...moreFeatures];
  return ([...adapter.features] as GPUFeatureName[]).filter(
    (feature) => wanted.includes(feature) || moreFeatures.includes(featureName(feature)),
  );
}

/**
 * Rejects after `ANSWER_LIMIT`. The engine's watchdog would not end this wait, because a thread that waits for the GPU
 * still answers it. `withDeadline` would do the same in 200 bytes more, which every page would load.
 */
function inTime<T>(request: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ANSWER_LIMIT, 'No answer for 20 s.');
  });
  return Promise.race([request, end]).finally(() => clearTimeout(timer));
}

const OPEN_DEVICE_OPTIONS = {
  /** Lowest version required of each feature, as in `createRhi`. The device gets those that the adapter has. */
  requiredCapabilities: optional(versions()),
  /** @deprecated The first name of `requiredCapabilities`. */
  required: optional(versions()),
};

export type OpenDeviceOptions = Shaped<typeof OPEN_DEVICE_OPTIONS>;

/**
 * Opens a device, and checks that it has the required features.
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; `capability-missing`, naming everything
 *   that is required and absent; OptionError `option-invalid`, `option-unknown`
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

/** Returns the capabilities of a device that the caller has opened. */
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
 * Returns the error for a page or thread without `navigator.gpu`. It is checked before any thread is started, and again
 * on the thread.
 */
export function webGpuMissing(): PlatformError {
  if (globalThis.isSecureContext && globalThis.navigator?.userAgent.includes('Firefox'))
    return new PlatformError(
      'webgpu-missing',
      'This Firefox has WebGPU switched off. Set dom.webgpu.enabled to true in about:config, and gfx.webgpu.ignore-blocklist where no adapter is found; or use a current Chrome or Edge.',
    );
  return new PlatformError(
    'webgpu-missing',
    'This browser has no WebGPU here. Use a current Chrome, Edge, Safari or Firefox, and serve the page over https or from localhost.',
  );
}
