import type { StreamReader } from '../../core/stream.js';
import type { RenderCommandName } from '../../proxy/commands.js';
import type { Renderer } from '../../render/renderer.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { FrameHeader, RenderThread } from '../render-worker/render-thread.js';
import type { ThreadApi } from './protocol.js';
import type { ThreadSides } from './thread-api.js';

/**
 * The parts: code that a thread loads when something needs it, each a file of its own in dist/ (`worker-<part>.js`), and
 * the two tables that say what needs it.
 *
 *   render command ── COMMAND_PARTS ─┐                                 ┌─ createRenderPart: executes its commands
 *   control call ──── CALL_PARTS ────┼─► part ── loaded once ─ module ─┼─ createCalls: answers its calls
 *   option, executor ── loadPart ────┘                                 └─ functions of its own
 *
 * A new part is a module in `parts/`, a script `worker-<part>.ts`, its entry here, in `local-parts.ts`, `worker-location.ts`
 * and `inline.ts`, and its lines in the two tables. The render thread's loop and the control protocol stay as they are.
 */
export interface ThreadPartModules {
  /** What the asset worker decodes pictures of Basis Universal with. */
  readonly basis: typeof import('../parts/basis.js');
  /** The order of what is blended. */
  readonly blending: typeof import('../parts/blending.js');
  /** Draws that stay the same, as one call of the GPU's. */
  readonly bundles: typeof import('../parts/bundles.js');
  /** Captures and the flight recorder. */
  readonly captures: typeof import('../parts/captures.js');
  /** Hundreds of lights. */
  readonly clusters: typeof import('../parts/clusters.js');
  /** What answers the control plane's calls. */
  readonly control: typeof import('../parts/control.js');
  /** Colours of instances, and culling of thousands. */
  readonly crowds: typeof import('../parts/crowds.js');
  /** What shares the asset worker's decoding with helpers. */
  readonly decoding: typeof import('../parts/decoding.js');
  /** The deferred renderer. */
  readonly deferred: typeof import('../parts/deferred.js');
  /** Meshes whose vertices joints or morph targets move. */
  readonly deformers: typeof import('../parts/deformers.js');
  /** What the asset worker decodes meshes of Draco with. */
  readonly draco: typeof import('../parts/draco.js');
  /** Fences that the page shares with render modules and the GPU's queue. */
  readonly fences: typeof import('../parts/fences.js');
  /** The frame graph for users: passes of render modules, and its description. */
  readonly graph: typeof import('../parts/graph.js');
  /** Light from all around. */
  readonly environment: typeof import('../parts/environment.js');
  /** Lines, points and sprites: what faces the camera. */
  readonly facing: typeof import('../parts/facing.js');
  /** Textures with images. */
  readonly images: typeof import('../parts/images.js');
  /** What the asset worker decodes pictures of light from all around with. */
  readonly faces: typeof import('../parts/faces.js');
  /** What the asset worker decodes other KTX2 files with, and Zstandard. */
  readonly ktx2: typeof import('../parts/ktx2.js');
  /** Meshes that are drawn from less when they are small. */
  readonly lods: typeof import('../parts/lods.js');
  /** What the asset worker decodes buffers of meshoptimizer with. */
  readonly meshopt: typeof import('../parts/meshopt.js');
  /** Render modules: code of the page's authors on the render thread. */
  readonly modules: typeof import('../parts/modules.js');
  /** What was declared to move by itself, and clips. */
  readonly motion: typeof import('../parts/motion.js');
  /** Tasks that are sent to this thread by its name. */
  readonly named: typeof import('../parts/named.js');
  /** The backend without a GPU. */
  readonly null: typeof import('../parts/null.js');
  /** What is hidden behind other things. */
  readonly occlusion: typeof import('../parts/occlusion.js');
  /** What is seen in a pixel. */
  readonly picking: typeof import('../parts/picking.js');
  /** What the executor on WebGPU seldom needs; with render modules always. */
  readonly seldom: typeof import('../parts/seldom.js');
  /** Shaders of pages, of materials. */
  readonly shaders: typeof import('../parts/shaders.js');
  /** Streams in shared memory. */
  readonly shared: typeof import('../parts/shared.js');
  /** Shadow maps. */
  readonly shadows: typeof import('../parts/shadows.js');
  readonly validation: typeof import('../parts/validation.js');
  /** Views besides the active camera's. */
  readonly views: typeof import('../parts/views.js');
  /** Worlds besides the engine's own. */
  readonly worlds: typeof import('../parts/worlds.js');
}

export type ThreadPartName = keyof ThreadPartModules;

/** Loads a part once; a fetch that failed is tried again by the next call. */
export type LoadPart<Known extends ThreadPartName = ThreadPartName> = <Name extends Known>(
  name: Name,
  /** Where it lies, if the thread was not told at its start. */
  url?: string,
) => Promise<ThreadPartModules[Name]>;

/** What a part's module offers where it executes render commands. */
export interface RenderPartModule {
  createRenderPart(host: RenderPartHost): RenderPart;
}

