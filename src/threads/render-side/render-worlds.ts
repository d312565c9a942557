import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import {
  type RenderCommandName,
  RenderFrameFlag,
  RenderOpcode,
  renderStream,
  SceneFlag,
} from '../../proxy/commands.js';
import { MATERIAL_STATE_RANGE } from '../../render/keys/pipeline-key.js';
import type { MaterialTable } from '../../render/materials/material-table.js';
import type { Renderer } from '../../render/renderer.js';
import type { WorldRenderer } from '../../render/world-renderer.js';
import type { FrameHeader } from './render-thread.js';
import type { FeatureHost } from './world-feature.js';
import { WorldFeatures } from './world-features.js';

/** The worlds that execute a command. */
enum Target {
  /** The world that `selectScene` named last. */
  selected,
  /** The first world: it holds geometry, materials and textures, which all share. */
  shared,
  /** Each world. */
  every,
}

/** Commands for others than the selected world. */
const TARGETS: Readonly<Partial<Record<RenderCommandName, Target>>> = {
  surfaceSize: Target.shared,
  sceneSettings: Target.shared,
  setToneCurve: Target.shared,
  setEffect: Target.shared,
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
  // The world whose views include it.
  removeAddedView: Target.every,
  readView: Target.shared,
  setCanvas: Target.shared,
  callModule: Target.shared,
  setRenderer: Target.every,
};
const targetOf = Uint8Array.from(renderStream.names, (name) => TARGETS[name] ?? Target.selected);

/** A world, and the features at work in it. */
interface RoutedWorld {
  readonly world: WorldRenderer;
  readonly features: WorldFeatures;
  /** The frame as the world's features see it: with the world's own time. The first world's is the frame's. */
  readonly header: FrameHeader;
  flags: number;
  /** Scene time of the world, and of the frame that brought it. */
  timeSeconds: number;
  frameSeconds: number;
}

/**
 * The worlds of one render thread (SYSTEMS G1); most pages have one. Every command of the game comes through here:
 *
 *   selectScene 2 │ createNode 7 │ setMaterial 3 │ selectScene 0 │ createNode 7
 *                        │              │                               └─► world 0 and its features
 *                        │              └─► world 0, which holds shared resources; the others are told of the change
 *                        └─► world 2 and its features
 *
 * Each world has features of its own, so that the environment, shadows or motion of one leave the others alone.
 */
export class RenderWorlds {
  readonly #renderer: Renderer;
  readonly #host: Pick<FeatureHost, 'isIdle' | 'recordAgain'>;
  readonly #first: RoutedWorld;
  /** By scene; a destroyed one leaves `undefined`. */
  readonly #worlds: (RoutedWorld | undefined)[];
  #selected: RoutedWorld;

