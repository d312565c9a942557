import { OptionError } from '../core/errors.js';
import { checkChoice, checkNumber, checkOptions } from '../game/options.js';
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
export type ThreadingMode = (typeof THREADING_MODES)[number];
export const THREADING_MODES = ['single', 'render', 'render+rhi'] as const;

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
  /**
   * Where `worker.js` lies (`worker-features.js`, `worker-images.js` and `asset-worker.js` beside it), when not beside the module. Resolved
   * against the document.
   */
  workerUrl?: WorkerUrl;
  /** `'null'` runs everything but the GPU. Default `'webgpu'`. */
  backend?: 'webgpu' | 'null';
  /** Checks every RHI command before it is executed, and reports what is wrong by name. For development. Default false. */
  validation?: boolean;
  /**
   * What happens when the GPU device is lost. `'recover'` (default): the scene is built anew on another device, and calls
   * in flight resolve. `'stop'`: the picture stays, calls reject with `device-lost`. `'ignore'`: likewise, without the
   * event `devicelost`.
   */
  deviceLost?: 'recover' | 'stop' | 'ignore';
  /** Says over the canvas that the GPU is gone, for as long as no device can be had. Default false. */
  deviceLostMessage?: boolean;
  /**
   * When a thread that does not answer counts as hung: an `error` event after `reportSeconds` (default 1), another thread
   * in its place after `restartSeconds` (default 5). 0.1 to 3600. Only time in which the page ran and was visible counts.
   */
  watchdog?: { readonly reportSeconds?: number; readonly restartSeconds?: number };
  /**
   * Keeps the last seconds of what the game and the renderer said. When an error is reported, the event
   * `flightrecording` brings them as a file. `seconds` at 60 frames a second, 0.1 to 60; `true` means 4. Default false.
   */
  flightRecorder?: boolean | { readonly seconds: number };
  /** The key that shows and hides the timeline, as `KeyboardEvent.key` names it; null: none does. Default `'F8'`. */
  timelineKey?: string | null;
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
  readonly validation: boolean;
  readonly deviceLost: 'recover' | 'stop' | 'ignore';
  readonly deviceLostMessage: boolean;
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  /** Seconds; 0: none. */
  readonly flightRecorder: number;
  readonly timelineKey: string | null;
}

const WHAT = 'createEngine';
const NAMES =
  'threading oneFrameThreadLag maxFramesInFlight frameSync renderer antialias toneMapping exposure pixelRatio background workerUrl backend validation flightRecorder timelineKey deviceLost deviceLostMessage watchdog';

/**
 * Checks options and fills in the defaults.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function resolveOptions(options: EngineOptions = {}): ResolvedOptions {
  checkOptions(WHAT, options, NAMES);
  const {
    threading = 'render',
    oneFrameThreadLag = true,
    maxFramesInFlight = 2,
    frameSync = 'render',
    renderer = 'forward',
    antialias = 4,
    toneMapping = 'none',
    exposure = 1,
    pixelRatio,
    background = '#000',
    workerUrl,
    backend = 'webgpu',
    validation = false,
    flightRecorder = false,
    timelineKey = 'F8',
    deviceLost = 'recover',
    deviceLostMessage = false,
    watchdog: { reportSeconds = 1, restartSeconds = 5 } = {},
  } = options;
  check('validation', validation, isBoolean(validation), 'true or false');
  check('timelineKey', timelineKey, timelineKey === null || typeof timelineKey === 'string', 'a key or null');
  check('oneFrameThreadLag', oneFrameThreadLag, isBoolean(oneFrameThreadLag), 'true or false');
  check('deviceLostMessage', deviceLostMessage, isBoolean(deviceLostMessage), 'true or false');
  check('maxFramesInFlight', maxFramesInFlight, Number.isInteger(maxFramesInFlight), 'a whole number');
  check('antialias', antialias, isBoolean(antialias) || antialias === 1 || antialias === 4, '4, 1 or false');
  check(
    'workerUrl',
    workerUrl,
    isWorkerUrl(workerUrl),
    'a URL, or { engine, assets, features } with one each',
  );
  check(
    'background',
    background,
    typeof background === 'string' || Array.isArray(background),
    'a CSS colour or a linear triple',
  );
  checkChoice(WHAT, 'renderer', renderer, ['forward']);
  return {
    threading: checkChoice(WHAT, 'threading', threading, THREADING_MODES),
    oneFrameThreadLag,
    maxFramesInFlight: checkNumber(WHAT, 'maxFramesInFlight', maxFramesInFlight, 1, 8),
    frameSync: checkChoice(WHAT, 'frameSync', frameSync, ['render', 'present']),
    sampleCount: antialias === 4 || antialias === true ? 4 : 1,
    toneMapping: checkChoice(WHAT, 'toneMapping', toneMapping, TONE_MAPPINGS),
    exposure: checkNumber(WHAT, 'exposure', exposure, 1e-6, 1e6),
    pixelRatio: pixelRatio === undefined ? null : checkNumber(WHAT, 'pixelRatio', pixelRatio, 0.1, 8),
    background,
    workerUrl,
    backend: checkChoice(WHAT, 'backend', backend, ['webgpu', 'null']),
    validation,
    deviceLost: checkChoice(WHAT, 'deviceLost', deviceLost, ['recover', 'stop', 'ignore']),
    deviceLostMessage,
    timelineKey,
    reportSeconds: checkNumber(WHAT, 'watchdog.reportSeconds', reportSeconds, 0.1, 3600),
    restartSeconds: checkNumber(WHAT, 'watchdog.restartSeconds', restartSeconds, 0.1, 3600),
    flightRecorder: flightRecorder
      ? checkNumber(
          WHAT,
          'flightRecorder.seconds',
          flightRecorder === true ? 4 : flightRecorder.seconds,
          0.1,
          60,
        )
      : 0,
  };
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isUrl = (value: unknown): boolean =>
  value instanceof URL ||
  (typeof value === 'string' && URL.canParse(value, globalThis.document?.baseURI ?? 'http://page'));

function isWorkerUrl(value: WorkerUrl | null | undefined): boolean {
  if (value === undefined || isUrl(value)) return true;
  const { engine, assets } = (value ?? {}) as { engine?: unknown; assets?: unknown };
  return isUrl(engine) && isUrl(assets);
}

function check(name: string, value: unknown, isRight: boolean, expected: string): void {
  if (isRight) return;
  throw new OptionError(
    'option-invalid',
    `${name} of ${WHAT} is ${JSON.stringify(value)}; it has to be ${expected}.`,
  );
}
