/**
 * The engine's options: one row each. Types, checks and defaults derive from the table, and a test compares the guide's with it
 * (docs/guide/engine.md). A new option is a row here, and whatever reads it from `ResolvedOptions`.
 */
import type { Filled, Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  byDefault,
  color,
  countFrom,
  member,
  numberFrom,
  oneOf,
  optional,
  options,
  optionsOr,
  signal,
} from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import { RENDERERS, TONE_MAPPINGS } from '../../proxy/commands.js';
import { effectsOption } from '../../proxy/effects.js';
import { LIBRARY_FILES } from '../../threads/library-files/library-files.js';
import type { Locate, WorkerUrl } from '../../threads/library-files/worker-location.js';

/** A CSS colour (sRGB), or linear red, green, blue and perhaps alpha. */
export type BackgroundColor =
  | string
  | readonly [number, number, number]
  | readonly [number, number, number, number];

export const THREADING_MODES = ['single', 'render', 'render+rhi'] as const;

/**
 * Which threads do what:
 * `single`: everything on the page's main thread; `render`: scene, recording and WebGPU in one worker;
 * `render+rhi`: scene and recording in one worker, WebGPU in another.
 */
export type ThreadingMode = (typeof THREADING_MODES)[number];

const seconds = optional(numberFrom(0.1, 3600));

export const ENGINE_OPTIONS = {
  /** Ends `createEngine` early: it rejects with the signal's reason and leaves nothing behind. Not heard of afterwards. */
  signal: optional(signal()),
  /** Default `'render'`. */
  threading: byDefault(oneOf(THREADING_MODES), 'render'),
  /** The most workers of `engine.tasks`, 0 to 64. Default: half of the machine's cores, at least 1 and at most 4. */
  taskWorkers: byDefault(countFrom(0, 64), null),
  /** Let the game run one frame ahead of the render thread. Default true. */
  oneFrameThreadLag: byDefault(boolean(), true),
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  maxFramesInFlight: byDefault(countFrom(1, 8), 2),
  /** What the game waits for: the render thread has recorded the frame, or it was submitted as well. Default `'render'`. */
  frameSync: byDefault(oneOf('render|present'), 'render'),
  /**
   * `'forward'` (default) lights meshes as they are drawn. `'deferred'` draws opaque, lit meshes first and then lights each pixel
   * once: faster where many lights or layers of meshes meet, with one sample per pixel; `antialias` smooths edges in the picture.
   */
  renderer: byDefault(oneOf(RENDERERS), 'forward'),
  /** Samples per pixel: 4 (default), or 1 or `false` for none. */
  antialias: byDefault(
    member<4 | 1 | boolean>(
      (value) => value === 4 || value === 1 || typeof value === 'boolean',
      '4, 1 or false',
    ),
    4,
  ),
  /**
   * Whether the scene is drawn with high dynamic range: linear light in half floats, of which a last pass maps the tones. Default true. `false`
   * draws what a display shows, 8 bits of sRGB, straight into the canvas: for slow GPUs. What is see-through, and edges that `antialias`
   * smooths, then mix colours as CSS does. Not with `renderer: 'deferred'`.
   */
  hdr: byDefault(boolean(), true),
  /** Default `'none'`. */
  toneMapping: byDefault(oneOf(TONE_MAPPINGS), 'none'),
  /** Factor on all light before tone mapping, > 0. Default 1. */
  exposure: byDefault(numberFrom(1e-6, 1e6), 1),
  /** Effects on the picture of all views, each `true`, `false` or its options; see `docs/guide/effects.md`. Default: none. */
  effects: optional(effectsOption()),
  /** Physical pixels per CSS pixel, 0.1 to 8. Default: the window's, followed as it changes. */
  pixelRatio: byDefault(numberFrom(0.1, 8), null),
  /** What is behind the scene; `'transparent'`, or any alpha below 1, lets the page show through. Default `'#000'`. */
  background: byDefault(color<BackgroundColor>(), '#000'),
  /**
   * Where `worker.js` lies (`asset-worker.js`, `task-worker.js` and the others beside it), when not beside the module. Resolved
   * against the document.
   */
  workerUrl: optional(workerUrl()),
  /** `'null'` runs everything but the GPU. Default `'webgpu'`. */
  backend: byDefault(oneOf('webgpu|null'), 'webgpu'),
  /**
   * What the GPU has to be able to do for this page, by WebGPU's names, perhaps with the lowest version of each; else
   * `createEngine` rejects with `capability-missing`, which names all that is lacking. Default: nothing.
   */
  requiredFeatures: optional(
    member<readonly string[] | Readonly<Record<string, number>>>(
      (value) =>
        Array.isArray(value)
          ? value.every((name) => typeof name === 'string')
          : isAmounts(value) &&
            Object.values(value).every((version) => Number.isInteger(version) && version > 0),
      'an array of names, or an object with the lowest version of each, from 1 on',
    ),
  ),
  /** Likewise limits, by WebGPU's names: at least so much, or at most for those that begin with `min`. */
  requiredLimits: optional(
    member<Readonly<Record<string, number>>>(isAmounts, 'an object of numbers by the names of limits'),
  ),
  /** Checks every RHI command before it is executed, and reports what is wrong by name. For development. Default false. */
  validation: byDefault(boolean(), false),
  /**
   * What happens when the GPU device is lost. `'recover'` (default): the scene is built anew on another device, and calls
   * in flight resolve. `'stop'`: the picture stays, calls reject with `device-lost`. `'ignore'`: likewise, without the
   * event `devicelost`.
   */
  deviceLost: byDefault(oneOf('recover|stop|ignore'), 'recover'),
  /** Says over the canvas that the GPU is gone, for as long as no device can be had. Default false. */
  deviceLostMessage: byDefault(boolean(), false),
  /**
   * When a thread that does not answer counts as hung: an `error` event after `reportSeconds` (default 1), another thread
   * in its place after `restartSeconds` (default 5). 0.1 to 3600, the second at least the first. Only time in which the thread could have run, and the page was visible, counts.
   */
  watchdog: optional(options({ reportSeconds: seconds, restartSeconds: seconds })),
  /**
   * Keeps the last seconds of what the game and the renderer said. When an error is reported, the event
   * `flightrecording` brings them as a file. `seconds` at 60 frames a second, 0.1 to 60; `true` means 4. Default false.
   */
  flightRecorder: byDefault(optionsOr(boolean(), { seconds: numberFrom(0.1, 60) }), false),
  /** The key that shows and hides the timeline, as `KeyboardEvent.key` names it; null: none does. Default `'F8'`. */
  timelineKey: byDefault(
    member<string | null>((value) => value === null || typeof value === 'string', 'a key or null'),
    'F8',
  ),
};

