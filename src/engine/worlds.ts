import type { FencepostError } from '../core/errors.js';
import { OptionError, StateError } from '../core/errors.js';
import { IdAllocator } from '../core/id-allocator.js';
import { fillOptions } from '../core/options/check-options.js';
import { writeDouble } from '../core/records/wide-words.js';
import { resend } from '../game/updates/resend.js';
import { ViewUpdates } from '../game/updates/view-updates.js';
import { writeWords } from '../game/updates/write-record.js';
import {
  type AddedWorld,
  createAddedWorld,
  WORLD_OPTIONS,
  type WorldOptions,
} from '../game/world/added-world.js';
import type { World, WorldServices } from '../game/world/world.js';
import { RENDERERS, RenderOpcode, SceneFlag } from '../proxy/commands.js';
import type { FrameProducer, FrameWorld } from './frames/frame-producer.js';
import type { FrameSettings } from './options/frame-settings.js';

export interface WorldsHost {
  /** The engine's first world. */
  readonly world: World;
  readonly worldServices: WorldServices;
  readonly producer: FrameProducer;
  readonly settings: Pick<FrameSettings, 'output'>;
  /** Called with each created world. */
  readonly onCreate: (world: World) => void;
}

/** The scene that the render thread has for a world. */
interface Scene {
  readonly id: number;
  /** Whether the renderer's name was sent. A new scene starts with the default renderer. */
  isRendererSent: boolean;
}

/**
 * All worlds of an engine, combined into one object for the frame producer. This object is created together with the
 * second world. Until then the frame producer uses the first world directly.
 *
 *   tick         world 0, 1, 2 …, each unless it is paused
 *   sendUpdates  changes of world 0 │ selectScene 1 │ changes of world 1 │ … │ selectScene 0
 *
 * Each world has its own scene time, which stops while the world is paused.
 */
export class Worlds implements FrameWorld {
  /** Always false, because each world has its own `paused`. */
  readonly paused = false;
  readonly #host: WorldsHost;
  readonly #scenes = new Map<AddedWorld, Scene>();
  /** Worlds destroyed since the last frame, whose scenes the next frame destroys. */
  readonly #destroyed = new Map<AddedWorld, Scene>();
  readonly #ids = new IdAllocator();
  #all: readonly World[];
  #shown: World;
  #count = 0;

  constructor(host: WorldsHost) {
    const { world, producer } = host;
    this.#host = host;
    this.#shown = world;
    this.#all = [world];
    this.#ids.allocate();
    world.updates.views ??= new ViewUpdates(world.updates.resources);
    producer.world = this;
  }

