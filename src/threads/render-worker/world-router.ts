import { readDouble } from '../../core/double-words.js';
import type { StreamReader } from '../../core/stream.js';
import {
  type RenderCommandName,
  RenderFrameFlag,
  RenderOpcode,
  renderStream,
  SceneFlag,
} from '../../proxy/commands.js';
import type { MaterialTable } from '../../render/material-table.js';
import { FACING_VERTICES } from '../../render/vertex-policy.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';
import type { RenderParts } from './render-parts.js';
import type { FrameHeader } from './render-thread.js';

/** Whom a command concerns. */
enum Target {
  /** The selected world. */
  selected,
  /** The first one, which holds what all share. */
  shared,
  /** Each. */
  every,
}

/** Where it is not the selected world. */
const TARGETS: Readonly<Partial<Record<RenderCommandName, Target>>> = {
  surfaceSize: Target.shared,
  sceneSettings: Target.shared,
  setToneCurve: Target.shared,
  createGeometry: Target.shared,
  updateGeometry: Target.shared,
  destroyGeometry: Target.shared,
  setMorphTargets: Target.shared,
  createTexture: Target.shared,
  updateTexture: Target.shared,
  createRenderTexture: Target.shared,
  destroyTexture: Target.shared,
  setMaterialShader: Target.shared,
  sortBlended: Target.shared,
  setMaterial: Target.shared,
  destroyMaterial: Target.shared,
  drawFacing: Target.shared,
  // By whichever world's part knows the view.
  removeAddedView: Target.every,
  readView: Target.shared,
  setCanvas: Target.shared,
  callModule: Target.shared,
  setRenderer: Target.every,
};
const targetOf = Uint8Array.from(renderStream.names, (name) => TARGETS[name] ?? Target.selected);

/** A world, and the parts that are at work in it. */
interface RoutedWorld {
  readonly world: WorldRenderer;
  readonly parts: RenderParts;
  /** As its parts hear of a frame: with the world's own time. */
  readonly header: FrameHeader;
  flags: number;
  /** Scene time: of the world, and of the frame that said so. */
  timeSeconds: number;
  frameSeconds: number;
}

/**
 * Several worlds on one render thread (SYSTEMS G1). From the first `selectScene` on every command comes through here:
 *
 *   selectScene 2 │ createNode 7 │ setMaterial 3 │ selectScene 0 │ createNode 7
 *                        │              │                               └─► world 0 and its parts
 *                        │              └─► world 0, which holds what all share; the others hear that it has changed
 *                        └─► world 2 and its parts
 *
 * Each world has parts of its own, so that lights from all around, shadows or motion of one are nothing to another.
 */
export class WorldRouter implements RenderPart {
  readonly #host: RenderPartHost;
  /** By scene. The first one's parts are the thread's. */
  readonly #worlds: (RoutedWorld | undefined)[] = [undefined];
  /** null: the first. */
  #selected: RoutedWorld | null = null;

  constructor(host: RenderPartHost) {
    this.#host = host;
    host.thread.execute = (reader, frame) => this.#route(reader, frame);
  }

  /** Only what selects a scene is a command of the part. */
  execute(reader: StreamReader, frame: FrameHeader): void {
    const { words, fields: at } = reader;
    const { renderer } = this.#host;
    const scene = words[at] as number;
    const flags = words[at + 1] as number;
    if (flags & SceneFlag.destroyed) {
      this.#destroy(scene);
      return;
    }
    this.#selected = scene === 0 ? null : (this.#worlds[scene] ?? this.#create(scene));
    const world = this.#selected?.world ?? renderer.world;
    if (flags & SceneFlag.shown && renderer.shownWorld !== world) {
      renderer.shownWorld = world;
      // What is on screen would vanish where its pipelines are not there yet.
      world.scene.isRestyled = true;
    }
    if (!this.#selected || !(flags & SceneFlag.frame)) return;
    this.#selected.flags = flags;
    this.#selected.timeSeconds = readDouble(words, at + 2);
    this.#selected.frameSeconds = frame.timeSeconds;
  }

  /** Per game frame. */
  beginFrame(frame: FrameHeader): void {
    const { scene, features, world: first } = this.#host.renderer;
    // Paused, its time stands still also in further lists.
    first.timeSeconds = frame.flags & RenderFrameFlag.running ? undefined : frame.timeSeconds;
    for (const routed of this.#worlds) {
      if (!routed) continue;
      const { world, parts, header, flags, timeSeconds } = routed;
      // Their code is in parts of the first world.
      world.scene.primitives.createBlendedOrder = scene.primitives.createBlendedOrder;
      world.scene.vertexPolicies[FACING_VERTICES] = scene.vertexPolicies[FACING_VERTICES];
      world.features.passes = features.passes;
      header.frame = frame.frame;
      header.deltaSeconds = frame.deltaSeconds;
      header.timeSeconds = timeSeconds;
      const isRunning = (flags & SceneFlag.running) !== 0;
      header.flags = (frame.flags & ~RenderFrameFlag.running) | (isRunning ? RenderFrameFlag.running : 0);
      parts.beginFrame(header);
    }
  }

  /** Per list. */
  beginList({ timeSeconds }: FrameHeader): void {
    for (const routed of this.#worlds) {
      if (!routed) continue;
      const { world, parts, header, flags } = routed;
      const late = flags & SceneFlag.running ? timeSeconds - routed.frameSeconds : 0;
      world.timeSeconds = routed.timeSeconds + late;
      parts.beginList(header);
    }
  }

  /** Per list. */
  endList(): void {
    const { stats } = this.#host.renderer.world.sceneRenderer;
    for (const routed of this.#worlds) {
      if (!routed) continue;
      stats.primitives += routed.world.sceneRenderer.stats.primitives;
      stats.visible += routed.world.sceneRenderer.stats.visible;
      routed.parts.endList();
    }
  }

  stop(): void {
    for (const routed of this.#worlds) routed?.parts.stop();
  }

  /** Per command. */
  #route(reader: StreamReader, frame: FrameHeader): Promise<void> | null {
    const { opcode } = reader;
    const target = targetOf[opcode] as Target;
    if (opcode === RenderOpcode.selectScene) this.execute(reader, frame);
    else if (target === Target.shared) return this.#executeShared(reader, frame);
    else if (target === Target.every) return this.#executeInEach(reader, frame);
    else return this.#executeIn(this.#selected, reader, frame);
    return null;
  }

  /** @param routed null: the first */
  #executeIn(routed: RoutedWorld | null, reader: StreamReader, frame: FrameHeader): Promise<void> | null {
    const { renderer, thread } = this.#host;
    const { parts } = routed ?? thread;
    if (parts.has(reader.opcode)) return parts.execute(reader, frame);
    if (routed) routed.world.commands.execute(reader);
    else renderer.execute(reader);
    return null;
  }

