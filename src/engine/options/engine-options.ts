import type { RendererName, ToneMapping } from '../../proxy/commands.js';
import type { Locate, WorkerUrl } from '../../threads/files/worker-location.js';

/** The engine's options: their types and defaults. `option-checks.ts`, loaded where options are given, checks them. */

/** A CSS colour (sRGB), or linear red, green, blue and perhaps alpha. */
export type BackgroundColor =
  | string
  | readonly [number, number, number]
  | readonly [number, number, number, number];

/**
 * Which threads do what:
 * `single`: everything on the page's main thread; `render`: scene, recording and WebGPU in one worker;
 * `render+rhi`: scene and recording in one worker, WebGPU in another.
 */
export type ThreadingMode = 'single' | 'render' | 'render+rhi';

export interface EngineOptions {
  /** Ends `createEngine` early: it rejects with the signal's reason and leaves nothing behind. Not heard of afterwards. */
  signal?: AbortSignal;
  /** Default `'render'`. */
  threading?: ThreadingMode;
  /** The most workers of `engine.tasks`, 0 to 64. Default: half of the machine's cores, at least 1 and at most 4. */
  taskWorkers?: number;
  /** Let the game run one frame ahead of the render thread. Default true. */
  oneFrameThreadLag?: boolean;
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  maxFramesInFlight?: number;
  /** What the game waits for: the render thread has recorded the frame, or it was submitted as well. Default `'render'`. */
  frameSync?: 'render' | 'present';
  /**
   * `'forward'` (default) lights meshes as they are drawn. `'deferred'` draws opaque, lit meshes first and then lights each pixel
   * once: faster where many lights or layers of meshes meet, with one sample per pixel; `antialias` smooths edges in the picture.
   */
  renderer?: RendererName;
  /** Samples per pixel: 4 (default), or 1 or `false` for none. */
  antialias?: 4 | 1 | boolean;
  /**
   * Whether the scene is drawn with high dynamic range: linear light in half floats, of which a last pass maps the tones. Default true. `false`
   * draws what a display shows, 8 bits of sRGB, straight into the canvas: for slow GPUs. What is see-through, and edges that `antialias`
   * smooths, then mix colours as CSS does. Not with `renderer: 'deferred'`.
   */
  hdr?: boolean;
  /** Default `'none'`. */
  toneMapping?: ToneMapping;
  /** Factor on all light before tone mapping, > 0. Default 1. */
  exposure?: number;
  /** Physical pixels per CSS pixel, 0.1 to 8. Default: the window's, followed as it changes. */
  pixelRatio?: number;
  /** What is behind the scene; `'transparent'`, or any alpha below 1, lets the page show through. Default `'#000'`. */
  background?: BackgroundColor;
  /**
   * Where `worker.js` lies (`asset-worker.js` and the parts, `worker-images.js` …, beside it), when not beside the module. Resolved
   * against the document.
   */
  workerUrl?: WorkerUrl;
  /** `'null'` runs everything but the GPU. Default `'webgpu'`. */
  backend?: 'webgpu' | 'null';
  /**
   * What the GPU has to be able to do for this page, by WebGPU's names, perhaps with the lowest version of each; else
   * `createEngine` rejects with `capability-missing`, which names all that is lacking. Default: nothing.
   */
  requiredFeatures?: readonly string[] | Readonly<Record<string, number>>;
  /** Likewise limits, by WebGPU's names: at least so much, or at most for those that begin with `min`. */
  requiredLimits?: Readonly<Record<string, number>>;
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
   * in its place after `restartSeconds` (default 5). 0.1 to 3600, the second at least the first. Only time in which the thread could have run, and the page was visible, counts.
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
  /** Null: as many as the machine suggests. */
  readonly taskWorkers: number | null;
  readonly oneFrameThreadLag: boolean;
  readonly maxFramesInFlight: number;
  readonly frameSync: 'render' | 'present';
  readonly renderer: RendererName;
  readonly sampleCount: 1 | 4;
  readonly hdr: boolean;
  readonly toneMapping: ToneMapping;
  /** WGSL of it; empty: none. */
  readonly toneCurve: string;
  /** WGSL with which surfaces map tones themselves, without `hdr`; else empty. */
  readonly displayCode: string;
  readonly exposure: number;
  readonly pixelRatio: number | null;
  readonly background: BackgroundColor;
  /** Where workers are, if not beside the library. */
  readonly locate: Locate | undefined;
  readonly backend: 'webgpu' | 'null';
  readonly validation: boolean;
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: readonly string[];
  /** What they have to be; null where nothing is required. */
  readonly required: {
    readonly features: Readonly<Record<string, number>>;
    readonly limits: Readonly<Record<string, number>>;
  } | null;
  readonly deviceLost: 'recover' | 'stop' | 'ignore';
  readonly deviceLostMessage: boolean;
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  /** Seconds; 0: none. */
  readonly flightRecorder: number;
  readonly timelineKey: string | null;
}

export const DEFAULT_OPTIONS: ResolvedOptions = {
  threading: 'render',
  taskWorkers: null,
  oneFrameThreadLag: true,
  maxFramesInFlight: 2,
  frameSync: 'render',
  renderer: 'forward',
  sampleCount: 4,
  hdr: true,
  toneMapping: 'none',
  toneCurve: '',
  displayCode: '',
  exposure: 1,
  pixelRatio: null,
  background: '#000',
  locate: undefined,
  backend: 'webgpu',
  validation: false,
  requiredFeatures: [],
  requiredLimits: [],
  required: null,
  deviceLost: 'recover',
  deviceLostMessage: false,
  reportSeconds: 1,
  restartSeconds: 5,
  flightRecorder: 0,
  timelineKey: 'F8',
};