/** What a part has of the render thread. */
export interface RenderPartHost {
  readonly thread: RenderThread;
  readonly renderer: Renderer;
  /** Whose records it executes. */
  readonly world: WorldRenderer;
  /** Whether a further list may be recorded: no frame has begun, and the lists before are not too far behind. */
  isIdle(): boolean;
  /** Records a further list of the last game frame. @param timeSeconds scene time that it shows */
  recordAgain(timeSeconds: number): void;
}

/** A part at work on the render thread, from the first command that needs it to the thread's end. */
export interface RenderPart {
  /**
   * Per command that `COMMAND_PARTS` gives to the part: executes the reader's current record.
   * @returns what the stream waits for, if anything, before this is called again for the same record; it never rejects
   */
  execute(reader: StreamReader, frame: FrameHeader): Promise<void> | null | void;
  /** Per game frame, before it is recorded. */
  beginFrame?(frame: FrameHeader): void;
  /** Per list, before it is recorded: game frames, and the further lists that a part has asked for. */
  beginList?(frame: FrameHeader): void;
  /** Per list, after its end and before it is published: what is recorded now comes right behind it. */
  endList?(): void;
  stop?(): void;
}

/** The parts whose module satisfies `Module`. */
type PartsWith<Module> = {
  [Name in ThreadPartName]: ThreadPartModules[Name] extends Module ? Name : never;
}[ThreadPartName];

export type RenderPartName = PartsWith<RenderPartModule>;

/** What becomes of a render command whose part is not there yet. */
export type CommandPart =
  | {
      readonly part: RenderPartName;
      /**
       * `hold`: the stream waits for the part, so that the same commands give the same pixels. `load`: the part is fetched,
       * and the command is left out. `skip`: the command is left out, because without the part there is nothing to change.
       */
      readonly absent: 'hold' | 'load' | 'skip';
    }
  /** A control call attaches the part, always before the first command. */
  | { readonly part: ThreadPartName; readonly absent: 'refuse' };

/** The part of each render command that has one. All others are the renderer's. */
export const COMMAND_PARTS: Readonly<Partial<Record<RenderCommandName, CommandPart>>> = {
  createTexture: { part: 'images', absent: 'hold' },
  updateTexture: { part: 'images', absent: 'skip' },
  createRenderTexture: { part: 'images', absent: 'hold' },
  setAddedView: { part: 'views', absent: 'hold' },
  removeAddedView: { part: 'views', absent: 'skip' },
  readView: { part: 'views', absent: 'hold' },
  setCanvas: { part: 'views', absent: 'hold' },
  pick: { part: 'picking', absent: 'hold' },
  setEnvironment: { part: 'environment', absent: 'hold' },
  setEnvironmentImage: { part: 'environment', absent: 'hold' },
  setAmbient: { part: 'environment', absent: 'hold' },
  drawFacing: { part: 'facing', absent: 'hold' },
  sortBlended: { part: 'blending', absent: 'hold' },
  setColors: { part: 'crowds', absent: 'hold' },
  setLods: { part: 'lods', absent: 'hold' },
  setOccluder: { part: 'occlusion', absent: 'hold' },
  setShadow: { part: 'shadows', absent: 'hold' },
  clusterLights: { part: 'clusters', absent: 'hold' },
  setRenderer: { part: 'deferred', absent: 'hold' },
  setMaterialShader: { part: 'shaders', absent: 'hold' },
  createSkin: { part: 'deformers', absent: 'hold' },
  destroySkin: { part: 'deformers', absent: 'skip' },
  attachSkin: { part: 'deformers', absent: 'hold' },
  setMorphTargets: { part: 'deformers', absent: 'hold' },
  setMorphWeights: { part: 'deformers', absent: 'hold' },
  declareMotion: { part: 'motion', absent: 'hold' },
  clearMotion: { part: 'motion', absent: 'skip' },
  holdMotion: { part: 'motion', absent: 'skip' },
  createClip: { part: 'motion', absent: 'hold' },
  destroyClip: { part: 'motion', absent: 'skip' },
  setPlayback: { part: 'motion', absent: 'hold' },
  removePlayback: { part: 'motion', absent: 'skip' },
  // A camera follows its goal without the part, as long as the game ticks.
  followGoal: { part: 'motion', absent: 'load' },
  selectScene: { part: 'worlds', absent: 'hold' },
  callModule: { part: 'modules', absent: 'refuse' },
};

interface CallPartModule {
  createCalls(thread: ThreadSides): Partial<ThreadApi>;
}

export type CallPartName = PartsWith<CallPartModule>;

/** The part of each control call that has one. All others are answered by `thread-api.ts` itself. */
export const CALL_PARTS = {
  describeGraph: 'graph',
  startCapture: 'captures',
  stopCapture: 'captures',
  startRecording: 'captures',
  takeRenderCommands: 'captures',
  writeRecording: 'captures',
  connectCrowds: 'crowds',
  connectFences: 'fences',
  serveFences: 'fences',
  followViews: 'views',
  giveSurface: 'seldom',
  dropSurface: 'seldom',
  connectModules: 'modules',
  serveRhiPoints: 'modules',
} as const satisfies Partial<Record<keyof ThreadApi, CallPartName>>;
