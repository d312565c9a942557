/**
 * The end-of-frame update (SYSTEMS G3, G4): visits only components that are flagged and transforms that
 * changed, and writes render commands by hand. Every record is a copy; nothing is shared with the render side,
 * so what the game does in frame N+1 can't touch frame N (G6).
 *
 *   setters ──flag once──► dirty components ─┐
 *   views   ──mark once──► dirty transforms ─┼─ send() ─► nodes → transforms → resources → proxies → view → destroys
 *   destroy ─────────────► destroyed ids ────┘
 *
 * Destroys come last: an id or a shared resource is free again only after the records that let go of it.
 * `resend.ts` flags everything as if it were new, in another stream.
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
import { TransformStore } from '../transforms/transform-store.js';
import { ResourceRegistry } from './resource-registry.js';
import type { ViewUpdates } from './view-updates.js';
import { type DecodeTexture, type Outlet, writeWords } from './write-record.js';

/** Bits of `SceneComponent.dirtyFlags`. Render-transform is the store's dirty byte. */
export enum DirtyFlag {
  /** Create the node if there is none yet, and the proxy (anew). Supersedes the others. */
  renderState = 1,
  /** Send the proxy's parameters. */
  dynamicData = 2,
  /** Send the parent. */
  attachment = 4,
}

const INITIAL_NODES = 64;
/** Primitives from which on culling in groups, and by several threads, pays (`bench`, suite CROWD). */
const CROWD = 16_384;

export class SceneUpdates implements Outlet {
  readonly transforms = new TransformStore(INITIAL_NODES);
  readonly primitives = new IdAllocator();
  readonly lights = new IdAllocator();
  readonly skins = new IdAllocator();
  readonly resources: ResourceRegistry;
  /** Where records go now; `resend.ts` makes it another stream. */
  writer: StreamWriter;
  readonly reportError: (error: unknown) => void;
  /** Per change that the next update sends: an engine at rest draws it. */
  onChange: () => void = () => {};
  /** See `WorldServices`. */
  decodeTexture: DecodeTexture | undefined;
  readonly destroyedNodes: number[] = [];
  readonly destroyedPrimitives: number[] = [];
  readonly destroyedLights: number[] = [];
  readonly destroyedSkins: number[] = [];
  /** Scene time of the last frame, or of the one that is being made, in seconds. */
  timeSeconds = 0;
  /** Whether that frame belongs to an engine that was started. */
  isRunning = false;
  /** In the world: their nodes come before their transforms, and their colours behind their primitives. */
  readonly instances: InstancesComponent[] = [];
  /** There are files of which some is still to be sent. */
  staged: StagedUploads | undefined;
  /** Made with the first motion. */
  motions: MotionUpdates | null = null;
  /** Made with the first clip that is played. */
  clips: ClipUpdates | null = null;
  /** Made with the first environment. */
  environment: EnvironmentUpdates | null = null;
  /** Made with the first ambient light. */
  ambient: AmbientLight | null = null;
  /** Made with the first view besides the active camera's. */
  views: ViewUpdates | null = null;
  /** There are thousands of primitives, or of tracks that clips play; null: that is known. */
  onManyPrimitives: (() => unknown) | null = null;
  /** In development: see `WorldServices`. */
  checkThread: ((call: string) => void) | null = null;
  /** Aborted at the world's end. */
  readonly disposed: AbortSignal;
  /** The camera whose view is drawn; assigning it sends the view. */
  #camera: CameraComponent | null = null;
  #isViewDirty = false;
  /** What is sent with the next update. */
  readonly dirty: SceneComponent[] = [];

  /** What is written in there between two frames is of this world; undefined: of the engine's own. */
  declare inScene?: (write: () => void) => void;

  /** @param resources of the engine's own world, where that is another: all worlds share them */
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

  /** Per change: notes a component for the next update, once. */
  flag(component: SceneComponent, bits: number): void {
    if (this.checkThread !== null)
      this.checkThread(`A change of "${component.actor?.name ?? 'a component'}"`);
    if (component.dirtyFlags === 0) {
      this.dirty.push(component);
      this.onChange();
    }
    component.dirtyFlags |= bits;
  }

  get camera(): CameraComponent | null {
    return this.#camera;
  }
  set camera(camera: CameraComponent | null) {
    if (camera === this.#camera) return;
    this.#camera = camera;
    this.markView();
  }

  /** Its lens is another one, or its node. */
  markCamera(camera: CameraComponent): void {
    if (camera === this.#camera) this.markView();
    this.views?.markCamera(camera);
  }

  markView(): void {
    this.#isViewDirty = true;
    this.onChange();
  }

  /** Per frame: writes the records of everything that changed since the last call. Publishes nothing. */
  send(): void {
    const { writer } = this;
    const dirty = this.dirty;
    this.staged?.send();
    if (dirty.length) this.#sendNodes(dirty);
    for (const each of this.instances) each.sendNodes(writer);
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
        // One that can't be sent keeps none of the others back; a stream that has ended keeps all.
        if (error instanceof StreamError) throw error;
        this.reportError(error);
      }
    }
    dirty.length = 0;
    if (this.primitives.end >= CROWD) {
      this.onManyPrimitives?.();
      this.onManyPrimitives = null;
    }
    for (const each of this.instances) each.sendColors(writer);
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
   * Nodes that move are let go of before any finds its new parent, and nodes are created before others are
   * attached to them: whatever the order of the calls was, the render side never sees a cycle on the way.
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
    camera.writeLens(writer, writer.reserve(RenderOpcode.setView, 7));
  }

  /** Also while everything is sent anew: see `resend.ts`. */
  sendDestroys(): void {
    this.#sendDestroyed(RenderOpcode.destroyPrimitive, this.destroyedPrimitives, this.primitives);
    this.#sendDestroyed(RenderOpcode.destroySkin, this.destroyedSkins, this.skins);
    this.#sendDestroyed(RenderOpcode.destroyLight, this.destroyedLights, this.lights);
    this.#sendDestroyed(RenderOpcode.destroyNode, this.destroyedNodes, this.transforms);
  }

  #sendDestroyed(opcode: number, ids: number[], allocator: { free(id: number): void }): void {
    // Most frames have none, and an iterator is garbage where a loop runs once a frame.
    if (ids.length === 0) return;
    for (const id of ids) writeWords(this.writer, opcode, 1, id);
    for (const id of ids) allocator.free(id);
    ids.length = 0;
  }
}