  constructor(renderer: Renderer, host: Pick<FeatureHost, 'isIdle' | 'recordAgain'>) {
    this.#renderer = renderer;
    this.#host = host;
    const header: FrameHeader = { frame: 0, flags: 0, deltaSeconds: 0, timeSeconds: 0 };
    this.#first = {
      world: renderer.world,
      features: new WorldFeatures({ renderer, world: renderer.world, ...host }),
      header,
      flags: 0,
      timeSeconds: 0,
      frameSeconds: 0,
    };
    this.#worlds = [this.#first];
    this.#selected = this.#first;
  }

  /** Features of the first world, to which control calls attach further ones. */
  get features(): WorldFeatures {
    return this.#first.features;
  }

  /** Per command: executes the reader's current record. @throws ThreadError `render-opcode-unknown` */
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

  /** Per game frame, before it is recorded. */
  beginFrame(frame: FrameHeader): void {
    const first = this.#first;
    // While paused, its time stands still in further lists as well.
    first.world.timeSeconds = frame.flags & RenderFrameFlag.running ? undefined : frame.timeSeconds;
    first.features.beginFrame(frame);
    for (const routed of this.#worlds) {
      if (!routed || routed === first) continue;
      const { world, features, header, flags, timeSeconds } = routed;
      world.features.passes = first.world.features.passes;
      header.frame = frame.frame;
      header.deltaSeconds = frame.deltaSeconds;
      header.timeSeconds = timeSeconds;
      const isRunning = (flags & SceneFlag.running) !== 0;
      header.flags = (frame.flags & ~RenderFrameFlag.running) | (isRunning ? RenderFrameFlag.running : 0);
      features.beginFrame(header);
    }
  }

  /** Per list, before it is recorded. */
  beginList(frame: FrameHeader): void {
    const first = this.#first;
    first.features.beginList(frame);
    for (const routed of this.#worlds) {
      if (!routed || routed === first) continue;
      const { world, features, header, flags } = routed;
      const late = flags & SceneFlag.running ? frame.timeSeconds - routed.frameSeconds : 0;
      world.timeSeconds = routed.timeSeconds + late;
      features.beginList(header);
    }
  }

  /** Per list, at its end. */
  endList(): void {
    const first = this.#first;
    const { stats } = first.world.sceneRenderer;
    first.features.endList();
    for (const routed of this.#worlds) {
      if (!routed || routed === first) continue;
      stats.primitives += routed.world.sceneRenderer.stats.primitives;
      stats.visible += routed.world.sceneRenderer.stats.visible;
      routed.features.endList();
    }
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
      // Without it, the picture would be empty until the world's pipelines exist.
      world.scene.isRestyled = true;
    }
    if (selected === this.#first || !(flags & SceneFlag.frame)) return;
    selected.flags = flags;
    selected.timeSeconds = readDouble(words, at + 2);
    selected.frameSeconds = frame.timeSeconds;
  }

  #executeIn({ world, features }: RoutedWorld, reader: StreamReader, frame: FrameHeader): void {
    if (features.execute(reader, frame)) return;
    if (world === this.#renderer.world) this.#renderer.execute(reader);
    else world.commands.execute(reader);
  }

  #executeShared(reader: StreamReader, frame: FrameHeader): void {
    if (this.#worlds.length === 1) {
      this.#executeIn(this.#first, reader, frame);
      return;
    }
    const { opcode, words, fields: at } = reader;
    const { materials } = this.#renderer;
    const id = words[at] as number;
    const isMaterial = opcode === RenderOpcode.setMaterial || opcode === RenderOpcode.destroyMaterial;
    const before = isMaterial ? drawStateOf(materials, id) : 0;
    this.#executeIn(this.#first, reader, frame);
    for (const routed of this.#worlds) {
      if (!routed || routed === this.#first) continue;
      const { scene } = routed.world;
      if (isMaterial) {
        if (before === drawStateOf(materials, id)) continue;
        scene.materialChanged(id);
        if (before >= 0) scene.restyled();
      } else if (opcode === RenderOpcode.updateGeometry) scene.geometryReshaped(id);
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
    const host = this.#host;
    const world = renderer.createWorld(`, world ${scene}`);
    const features = new WorldFeatures({
      renderer,
      world,
      // A world in no view needs no further lists.
      isIdle: () => world.drawn.length > 0 && host.isIdle(),
      recordAgain: (timeSeconds) => host.recordAgain(routed.frameSeconds + timeSeconds - routed.timeSeconds),
    });
    const header: FrameHeader = { frame: 0, flags: 0, deltaSeconds: 0, timeSeconds: 0 };
    const routed: RoutedWorld = { world, features, header, flags: 0, timeSeconds: 0, frameSeconds: 0 };
    this.#worlds[scene] = routed;
    renderer.worlds.push(world);
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

/** The material's share of the draw state of its primitives, as one number; −1 where it does not exist. */
function drawStateOf(materials: MaterialTable, id: number): number {
  if (!materials.has(id)) return -1;
  return (materials.textureSet[id] as number) * MATERIAL_STATE_RANGE + (materials.state[id] as number);
}
