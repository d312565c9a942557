import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import {
  type RenderCommandName,
  RenderFrameFlag,
  RenderOpcode,
  renderStream,
  SceneFlag,
} from '../../proxy/commands.js';
import type { Renderer } from '../../render/renderer.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { FrameHeader } from './render-thread.js';
import type { FeatureHost } from './world-feature.js';
import { WorldFeatures } from './world-features.js';

/** The worlds that execute a command. */
enum Target {
  /** The world that `selectScene` named last. */
  selected,
  /** The first world. It owns geometry, materials and textures, which all worlds share. */
  shared,
  /** Every world. */
  every,
}

/** Targets of the commands that are not only for the selected world. */
const TARGETS: Readonly<Partial<Record<RenderCommandName, Target>>> = {
  surfaceSize: Target.shared,
  sceneSettings: Target.shared,
  setEffect: Target.shared,
  setEffectTable: Target.shared,
  setEffectActors: Target.shared,
  createGeometry: Target.shared,
  updateGeometry: Target.shared,
  destroyGeometry: Target.shared,
  setMorphTargets: Target.shared,
  createTexture: Target.shared,
  updateTexture: Target.shared,
  createRenderTexture: Target.shared,
  destroyTexture: Target.shared,
  setMaterialShader: Target.shared,
  setMaterial: Target.shared,
  destroyMaterial: Target.shared,
  // Every world, because any of them may own the view.
  removeAddedView: Target.every,
  readView: Target.shared,
  capturePicture: Target.shared,
  setCanvas: Target.shared,
  callModule: Target.shared,
  setRenderer: Target.every,
};
const targetOf = Uint8Array.from(renderStream.names, (name) => TARGETS[name] ?? Target.selected);

/** A world, and its active features. */
interface RoutedWorld {
  readonly world: WorldRenderer;
  readonly features: WorldFeatures;
  /** The frame as the world's features see it, with the world's own time. */
  readonly header: FrameHeader;
  isRunning: boolean;
  /** Scene time of the world in its last frame. */
  timeSeconds: number;
  /** Scene time of the engine in the world's last frame. */
  frameSeconds: number;
}

/**
 * The worlds of one render thread (SYSTEMS G1). Most pages have one world. This class passes every command of the game
 * to the worlds that execute it:
 *
 *   selectScene 2 │ createNode 7 │ setMaterial 3 │ selectScene 0 │ createNode 7
 *                        │              │                               └─► world 0 and its features
 *                        │              └─► world 0, which owns shared resources; the others follow the change
 *                        └─► world 2 and its features
 *
 * Each world has its own features, so the environment, shadows or motion of one world do not affect the
 * others.
 */
export class RenderWorlds {
  readonly #renderer: Renderer;
  readonly #host: Pick<FeatureHost, 'isIdle' | 'recordAgain'>;
  readonly #first: RoutedWorld;
  /** Worlds by scene number; `undefined` for a destroyed world. */
  readonly #worlds: (RoutedWorld | undefined)[];
  #selected: RoutedWorld;

  /** @param header header of the thread's current frame, which features of the first world read and change */
  constructor(renderer: Renderer, host: Pick<FeatureHost, 'isIdle' | 'recordAgain'>, header: FrameHeader) {
    this.#renderer = renderer;
    this.#host = host;
    this.#first = this.#route(renderer.world, header);
    this.#worlds = [this.#first];
    this.#selected = this.#first;
  }

  /** Features of the first world. Control calls attach further features. */
  get features(): WorldFeatures {
    return this.#first.features;
  }

