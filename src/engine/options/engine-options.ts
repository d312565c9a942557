/**
 * The table of the engine's options, with one entry per option. Types, checks and defaults derive from the table, and a
 * test compares it with the guide (docs/guide/engine.md). A new option needs an entry here, and code that reads it from
 * `ResolvedOptions`. Entries that are `fixed` or `changeable` are listed in `engine.settings`.
 */
import type { Filled, Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  byDefault,
  changeable,
  countFrom,
  fixed,
  func,
  member,
  numberFrom,
  oneOf,
  optional,
  options,
  optionsOr,
  signal,
} from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import { RENDERERS } from '../../proxy/commands.js';
import { effectsOption } from '../../proxy/effects.js';
import { LOOK, type ShownAntialias } from '../../proxy/look.js';
import { LIBRARY_FILES } from '../../threads/library-files/library-files.js';
import type { Locate, WorkerUrl } from '../../threads/library-files/worker-location.js';
import { RESOLUTION_SCALE } from './resolution-scale.js';

export const THREADING_MODES = ['single', 'render', 'render+rhi'] as const;

/**
 * The distribution of the scene, the recording and WebGPU to threads. With `single`, all run on the page's main thread.
 * With `render`, all run on one worker. With `render+rhi`, WebGPU runs on a second worker.
 */
export type ThreadingMode = (typeof THREADING_MODES)[number];

const seconds = optional(numberFrom(0.1, 3600));