  /** A world whose part has to be loaded holds the stream; then all of them execute it once more, which changes nothing. */
  #executeInEach(reader: StreamReader, frame: FrameHeader): Promise<void> | null {
    for (const routed of this.#worlds) {
      const held = this.#executeIn(routed ?? null, reader, frame);
      if (held) return held;
    }
    return null;
  }

  #executeShared(reader: StreamReader, frame: FrameHeader): Promise<void> | null {
    const { opcode, words, fields: at } = reader;
    const { materials } = this.#host.renderer;
    const id = words[at] as number;
    const isMaterial = opcode === RenderOpcode.setMaterial || opcode === RenderOpcode.destroyMaterial;
    const before = isMaterial ? looksOf(materials, id) : 0;
    const held = this.#executeIn(null, reader, frame);
    if (held) return held;
    for (const routed of this.#worlds) {
      if (!routed) continue;
      const { scene } = routed.world;
      if (isMaterial) {
        if (before === looksOf(materials, id)) continue;
        scene.materialChanged(id);
        if (before >= 0) scene.restyled();
      } else if (opcode === RenderOpcode.updateGeometry) scene.geometryReshaped(id);
      else if (opcode === RenderOpcode.destroyGeometry) this.#geometryIsOther(scene, id);
      else if (opcode === RenderOpcode.createGeometry) this.#geometryIsOther(scene, words[at + 1] as number);
    }
    return null;
  }

  #geometryIsOther(scene: WorldRenderer['scene'], geometry: number): void {
    scene.deformers?.destroyGeometry(geometry);
    scene.geometryChanged(geometry);
  }

  #create(scene: number): RoutedWorld {
    const host = this.#host;
    const { renderer, thread } = host;
    const world = renderer.createWorld(`, world ${scene}`);
    const header: FrameHeader = { frame: 0, flags: 0, deltaSeconds: 0, timeSeconds: 0 };
    const parts = thread.createParts({
      ...host,
      world,
      // A world that nobody sees needs no further lists.
      isIdle: () => world.drawn.length > 0 && host.isIdle(),
      recordAgain: (timeSeconds) => host.recordAgain(routed.frameSeconds + timeSeconds - routed.timeSeconds),
    });
    const routed: RoutedWorld = { world, parts, header, flags: 0, timeSeconds: 0, frameSeconds: 0 };
    this.#worlds[scene] = routed;
    renderer.worlds.push(world);
    return routed;
  }

  #destroy(scene: number): void {
    const routed = this.#worlds[scene];
    this.#selected = null;
    if (!routed) return;
    this.#worlds[scene] = undefined;
    const { renderer } = this.#host;
    renderer.worlds.splice(renderer.worlds.indexOf(routed.world), 1);
    if (renderer.shownWorld === routed.world) renderer.shownWorld = renderer.world;
    routed.parts.stop();
    routed.world.dispose();
  }
}

/** What of a material decides how its primitives are drawn, as one number; −1: there is none. */
function looksOf(materials: MaterialTable, id: number): number {
  if (!materials.has(id)) return -1;
  const bits = (materials.flags[id] as number) * 2 + (materials.isNormalMapped[id] as number);
  return ((materials.textureSet[id] as number) * 2 ** 16 + (materials.shader[id] as number)) * 2 ** 9 + bits;
}
