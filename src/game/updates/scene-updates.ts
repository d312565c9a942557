/**
 * The end-of-frame update (SYSTEMS G3, G4): visits only flagged components and changed transforms, and writes
 * render commands by hand. Every record is a copy, and nothing is shared with the render side. So changes
 * that the game makes in frame N+1 can't affect frame N (G6).
 *
 *   setters ──flag once──► dirty components ─┐
 *   moves   ──mark once──► dirty transforms ─┼─ send() ─► nodes → transforms → resources → proxies → view → destroys
 *   destroy ─────────────► destroyed ids ────┘
 *
 * Destroys are sent last, so that an id or a shared resource is freed only after the last record that names it.
 * `resend.ts` flags everything as if it were new, for another stream.
 */
import { StreamError } from '../../core/errors.js';
import { IdAllocator } from '../../core/id-allocator.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { ClipUpdates } from '../animation/clip-updates.js';
import type { CameraComponent } from '../components/camera-component.js';
import type { InstancesComponent } from '../components/instances-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { AmbientLight } from '../lights/ambient-light.js';
import type { EnvironmentUpdates } from '../lights/environment.js';
import type { StagedUploads } from '../loading/staged-uploads.js';
import type { MotionUpdates } from '../motion/motion-updates.js';
import type { ParticlesComponent } from '../particles/particles-component.js';
import { TransformStore } from '../transforms/transform-store.js';
import { ResourceRegistry } from './resource-registry.js';
import type { ViewUpdates } from './view-updates.js';
import { type DecodeTexture, type Outlet, writeWords } from './write-record.js';

/** Bits of `SceneComponent.dirtyFlags`. Changed transforms are flagged in `TransformStore.dirty` instead. */
export enum DirtyFlag {
  /** Create the node if it does not exist yet, and create or replace the proxy. Supersedes `dynamicData`. */
  renderState = 1,
  /** Send the proxy's parameters. */
  dynamicData = 2,
  /** Send the parent of the node. */
  attachment = 4,
}

const INITIAL_NODES = 64;
/**
 * Number of primitives from which culling in groups and on several threads is faster (`bench`, suite CROWD).
 */
const MANY_PRIMITIVES = 16_384;

export class SceneUpdates implements Outlet {
  readonly transforms = new TransformStore(INITIAL_NODES);
  readonly primitives = new IdAllocator();
  readonly lights = new IdAllocator();
  readonly skins = new IdAllocator();
  readonly particles = new IdAllocator();
  readonly shadowCatchers = new IdAllocator();
  readonly decals = new IdAllocator();
  readonly resources: ResourceRegistry;
  /** Destination of the records; `resend.ts` replaces it. */
  writer: StreamWriter;
  readonly reportError: (error: unknown) => void;
  /** Called for each change that the next update sends. An idle engine then draws a frame. */
  onChange: () => void = () => {};
  /** See `WorldServices`. */
  decodeTexture: DecodeTexture | undefined;
  readonly destroyedNodes: number[] = [];
  readonly destroyedPrimitives: number[] = [];
  readonly destroyedLights: number[] = [];
  readonly destroyedSkins: number[] = [];
  readonly destroyedParticles: number[] = [];
  readonly destroyedShadowCatchers: number[] = [];
  readonly destroyedDecals: number[] = [];
  /** Scene time in seconds of the frame that is being made. Between two frames: of the last frame. */
  timeSeconds = 0;
  /** Whether the world's time runs: its engine is running, and the world is not paused. */
  isRunning = false;
  /** Bytes of the arrays of all instances in the world. */
  placeBytes = 0;
  /** Instances that the next update visits. Their places are sent after nodes, and their colours after primitives. */
  readonly #instances: InstancesComponent[] = [];
  readonly particleSystems = new Set<ParticlesComponent>();
  /** Scene time of the last update, in seconds. */
  sentSeconds = 0;
  /** Uploads of loaded files that are still in progress. */
  staged: StagedUploads | undefined;
  /** Created with the first motion. */
  motions: MotionUpdates | null = null;
  /** Created with the first playback of a clip. */
  clips: ClipUpdates | null = null;
  /** Created with the first environment. */
  environment: EnvironmentUpdates | null = null;
  /** Created with the first ambient light. */
  ambient: AmbientLight | null = null;
  /** Created with the first view in addition to the active camera's. */
  views: ViewUpdates | null = null;
  /** Number of the world's scene on the render thread. */
  scene = 0;
  /** Called at the start of each update, for objects that adapt to other objects, such as to the camera. */
  readonly beforeSend = new Set<() => void>();
  /** Called once there are `MANY_PRIMITIVES`, or `CROWD_TRACKS` tracks that clips play; null afterwards. */
  onManyPrimitives: (() => unknown) | null = null;
  /** In development: see `WorldServices`. */
  checkThread: ((call: string) => void) | null = null;
  /** Aborted when the world ends. */
  readonly disposed: AbortSignal;
  /** The camera whose view is drawn. Assigning `camera` marks the view to be sent. */
  #camera: CameraComponent | null = null;
  #isViewDirty = false;
  /** Components to send with the next update. */
  readonly dirty: SceneComponent[] = [];