export const ENGINE_OPTIONS = {
  /**
   * Aborts `createEngine`, which then rejects with the signal's reason and leaves nothing behind. The signal has no
   * effect on a created engine.
   */
  signal: optional(signal()),
  /** Distribution of work to threads. Default `'render'`. */
  threading: fixed('threads that tick, render and call WebGPU', byDefault(oneOf(THREADING_MODES), 'render')),
  /**
   * Largest count of workers in the engine's pool, 0 to 64. They run `engine.tasks`, decode large files, and help with
   * the render thread's loops. With 2 or more workers, a sixth of them (at least one) is reserved for the loops and the
   * set `high`. With 4 or more, a third is reserved for decoding and the set `background`. Default: one less than the
   * machine's cores, from 1 to 8.
   */
  taskWorkers: fixed('largest count of workers in the pool', byDefault(countFrom(0, 64), null)),
  /**
   * Number of tasks that record each pass together on cross-origin isolated pages, 0 to 16. With 0 the engine decides
   * by the number of draws. Default 0.
   */
  recordingTasks: fixed(
    'tasks that record a pass together; 0: by the number of draws',
    byDefault(countFrom(0, 16), 0),
  ),
  /** Whether the game may run one frame ahead of the render thread. Default true. */
  oneFrameThreadLag: changeable(
    'whether the game may run one frame ahead of the render thread',
    byDefault(boolean(), true),
  ),
  /** Largest count of frames by which the GPU may lag behind, 1 to 8. Default 2. */
  maxFramesInFlight: fixed('frames by which the GPU may lag behind', byDefault(countFrom(1, 8), 2)),
  /**
   * Largest memory for read-backs, in bytes: pictures of `captureFrame`, picks, and reads of render modules. Requests
   * beyond it wait for earlier requests. Default 268,435,456.
   */
  maximumReadBackBytes: fixed(
    'bytes of memory for read-backs',
    byDefault(countFrom(65536, 2 ** 32), 2 ** 28),
  ),
  /**
   * Largest memory for the data of a capture (`startCapture`), in bytes. If a capture needs more memory, it ends, and
   * `stopCapture` rejects. Default 536,870,912.
   */
  maximumCaptureBytes: fixed(
    "bytes of memory for a capture's data",
    byDefault(countFrom(65536, 2 ** 32), 2 ** 29),
  ),
  /**
   * Stage of the frame that the game waits for: recorded by the render thread, or also submitted. Default `'render'`.
   */
  frameSync: fixed('stage of a frame that the game waits for', byDefault(oneOf('render|present'), 'render')),
  /**
   * `'forward'` (default) lights meshes while it draws them. `'deferred'` draws opaque, lit meshes first and then
   * lights each pixel once. It is faster with many lights or overlapping meshes. It takes one sample per pixel, so
   * `antialias` smooths edges in the finished picture.
   */
  renderer: changeable(
    'whether meshes are lit while or after they are drawn',
    byDefault(oneOf(RENDERERS), 'forward'),
  ),
  /**
   * How edges are smoothed. 4 (default) takes four samples per pixel. `'fxaa'` and `'smaa'` smooth the finished picture:
   * `'fxaa'` is faster, and `'smaa'` is sharper. `'taa'` averages many frames. 1 smooths no edges. `true` means 4, and
   * `false` means 1.
   */
  antialias: changeable('samples per pixel, or how edges are smoothed', byDefault(LOOK.antialias, 4)),
  /**
   * Whether the scene is drawn with high dynamic range: linear light in half floats, which a last pass tone-maps.
   * Default true. `false` draws 8-bit sRGB straight into the canvas, for slow GPUs. Transparent surfaces and smoothed
   * edges then blend as in CSS. `false` can't be combined with `renderer: 'deferred'`.
   */
  hdr: changeable('whether light is drawn in half floats and tone-mapped last', byDefault(boolean(), true)),
  /** Tone mapping of the picture. Default `'none'`. */
  toneMapping: changeable(
    'curve that maps light to the colours of the display',
    byDefault(LOOK.toneMapping, 'none'),
  ),
  /**
   * The picture that views show instead of the lit scene: a property of surfaces, or the work that a pixel takes. See
   * `docs/guide/debug-views.md`. Default `'none'`.
   */
  debugView: changeable('what views show instead of the lit scene', byDefault(LOOK.debugView, 'none')),
  /**
   * `'sorted'` (default) draws blended surfaces from back to front. `'weighted'` adds them up without sorting. Then
   * intersecting surfaces look right, but mixed colours are approximate. See `docs/guide/materials.md`.
   */
  transparency: changeable('how blended surfaces are drawn', byDefault(LOOK.transparency, 'sorted')),
  /** Factor on all light before tone mapping, 1e-6 to 1e6. Default 1. */
  exposure: changeable('factor on all light before tone mapping', byDefault(LOOK.exposure, 1)),
  /**
   * Effects on the picture of all views. Each effect is `true`, `false` or its options; see `docs/guide/effects.md`.
   * Default: none.
   */
  effects: optional(effectsOption()),
  /** Physical pixels per CSS pixel, 0.1 to 8. Default: follows the window's ratio. */
  pixelRatio: changeable('physical pixels per CSS pixel', byDefault(numberFrom(0.1, 8), null)),
  /**
   * Factor on the width and the height in which the scene is drawn, 0.25 to 2, before it is scaled to the canvas. An
   * object `{ targetMs, minimum, maximum }` lets it follow the measured GPU time. See `docs/guide/engine.md`. Default 1.
   */
  resolutionScale: changeable('factor on the resolution of the scene', byDefault(RESOLUTION_SCALE, 1)),
  /** Colour behind the scene. `'transparent'`, or any alpha below 1, lets the page show through. Default `'#000'`. */
  background: changeable('colour behind the scene', byDefault(LOOK.background, '#000')),
  /**
   * URL of `worker.js`, resolved against the document. `asset-worker.js`, `task-worker.js` and the library's other
   * files are beside it. An object `{ engine, assets, … }` gives each file its own URL. Default: beside the module.
   */
  workerUrl: optional(workerUrl()),
  /** `'null'` runs everything except the GPU. Default `'webgpu'`. */
  backend: fixed('GPU, or none', byDefault(oneOf('webgpu|null'), 'webgpu')),
  /**
   * WebGPU names of features that this page needs, optionally with the lowest version of each. If the GPU lacks any
   * feature, `createEngine` rejects with `capability-missing`, which names all missing features. Default: none.
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
  /**
   * Limits that this page needs, by WebGPU's names. Each number is the least value, or the largest value for a name
   * that begins with `min`.
   */
  requiredLimits: optional(
    member<Readonly<Record<string, number>>>(isAmounts, 'an object of numbers by the names of limits'),
  ),
  /**
   * Whether to check every RHI command before it is executed, and report faults in errors that name the command. The
   * check is for development. Default false.
   */
  validation: fixed('whether every RHI command is checked', byDefault(boolean(), false)),
  /**
   * Receives every RHI command as a line of text, just before it is executed. It is slow, so use it only for debugging.
   * Default: none.
   */
  rhiTrace: optional(func<(line: string) => void>()),
  /**
   * Executes every RHI command in the call that records it, so that a debugger stops in the call that WebGPU rejects.
   * It is for debugging, and does not change the pixels. Needs `threading: 'single'` or `'render'`. Default false.
   */
  rhiBypass: fixed('whether RHI commands are executed while they are recorded', byDefault(boolean(), false)),
  /**
   * Reaction to the loss of the GPU device. `'recover'` (default) rebuilds the scene on another device, and pending
   * calls resolve. `'stop'` keeps the picture, and calls reject with `device-lost`. `'ignore'` does the same without
   * the event `devicelost`.
   */
  deviceLost: fixed(
    'reaction to the loss of the GPU device',
    byDefault(oneOf('recover|stop|ignore'), 'recover'),
  ),
  /** Whether to cover the canvas with a message while no GPU is available, or after a failure. Default false. */
  deviceLostMessage: fixed(
    'whether a message covers the canvas while no GPU is available',
    byDefault(boolean(), false),
  ),
  /**
   * Time limits for a thread that does not answer: an `error` event after `reportSeconds` (default 1), a replacement
   * after `restartSeconds` (default 5). Both are 0.1 to 3600, and `restartSeconds` is at least `reportSeconds`. Time
   * counts only while the thread can run and the page is visible. A worker that is silent within a task is ended
   * after `taskHangSeconds`. Default: never, because a task may run for any time. A GPU that completes no frame is
   * reported after `gpuReportSeconds` (default 30).
   */
  watchdog: optional(
    options({
      reportSeconds: fixed('seconds of silence after which a thread is reported', seconds),
      restartSeconds: fixed('seconds of silence after which a thread is replaced', seconds),
      taskHangSeconds: fixed('seconds of silence within a task after which its worker is replaced', seconds),
      gpuReportSeconds: fixed('seconds without a completed frame after which the GPU is reported', seconds),
    }),
  ),
  /**
   * Keeps the last seconds of the game's and the renderer's commands. When an error is reported, the event
   * `flightrecording` delivers them as a file. `seconds` is 0.1 to 60, counted at 60 frames per second. `true` means 4
   * seconds. Default false.
   */
  flightRecorder: fixed(
    'seconds of commands that are kept for the file of a failure; 0: none',
    byDefault(optionsOr(boolean(), { seconds: numberFrom(0.1, 60) }), false),
  ),
  /** Key that shows and hides the timeline, by its `KeyboardEvent.key`; null for none. Default `'F8'`. */
  timelineKey: fixed(
    'key that shows and hides the timeline',
    byDefault(
      member<string | null>((value) => value === null || typeof value === 'string', 'a key or null'),
      'F8',
    ),
  ),
};

