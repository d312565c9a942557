import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { ParticleFlag } from '../../proxy/particles.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DisplayColors } from '../keys/display-colors.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { Collision } from './gpu-particles.js';
import { KeptDepth } from './kept-depth.js';
import { ParticlePasses, SimulationPass } from './particle-passes.js';
import { ParticlePipelines } from './particle-pipelines.js';
import { ParticleSystem } from './particle-system.js';

/** The parts of a world that particles use. */
interface ParticleWorld {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly layout: FrameLayout;
  readonly display: DisplayColors;
  /** The view of the active camera. */
  readonly mainView: { readonly state: SceneViewState };
}

/**
 * The particles of a world. A particle is a function of its number, its time of birth and the scene time. So the
 * picture depends neither on the number of frames nor on lost devices. Particles that bounce off surfaces are an exception.
 *
 *   setParticles, emitParticles ─► ParticleSystem ─► simulation (compute) ─► passes of each view, over its scene
 *   depth of the last frame ────────────────────────────┘
 */
export class Particles {
  readonly #world: ParticleWorld;
  readonly #byId = new Map<number, ParticleSystem>();
  /** The systems in the order of their creation, which is the order of drawing. */
  readonly #systems: ParticleSystem[] = [];
  /** Systems that commands have removed since the last frame. */
  readonly #removed: ParticleSystem[] = [];
  #pipelines: ParticlePipelines | undefined;
  #simulation: SimulationPass | undefined;
  /** Depth of the main view, while a visible system bounces off surfaces. */
  #depth: KeptDepth | undefined;
  /** `#depth` in frames that draw the main view. */
  #drawnDepth: KeptDepth | undefined;

  constructor(world: ParticleWorld) {
    this.#world = world;
  }

  /** Whether the next frame must wait for pipelines, because a skipped pass would lose the births of a new system. */
  get isPending(): boolean {
    for (const { isNew } of this.#systems) if (isNew) return true;
    return false;
  }

  /** Per command: executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { opcode, words, fields: at } = reader;
    const id = words[at] as number;
    if (opcode === RenderOpcode.destroyParticles) this.#remove(id);
    else if (opcode === RenderOpcode.setParticles) this.#set(id, reader);
    else {
      this.#byId.get(id)?.births.add({
        start: readDouble(words, at + 1),
        births: readDouble(words, at + 3),
        fraction: readDouble(words, at + 5),
        rate: readDouble(words, at + 7),
        burst: words[at + 9] as number,
      });
    }
  }

  /** Per frame, outside passes: destroys removed systems. */
  record(): void {
    for (const system of this.#removed) system.dispose();
    this.#removed.length = 0;
  }

  /**
   * Per frame in which the world is drawn, outside passes, after the scene's update: computes births.
   * @param seconds scene time
   * @param frame number of the frame
   */
  prepare(views: readonly DrawnView[], seconds: number, frame: number): void {
    const { rhi, scene, layout, display, mainView } = this.#world;
    const systems = this.#systems;
    if (systems.length === 0) {
      this.#forgetDepth();
      return;
    }
    this.#pipelines ??= new ParticlePipelines(rhi, layout, display);
    const pipelines = this.#pipelines;
    this.#simulation ??= new SimulationPass(systems, pipelines, mainView.state.suffix);
    const depth = this.#findDepth(views, pipelines);
    this.#drawnDepth = depth;
    depth?.begin(frame);
    const lastDepth = depth?.isValid ? depth : undefined;
    this.#simulation.depth = lastDepth;
    for (const system of systems) {
      system.prepare(seconds, scene, pipelines, lastDepth);
      pipelines.simulation(system.collision);
    }
    depth?.end(frame);
    for (const { state } of views) {
      state.particles ??= new ParticlePasses(rhi, state, systems, scene.materials, pipelines);
      state.particles.prepare(state === mainView.state ? depth : undefined);
    }
  }

  /** Per frame, after `prepare`: adds the simulation. */
  addPasses(graph: FrameGraph): void {
    if (this.#systems.length === 0 || !this.#simulation) return;
    this.#drawnDepth?.addTo(graph);
    for (const system of this.#systems) system.addTo(graph);
    graph.addPass(this.#simulation);
  }

  dispose(): void {
    this.record();
    for (const system of this.#systems) system.dispose();
    this.#systems.length = 0;
    this.#byId.clear();
    this.#forgetDepth();
    this.#pipelines?.dispose();
  }

  /** Returns the depth that this frame replaces. Undefined if no visible system needs it, or without the main view. */
  #findDepth(views: readonly DrawnView[], pipelines: ParticlePipelines): KeptDepth | undefined {
    const { rhi, mainView } = this.#world;
    const { state } = mainView;
    let isNeeded = false;
    for (const { collision, isVisible } of this.#systems) {
      if (collision !== Collision.surfaces) continue;
      isNeeded ||= isVisible;
      // The first frame of a system waits for its pipelines, so they are created even if the system is invisible.
      pipelines.collisions().keeping(state.targets.sampleCount);
    }
    if (!isNeeded) {
      this.#forgetDepth();
      return undefined;
    }
    for (const view of views) {
      if (view.state !== state) continue;
      this.#depth ??= new KeptDepth(rhi, state, pipelines.collisions());
      return this.#depth;
    }
    return undefined;
  }

  #forgetDepth(): void {
    this.#depth?.dispose();
    this.#depth = this.#drawnDepth = undefined;
  }

  #set(id: number, reader: StreamReader): void {
    const { words, fields: at } = reader;
    let system = this.#byId.get(id);
    if (!system || (words[at + 3] as number) & ParticleFlag.isNew) {
      this.#remove(id);
      const { rhi, mainView } = this.#world;
      const name = `particles ${id}${mainView.state.suffix}`;
      system = new ParticleSystem(rhi, name, words[at + 4] as number, words[at + 5] as number);
      this.#byId.set(id, system);
      this.#systems.push(system);
    }
    system.set(reader);
  }

  #remove(id: number): void {
    const system = this.#byId.get(id);
    if (!system) return;
    this.#removed.push(system);
    this.#byId.delete(id);
    this.#systems.splice(this.#systems.indexOf(system), 1);
  }
}