export type EngineOptions = { -readonly [Name in keyof Given]: Given[Name] };
type Given = Shaped<typeof ENGINE_OPTIONS>;

/** Options that `resolveOptions` turns into something else. */
type Converted =
  | 'signal'
  | 'antialias'
  | 'workerUrl'
  | 'requiredFeatures'
  | 'requiredLimits'
  | 'watchdog'
  | 'flightRecorder';

/** Options after checking, with every default filled in. Null: the machine, or the window, decides. */
export interface ResolvedOptions extends Omit<Filled<typeof ENGINE_OPTIONS>, Converted> {
  readonly sampleCount: 1 | 4;
  /** WGSL of the tone mapping; empty: none. */
  readonly toneCurve: string;
  /** WGSL with which surfaces map tones themselves, without `hdr`; else empty. */
  readonly displayCode: string;
  /** Where workers are, if not beside the library. */
  readonly locate: Locate | undefined;
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: readonly string[];
  /** What they have to be; null where nothing is required. */
  readonly required: {
    readonly features: Readonly<Record<string, number>>;
    readonly limits: Readonly<Record<string, number>>;
  } | null;
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  /** Seconds; 0: none. */
  readonly flightRecorder: number;
}

function isAmounts(value: unknown): value is Readonly<Record<string, number>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'number' && each >= 0);
}

/** A URL, or one for each file. */
function workerUrl() {
  const isUrl = (value: unknown): boolean =>
    value instanceof URL ||
    (typeof value === 'string' && URL.canParse(value, globalThis.document?.baseURI ?? 'http://page'));
  const areUrls = ({ engine, assets, ...others }: Readonly<Record<string, unknown>>): boolean =>
    [engine, assets].every(isUrl) && Object.values(others).every((url) => url === undefined || isUrl(url));
  const files = Object.keys(LIBRARY_FILES);
  const further = files.filter((name) => name !== 'engine' && name !== 'assets').join(' ');
  return member<WorkerUrl>(
    (value) => isUrl(value) || (isObject(value) && areUrls(value)),
    `a URL, or { engine, assets } with one each, and ${further} where they lie elsewhere`,
    { shape: Object.fromEntries(files.map((name) => [name, optional(anything())])) },
  );
}
