import { OptionError } from '../core/errors.js';
import { TONE_MAPPINGS, type ToneMapping } from '../proxy/commands.js';
import type { WorkerUrl } from './worker-location.js';

/**
 * The engine's options: their types, defaults and checks. A wrong option is refused before anything starts,
 * with an `OptionError` that names it.
 */

/** A CSS colour (sRGB) or a linear triple. */
export type BackgroundColor = string | readonly [number, number, number];

/**
 * Which threads do what:
 * `single`: everything on the page's main thread; `render`: scene, recording and WebGPU in one worker;
 * `render+rhi`: scene and recording in one worker, WebGPU in another.
 */
export type ThreadingMode = 'single' | 'render' | 'render+rhi';

export interface EngineOptions {
  /** Default `'render'`. */
  threading?: ThreadingMode;
  /** Let the game run one frame ahead of the render thread. Default true. */
  oneFrameThreadLag?: boolean;
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  maxFramesInFlight?: number;
  /** What the game waits for: the render thread has recorded the frame, or it was submitted as well. Default `'render'`. */
  frameSync?: 'render' | 'present';
  /** Default `'forward'`, the one renderer there is so far. */
  renderer?: 'forward';
  /** Samples per pixel: 4 (default), or 1 or `false` for none. */
  antialias?: 4 | 1 | boolean;
  /** Default `'none'`. */
  toneMapping?: ToneMapping;
  /** Factor on all light before tone mapping, > 0. Default 1. */
  exposure?: number;
  /** Physical pixels per CSS pixel, 0.1 to 8. Default: the window's, followed as it changes. */
  pixelRatio?: number;
  /** Default `'#000'`. */
  background?: BackgroundColor;
  /** Where `worker.js` lies (`asset-worker.js` beside it), when not beside the module. Resolved against the document. */
  workerUrl?: WorkerUrl;
  /** `'null'` runs everything but the GPU. Default `'webgpu'`. */
  backend?: 'webgpu' | 'null';
}

/** Options after checking, with every default filled in. */
export interface ResolvedOptions {
  readonly threading: ThreadingMode;
  readonly oneFrameThreadLag: boolean;
  readonly maxFramesInFlight: number;
  readonly frameSync: 'render' | 'present';
  readonly sampleCount: 1 | 4;
  readonly toneMapping: ToneMapping;
  readonly exposure: number;
  readonly pixelRatio: number | null;
  readonly background: BackgroundColor;
  readonly workerUrl: WorkerUrl | undefined;
  readonly backend: 'webgpu' | 'null';
}

type Check = readonly unknown[] | ((value: unknown) => boolean);

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isUrl = (value: unknown): boolean => typeof value === 'string' || value instanceof URL;
const isWorkerUrl = (value: unknown): boolean =>
  isUrl(value) ||
  (typeof value === 'object' &&
    value !== null &&
    'engine' in value &&
    isUrl(value.engine) &&
    'assets' in value &&
    isUrl(value.assets));
const isBetween =
  (minimum: number, maximum: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= minimum && value <= maximum;

/** Per option: the allowed values or a test, and how the message describes them. */
const checks: Record<keyof Required<EngineOptions>, readonly [Check, string?]> = {
  threading: [['single', 'render', 'render+rhi']],
  oneFrameThreadLag: [isBoolean, 'true or false'],
  maxFramesInFlight: [
    (value) => Number.isInteger(value) && isBetween(1, 8)(value),
    'a whole number from 1 to 8',
  ],
  frameSync: [['render', 'present']],
  renderer: [['forward']],
  antialias: [[4, 1, true, false]],
  toneMapping: [TONE_MAPPINGS],
  exposure: [isBetween(1e-6, 1e6), 'a factor above 0'],
  pixelRatio: [isBetween(0.1, 8), 'a number from 0.1 to 8'],
  background: [
    (value) => typeof value === 'string' || Array.isArray(value),
    'a CSS colour or a linear triple',
  ],
  workerUrl: [isWorkerUrl, 'a URL, or { engine, assets } with one each'],
  backend: [['webgpu', 'null']],
};

/**
 * Checks options and fills in the defaults.
 * @throws OptionError `option-unknown`, `option-out-of-range`
 */
export function resolveOptions(options: EngineOptions = {}): ResolvedOptions {
  for (const [name, value] of Object.entries(options)) {
    const check = checks[name as keyof EngineOptions];
    if (!check) {
      throw new OptionError(
        'option-unknown',
        `createEngine has no option "${name}". The options are: ${Object.keys(checks).join(', ')}.`,
      );
    }
    if (value === undefined) continue;
    const [allowed, description] = check;
    if (typeof allowed === 'function' ? !allowed(value) : !allowed.includes(value)) {
      const expected =
        description ?? (allowed as readonly unknown[]).map((item) => JSON.stringify(item)).join(', ');
      throw new OptionError(
        'option-out-of-range',
        `createEngine's option "${name}" is ${JSON.stringify(value)}; it must be ${description ? '' : 'one of '}${expected}.`,
      );
    }
  }
  const { antialias = 4 } = options;
  return {
    threading: options.threading ?? 'render',
    oneFrameThreadLag: options.oneFrameThreadLag ?? true,
    maxFramesInFlight: options.maxFramesInFlight ?? 2,
    frameSync: options.frameSync ?? 'render',
    sampleCount: antialias === 4 || antialias === true ? 4 : 1,
    toneMapping: options.toneMapping ?? 'none',
    exposure: options.exposure ?? 1,
    pixelRatio: options.pixelRatio ?? null,
    background: options.background ?? '#000',
    workerUrl: options.workerUrl,
    backend: options.backend ?? 'webgpu',
  };
}