  /**
   * Executes the reader's current record. Called per command.
   * @throws ThreadError `render-opcode-unknown`, `render-module-missing`
   */
  execute(reader: StreamReader, frame: FrameHeader): void {
    const { opcode } = reader;
    if (opcode === RenderOpcode.selectScene) {
      this.#select(reader, frame);
      return;
    }
    switch (targetOf[opcode]) {
      case Target.shared:
        this.#executeShared(reader, frame);
        break;
      case Target.every:
        for (const routed of this.#worlds) if (routed) this.#executeIn(routed, reader, frame);
        break;
      default:
        this.#executeIn(this.#selected, reader, frame);
    }
  }

  /** Begins a game frame in all worlds. Called per game frame, before it is recorded. */
  beginFrame(frame: FrameHeader): void {
    const { passes } = this.#first.world.features;
    const flags = frame.flags & ~RenderFrameFlag.running;
    // The engine's own world follows the engine's time.
    setTime(this.#first, (frame.flags & RenderFrameFlag.running) !== 0, frame.timeSeconds, frame);
    for (const routed of this.#worlds) {
      if (!routed) continue;
      const { world, features, header, isRunning, timeSeconds } = routed;
      world.features.passes = passes;
      header.frame = frame.frame;
      header.deltaSeconds = frame.deltaSeconds;
      header.timeSeconds = timeSeconds;
      header.flags = isRunning ? flags | RenderFrameFlag.running : flags;
      features.beginFrame(header);
    }
  }

  /**
   * Begins a list in all worlds. Called per list. In further lists of a frame, the time of paused worlds stands still.
   */
  beginList(frame: FrameHeader): void {
    for (const routed of this.#worlds) {
      if (!routed) continue;
      const { world, features, header, isRunning, timeSeconds, frameSeconds } = routed;
      world.timeSeconds = isRunning ? frame.timeSeconds + (timeSeconds - frameSeconds) : timeSeconds;
      features.beginList(header);
    }
  }

  /** Ends a list in all worlds. Called per list. */
  endList(): void {
    for (const routed of this.#worlds) routed?.features.endList();
  }

  stop(): void {
    for (const routed of this.#worlds) routed?.features.stop();
  }

  #select(reader: StreamReader, frame: FrameHeader): void {
    const { words, fields: at } = reader;
    const renderer = this.#renderer;
    const scene = words[at] as number;
    const flags = words[at + 1] as number;
    if (flags & SceneFlag.destroyed) {
      this.#destroy(scene);
      return;
    }
    const selected = this.#worlds[scene] ?? this.#create(scene);
    this.#selected = selected;
    const { world } = selected;
    if (flags & SceneFlag.shown && renderer.shownWorld !== world) {
      renderer.shownWorld = world;
      // The next frame of a restyled scene waits for its pipelines. Otherwise it would be empty.
      world.scene.isRestyled = true;
    }
    if (flags & SceneFlag.frame)
      setTime(selected, (flags & SceneFlag.running) !== 0, readDouble(words, at + 2), frame);
  }

  #executeIn({ world, features }: RoutedWorld, reader: StreamReader, frame: FrameHeader): void {
    if (features.execute(reader, frame)) return;
    if (world === this.#renderer.world) this.#renderer.execute(reader);
    else world.commands.execute(reader);
  }

  /** Executes a command in the first world, and applies a change of geometry to the other worlds. */
  #executeShared(reader: StreamReader, frame: FrameHeader): void {
    const { opcode, words, fields: at } = reader;
    const id = words[at] as number;
    this.#executeIn(this.#first, reader, frame);
    for (const routed of this.#worlds) {
      if (!routed || routed === this.#first) continue;
      const { scene } = routed.world;
      if (opcode === RenderOpcode.updateGeometry) scene.geometryReshaped(id);
      else if (opcode === RenderOpcode.destroyGeometry) this.#geometryReplaced(scene, id);
      else if (opcode === RenderOpcode.createGeometry) this.#geometryReplaced(scene, words[at + 1] as number);
    }
  }

  #geometryReplaced(scene: WorldRenderer['scene'], geometry: number): void {
    scene.deformers?.destroyGeometry(geometry);
    scene.geometryChanged(geometry);
  }

  #create(scene: number): RoutedWorld {
    const renderer = this.#renderer;
    const world = renderer.createWorld(`, world ${scene}`);
    const routed = this.#route(world, { frame: 0, flags: 0, deltaSeconds: 0, timeSeconds: 0 });
    world.scene.number = scene;
    this.#worlds[scene] = routed;
    renderer.worlds.push(world);
    return routed;
  }

  #route(world: WorldRenderer, header: FrameHeader): RoutedWorld {
    const host = this.#host;
    const features = new WorldFeatures({
      renderer: this.#renderer,
      world,
      // A world without a view needs no further lists.
      isIdle: () => world.isDrawn && host.isIdle(),
      recordAgain: (timeSeconds) =>
        host.recordAgain(timeSeconds + (routed.frameSeconds - routed.timeSeconds)),
    });
    const routed: RoutedWorld = {
      world,
      features,
      header,
      isRunning: false,
      timeSeconds: 0,
      frameSeconds: 0,
    };
    return routed;
  }

  #destroy(scene: number): void {
    const routed = this.#worlds[scene];
    this.#selected = this.#first;
    if (!routed) return;
    this.#worlds[scene] = undefined;
    const renderer = this.#renderer;
    renderer.worlds.splice(renderer.worlds.indexOf(routed.world), 1);
    if (renderer.shownWorld === routed.world) renderer.shownWorld = renderer.world;
    routed.features.stop();
    routed.world.dispose();
  }
}

/** Sets the time of a world. Called per frame and world. */
function setTime(routed: RoutedWorld, isRunning: boolean, timeSeconds: number, frame: FrameHeader): void {
  routed.isRunning = isRunning;
  routed.timeSeconds = timeSeconds;
  routed.frameSeconds = frame.timeSeconds;
}