  /** Creates a world. @throws OptionError `option-unknown`, `option-invalid` */
  create(options: WorldOptions = {}): AddedWorld {
    const given = fillOptions('createWorld', options, WORLD_OPTIONS);
    const { worldServices, world: first, producer, onCreate } = this.#host;
    first.disposed.throwIfAborted();
    const { name = `world ${this.#count + 1}`, paused } = given;
    if (typeof name !== 'string')
      throw new OptionError('option-invalid', 'name of createWorld has to be a string.');
    this.#count++;
    const { resources, views, timeSeconds, isRunning } = first.updates;
    const world = createAddedWorld(producer.writer, { ...worldServices, resources }, name, this.#leave);
    const { updates } = world;
    const scene = { id: this.#ids.allocate(), isRendererSent: false };
    world.paused = paused;
    updates.views = views;
    updates.scene = scene.id;
    updates.timeSeconds = timeSeconds;
    updates.isRunning = isRunning && !paused;
    updates.inScene = (write) => {
      writeWords(updates.writer, RenderOpcode.selectScene, 4, scene.id);
      write();
      writeWords(updates.writer, RenderOpcode.selectScene, 4);
    };
    this.#scenes.set(world, scene);
    this.#all = [...this.#all, world];
    onCreate(world);
    return world;
  }

  /** Shows the world on the canvas from the next frame on. @returns false if it is no living world of the engine */
  show(world: World): boolean {
    if (world !== this.#host.world && !this.#scenes.has(world as AddedWorld)) return false;
    this.#shown = world;
    return true;
  }

  get shown(): World {
    return this.#shown;
  }

  /** All worlds in the order of their creation. */
  get all(): readonly World[] {
    return this.#all;
  }

  readonly #leave = (world: AddedWorld): void => {
    const scene = this.#scenes.get(world);
    if (!scene) return;
    if (world === this.#shown) {
      throw new StateError(
        'world-shown',
        `The canvas shows the world "${world.name}". Assign another world to engine.world before you destroy this one.`,
      );
    }
    this.#scenes.delete(world);
    this.#all = this.#all.filter((each) => each !== world);
    this.#destroyed.set(world, scene);
  };

  get disposed(): AbortSignal {
    return this.#host.world.disposed;
  }

  get updates(): FrameWorld['updates'] {
    return this.#clock;
  }

  /** The engine's clock. Its setters leave the time of paused worlds unchanged, and never let those worlds run. */
  readonly #clock = ((worlds: Worlds) => ({
    get timeSeconds(): number {
      return worlds.#host.world.updates.timeSeconds;
    },
    set timeSeconds(seconds: number) {
      const elapsed = seconds - this.timeSeconds;
      if (elapsed === 0) return;
      for (const { paused, updates } of worlds.all) if (!paused) updates.timeSeconds += elapsed;
    },
    get isRunning(): boolean {
      return worlds.#host.world.updates.isRunning;
    },
    set isRunning(isRunning: boolean) {
      for (const { paused, updates } of worlds.all) updates.isRunning = isRunning && !paused;
    },
    motions: {
      pause(): void {
        for (const { updates } of worlds.all) updates.motions?.pause();
      },
    },
  }))(this);

  tick(deltaSeconds: number): void {
    for (const world of this.all) if (!world.paused) world.tick(deltaSeconds);
  }

  sendUpdates(): void {
    const { world: first } = this.#host;
    const { writer } = first.updates;
    first.sendUpdates();
    try {
      for (const [world, scene] of this.#scenes) this.#send(world, scene);
      for (const [world, scene] of this.#destroyed) {
        this.#send(world, scene);
        writeWords(writer, RenderOpcode.selectScene, 4, scene.id, SceneFlag.destroyed);
        this.#ids.free(scene.id);
      }
      if (this.#destroyed.size) this.#destroyed.clear();
    } finally {
      const flags = this.#shown === first ? SceneFlag.shown : 0;
      writeWords(writer, RenderOpcode.selectScene, 4, 0, flags);
    }
  }

  /** Sends all worlds except the first one to threads that take over. @param shared see `resend` */
  resend(shared: ReturnType<typeof resend>): void {
    for (const { id } of this.#destroyed.values()) this.#ids.free(id);
    this.#destroyed.clear();
    const { writer } = this.#host.world.updates;
    for (const [world, scene] of this.#scenes) {
      world.updates.writer = writer;
      scene.isRendererSent = false;
      this.#select(world, scene);
      resend(world, writer, shared);
    }
    const flags = this.#shown === this.#host.world ? SceneFlag.shown : 0;
    writeWords(writer, RenderOpcode.selectScene, 4, 0, flags);
  }

  #send(world: AddedWorld, scene: Scene): void {
    this.#select(world, scene);
    world.sendUpdates();
  }

  /** Selects the world's scene for the commands that follow, and sends the world's part of the frame's header. */
  #select(world: AddedWorld, scene: Scene): void {
    const { writer, timeSeconds, isRunning } = world.updates;
    const at = writer.reserve(RenderOpcode.selectScene, 4);
    const { words } = writer;
    words[at] = scene.id;
    words[at + 1] =
      SceneFlag.frame | (isRunning ? SceneFlag.running : 0) | (world === this.#shown ? SceneFlag.shown : 0);
    writeDouble(words, at + 2, timeSeconds);
    if (scene.isRendererSent) return;
    scene.isRendererSent = true;
    const renderer = RENDERERS.indexOf(this.#host.settings.output.renderer);
    if (renderer > 0) writeWords(writer, RenderOpcode.setRenderer, 1, renderer);
  }

  get isPending(): boolean {
    return this.all.some((world) => world.isPending);
  }

  get arrivals(): number {
    return this.#host.world.arrivals;
  }

  async whenReady(): Promise<void> {
    while (this.isPending) await Promise.all(this.all.map((world) => world.whenReady()));
  }

  /** Bytes of all worlds. The first world counts the shared resources, and the other worlds add their environments. */
  get retainedBytes(): number {
    let bytes = this.#host.world.retainedBytes;
    for (const { updates } of this.#scenes.keys()) bytes += updates.environment?.retainedBytes ?? 0;
    return bytes;
  }

  /** Bytes of the arrays of transforms of all worlds. */
  get arrayBytes(): number {
    return this.all.reduce((bytes, world) => bytes + world.arrayBytes, 0);
  }

  dispose(reason?: FencepostError): void {
    for (const world of this.all) world.dispose(reason);
  }
}