export type EngineOptions = { -readonly [Name in keyof Given]: Given[Name] };
type Given = Shaped<typeof ENGINE_OPTIONS>;

/** Options that `resolveOptions` replaces with other members. */
type Converted =
  | 'signal'
  | 'antialias'
  | 'workerUrl'
  | 'requiredFeatures'
  | 'requiredLimits'
  | 'watchdog'
  | 'flightRecorder';

/** Checked options with every default filled in. Null means that the machine or the window decides. */
export interface ResolvedOptions extends Omit<Filled<typeof ENGINE_OPTIONS>, Converted> {
  readonly antialias: ShownAntialias;
  /** See `ThreadOptions.checksGraph`. */
  readonly checksGraph: boolean;
  /** Returns the URLs of the library's files; undefined if the files are beside the module. */
  readonly locate: Locate | undefined;
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: readonly string[];
  /** Least versions of features and limit values; null if nothing is required. */
  readonly required: {
    readonly features: Readonly<Record<string, number>>;
    readonly limits: Readonly<Record<string, number>>;
  } | null;
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  readonly taskHangSeconds: number | undefined;
  readonly gpuReportSeconds: number;
  /** Whether the listener `rhiTrace` is set. */
  readonly isRhiTraced: boolean;
  /** Recorded seconds; 0 for no recording. */
  readonly flightRecorder: number;
}

function isAmounts(value: unknown): value is Readonly<Record<string, number>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'number' && each >= 0);
}

/** Returns the check of `workerUrl`: one URL, or an object with URLs of `engine`, `assets` and optional other files. */
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
    `a URL, or { engine, assets } with one URL each, and URLs of ${further} if they lie elsewhere`,
    { shape: Object.fromEntries(files.map((name) => [name, optional(anything())])) },
  );
}