  /**
   * Runs a function that writes records between two frames, so that they apply to this world. Undefined for the
   * engine's own world.
   */
  declare inScene?: (write: () => void) => void;

  /** @param resources registry of the engine's own world, which all other worlds share; undefined for that world */
  constructor(
    writer: StreamWriter,
    reportError: (error: unknown) => void,
    disposed: AbortSignal,
    resources?: ResourceRegistry,
  ) {
    this.writer = writer;
    this.disposed = disposed;
    this.reportError = reportError;
    this.resources = resources ?? new ResourceRegistry(this);
    this.transforms.onChange = () => this.onChange();
  }

  /** Per change: adds a component to the next update, once. */
  flag(component: SceneComponent, bits: number): void {
    if (this.checkThread !== null)
      this.checkThread(`A change of "${component.actor?.name ?? 'a component'}"`);
    if (component.dirtyFlags === 0) {
      this.dirty.push(component);
      this.onChange();
    }
    component.dirtyFlags |= bits;
  }

  /** Per change: adds instances to the next update. The component calls this at most once per update. */
  flagInstances(instances: InstancesComponent): void {
    this.checkThread?.(`A change of "${instances.actor?.name ?? 'instances'}"`);
    this.#instances.push(instances);
    this.onChange();
  }

  get camera(): CameraComponent | null {
    return this.#camera;
  }
  set camera(camera: CameraComponent | null) {
    if (camera === this.#camera) return;
    this.#camera = camera;
    this.markView();
  }

  /** Marks the views of a camera whose lens or node has changed. */
  markCamera(camera: CameraComponent): void {
    if (camera === this.#camera) this.markView();
    this.views?.markCamera(camera);
  }

  markView(): void {
    this.#isViewDirty = true;
    this.onChange();
  }

  /**
   * Returns whether the picture changes after this scene time without another call of the page: by motions, clips,
   * particles, or shaders that read the time.
   */
  isMovingAfter(seconds: number): boolean {
    if (this.resources.hasTimedMaterials) return true;
    if (this.motions?.isMovingAfter(seconds) || this.clips?.isMovingAfter(seconds)) return true;
    for (const system of this.particleSystems) if (system.isMovingAfter(seconds)) return true;
    return false;
  }

  /** Per frame: writes the records of everything that changed since the last call. Publishes nothing. */
  send(): void {
    for (const adapt of this.beforeSend) adapt();
    const { writer } = this;
    this.sentSeconds = this.timeSeconds;
    const dirty = this.dirty;
    this.staged?.send();
    if (dirty.length) this.#sendNodes(dirty);
    const instances = this.#instances;
    for (const each of instances) if (each.updates === this) each.sendPlaces(writer);
    this.clips?.sendRemoved();
    if (this.transforms.dirtyCount) this.transforms.send(writer);
    this.resources.sendUpdates();
    for (const component of dirty) {
      const flags = component.dirtyFlags;
      component.dirtyFlags = 0;
      if (component.updates !== this) continue;
      try {
        if (flags & DirtyFlag.renderState) component.sendProxy(this);
        else if (flags & DirtyFlag.dynamicData) component.sendDynamicData(this);
      } catch (error) {
        // A component that can't be sent is reported, and the remaining ones are sent. An ended stream ends the update.
        if (error instanceof StreamError) throw error;
        this.reportError(error);
      }
    }
    dirty.length = 0;
    if (this.primitives.end >= MANY_PRIMITIVES) {
      this.onManyPrimitives?.();
      this.onManyPrimitives = null;
    }
    for (const each of instances) if (each.updates === this) each.sendColors(writer);
    instances.length = 0;
    this.motions?.send();
    this.clips?.send();
    this.environment?.send();
    this.ambient?.send(writer);
    if (this.#isViewDirty) this.#sendView();
    this.views?.send(writer, this);
    this.sendDestroys();
    this.resources.sendReleases();
  }

  /**
   * Sends new nodes and changed parents: first detaches nodes whose parent has changed, then creates the new
   * nodes, then attaches nodes. So the render side never has a cycle, in any order of the calls.
   */
  #sendNodes(dirty: readonly SceneComponent[]): void {
    const { writer } = this;
    for (const component of dirty) {
      if (
        component.updates !== this ||
        !component.isNodeSent ||
        !(component.dirtyFlags & DirtyFlag.attachment)
      )
        continue;
      writeWords(writer, RenderOpcode.attachNode, 2, component.node, NO_ID);
    }
    for (const component of dirty) {
      if (component.updates !== this || component.isNodeSent) continue;
      const parent = component.sentParentNode;
      writeWords(writer, RenderOpcode.createNode, 2, component.node, parent);
      component.isNodeSent = true;
      component.dirtyFlags &= ~DirtyFlag.attachment;
      if (component.parent && parent === NO_ID) component.dirtyFlags |= DirtyFlag.attachment;
    }
    for (const component of dirty) {
      if (component.updates !== this || !(component.dirtyFlags & DirtyFlag.attachment)) continue;
      const parent = component.sentParentNode;
      if (parent !== NO_ID) writeWords(writer, RenderOpcode.attachNode, 2, component.node, parent);
    }
  }

  #sendView(): void {
    this.#isViewDirty = false;
    const { writer } = this;
    const camera = this.#camera;
    if (!camera) {
      writer.reserve(RenderOpcode.clearView, 0);
      return;
    }
    camera.writeLens(writer, writer.reserve(RenderOpcode.setView, 8));
  }

  /** Sends the pending destructions and frees their ids. Also called during a resend: see `resend.ts`. */
  sendDestroys(): void {
    this.#sendDestroyed(RenderOpcode.destroyPrimitive, this.destroyedPrimitives, this.primitives);
    this.#sendDestroyed(RenderOpcode.destroySkin, this.destroyedSkins, this.skins);
    this.#sendDestroyed(RenderOpcode.destroyLight, this.destroyedLights, this.lights);
    this.#sendDestroyed(RenderOpcode.destroyParticles, this.destroyedParticles, this.particles);
    const { destroyedShadowCatchers, shadowCatchers } = this;
    this.#sendDestroyed(RenderOpcode.destroyShadowCatcher, destroyedShadowCatchers, shadowCatchers);
    this.#sendDestroyed(RenderOpcode.destroyDecal, this.destroyedDecals, this.decals);
    this.#sendDestroyed(RenderOpcode.destroyNode, this.destroyedNodes, this.transforms);
  }

  #sendDestroyed(opcode: number, ids: number[], allocator: { free(id: number): void }): void {
    // Most frames have no destroys. The check avoids an iterator, which would be garbage in every frame.
    if (ids.length === 0) return;
    for (const id of ids) writeWords(this.writer, opcode, 1, id);
    for (const id of ids) allocator.free(id);
    ids.length = 0;
  }
}
