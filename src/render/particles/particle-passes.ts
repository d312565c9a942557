import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { ParticleFlag } from '../../proxy/particles.js';
import type { BindGroupHandle, GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { MaterialTable } from '../materials/material-table.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewParticles } from '../views/view-drawers.js';
import { Collision } from './gpu-particles.js';
import type { KeptDepth } from './kept-depth.js';
import { ParticleOrder } from './particle-order.js';
import { depthGroup, type ParticlePipelines } from './particle-pipelines.js';
import type { ParticleSystem } from './particle-system.js';
import { DepthBinding } from './scene-depth.js';

/** Threads of a workgroup of the simulation. */
const WORKGROUP = 64;

/** Simulates all systems of a world, before its views are drawn. */
export class SimulationPass implements GraphPass {
  readonly kind = 'compute';
  readonly name: string;
  readonly #systems: readonly ParticleSystem[];
  readonly #pipelines: ParticlePipelines;
  /** Depth of the last frame, if it is valid. Set per frame. */
  depth: KeptDepth | undefined;

  constructor(systems: readonly ParticleSystem[], pipelines: ParticlePipelines, suffix: string) {
    this.#systems = systems;
    this.#pipelines = pipelines;
    this.name = `particles${suffix}`;
  }

  get isIdle(): boolean {
    for (const { simulated } of this.#systems) if (simulated > 0) return false;
    return true;
  }

  setup(builder: PassBuilder): void {
    for (const system of this.#systems) system.version = builder.modify(system.version, 'storage');
    if (this.depth) builder.read(this.depth.version, 'sampled');
  }

  execute({ rhi }: PassContext): void {
    const { depth } = this;
    for (const { simulated, simulation, collision } of this.#systems) {
      if (simulated === 0) continue;
      const isBouncing = depth !== undefined && collision === Collision.surfaces;
      const pipelines = this.#pipelines;
      rhi.setComputePipeline(
        isBouncing ? pipelines.collisions().simulation : pipelines.simulation(collision),
      );
      rhi.setBindGroup(0, simulation);
      if (isBouncing) rhi.setBindGroup(1, depth.reading);
      rhi.dispatch(Math.ceil(simulated / WORKGROUP));
    }
  }
}

/** Sorts the sorted systems of a view. */
class SortPass implements GraphPass {
  readonly kind = 'compute';
  readonly name: string;
  readonly orders: ParticleOrder[] = [];

  constructor(name: string) {
    this.name = name;
  }

  setup(builder: PassBuilder): void {
    for (const order of this.orders) {
      builder.read(order.system.version, 'storage');
      order.version = builder.modify(order.version, 'storage');
    }
  }

  execute(): void {
    for (const order of this.orders) order.record();
  }
}

const READ_ONLY = { readOnly: true };

/** Draws particle systems over a view's scene: the systems behind glass, or all other systems. */
class DrawingPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** Runs before the pass, if a system is sorted. */
  readonly sort: SortPass;
  /** Systems that the pass draws in this frame. */
  readonly systems: ParticleSystem[] = [];
  readonly #pipelineOf: (system: ParticleSystem) => GraphicsPipelineHandle | undefined;
  readonly #state: SceneViewState;
  readonly #materials: MaterialTable;
  readonly #orders: ReadonlyMap<ParticleSystem, ParticleOrder>;
  readonly #pipelines: ParticlePipelines;
  readonly #depth: DepthBinding;
  /** Depth of the scene in this frame. Undefined if no system is soft. */
  #sceneDepth: GraphTexture | undefined;

  constructor(
    rhi: ImmediateContext,
    pipelines: ParticlePipelines,
    state: SceneViewState,
    materials: MaterialTable,
    orders: ReadonlyMap<ParticleSystem, ParticleOrder>,
    name: string,
    pipelineOf: (system: ParticleSystem) => GraphicsPipelineHandle | undefined,
  ) {
    this.#state = state;
    this.#materials = materials;
    this.#orders = orders;
    this.#pipelineOf = pipelineOf;
    this.#pipelines = pipelines;
    this.#depth = new DepthBinding(rhi);
    this.name = `${name}${state.suffix}`;
    this.sort = new SortPass(`order of ${this.name}`);
  }

  setup(builder: PassBuilder): void {
    const { targets } = this.#state;
    this.#state.declareReads(builder);
    let isSoft = false;
    for (const system of this.systems) {
      isSoft ||= system.isSoft;
      builder.read(system.version, 'storage');
      const order = this.#orders.get(system);
      if (order) builder.read(order.version, 'storage');
    }
    targets.attachColors(builder);
    builder.depth(targets.depth, READ_ONLY);
    this.#sceneDepth = isSoft ? targets.depth : undefined;
    if (isSoft) builder.read(targets.depth, 'sampled');
  }

  prepare(context: PassContext): void {
    this.#state.bind(context);
    if (this.#sceneDepth === undefined) return;
    const layout = this.#pipelines.depthLayout(this.#state.targets.format);
    this.#depth.update(layout, context.texture(this.#sceneDepth));
  }

  execute(context: PassContext): void {
    const { rhi } = context;
    const { textures, textureSet } = this.#materials;
    for (const system of this.systems) {
      const pipeline = this.#pipelineOf(system);
      const { count } = system.births;
      if (pipeline === undefined || count === 0) continue;
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(0, this.#state.bindGroup(context));
      rhi.setBindGroup(1, this.#orders.get(system)?.drawing ?? system.drawing);
      const set = textureSet[system.material] as number;
      if (set > 0 && textures) rhi.setBindGroup(2, textures.sets.bindGroup(set));
      if (system.isSoft) {
        rhi.setBindGroup(depthGroup(system.isTextured), this.#depth.group as BindGroupHandle);
      }
      rhi.draw(6, count);
    }
  }

  dispose(): void {
    this.#depth.dispose();
  }
}

/** The passes of one view. */
export class ParticlePasses implements ViewParticles {
  readonly #systems: readonly ParticleSystem[];
  readonly #pipelines: ParticlePipelines;
  readonly #materials: MaterialTable;
  readonly #state: SceneViewState;
  /** Orders of all sorted systems of the world, for this view. */
  readonly #orders = new Map<ParticleSystem, ParticleOrder>();
  readonly #rhi: ImmediateContext;
  readonly #behind: DrawingPass;
  readonly #front: DrawingPass;
  /** Keeps the depth of the view's scene in this frame. */
  #keptDepth: GraphPass | undefined;

  constructor(
    rhi: ImmediateContext,
    state: SceneViewState,
    systems: readonly ParticleSystem[],
    materials: MaterialTable,
    pipelines: ParticlePipelines,
  ) {
    this.#rhi = rhi;
    this.#state = state;
    this.#systems = systems;
    this.#materials = materials;
    this.#pipelines = pipelines;
    const draw = (name: string) =>
      new DrawingPass(rhi, pipelines, state, materials, this.#orders, name, this.#pipelineOf);
    this.#behind = draw('particles behind glass');
    this.#front = draw('particles in front');
  }

  /** Per frame, outside passes, after `ParticleSystem.prepare`: creates missing pipelines, and prepares sorts. */
  prepare(keptDepth: GraphPass | undefined): void {
    this.#keptDepth = keptDepth;
    const orders = this.#orders;
    for (const order of orders.values()) if (order.system.isDisposed) this.#remove(order);
    for (const system of this.#systems) {
      this.#pipelineOf(system);
      if (!system.isSorted) continue;
      let order = orders.get(system);
      if (!order) {
        order = new ParticleOrder(this.#rhi, system, this.#pipelines, this.#state.suffix);
        orders.set(system, order);
      }
      order.prepare(this.#state.view);
    }
  }

  dispose(): void {
    for (const order of this.#orders.values()) this.#remove(order);
    this.#behind.dispose();
    this.#front.dispose();
  }

  #remove(order: ParticleOrder): void {
    order.dispose();
    this.#orders.delete(order.system);
  }

  addPasses(graph: FrameGraph, isBehindGlass: boolean): void {
    if (this.#keptDepth && !isBehindGlass) graph.addPass(this.#keptDepth);
    const pass = isBehindGlass ? this.#behind : this.#front;
    pass.systems.length = 0;
    for (const system of this.#systems) {
      if (system.isIn(this.#state.layers, isBehindGlass)) pass.systems.push(system);
    }
    if (pass.systems.length === 0) return;
    const { orders } = pass.sort;
    orders.length = 0;
    for (const system of pass.systems) {
      const order = this.#orders.get(system);
      if (!order) continue;
      order.addTo(graph);
      orders.push(order);
    }
    if (orders.length > 0) graph.addPass(pass.sort);
    graph.addPass(pass);
  }

  /** Returns the pipeline of a system; undefined while its texture is missing. */
  readonly #pipelineOf = (system: ParticleSystem): GraphicsPipelineHandle | undefined => {
    const { material, flags, isTextured } = system;
    const { states, state, textureSet, textures } = this.#materials;
    const set = textureSet[material] as number;
    if (isTextured && !(set > 0 && textures)) return undefined;
    const style = this.#style;
    style.format = this.#state.targets.format;
    style.isAdditive = (flags & ParticleFlag.additive) !== 0;
    style.collides = system.collision === Collision.plane;
    style.isSorted = system.isSorted;
    style.isSoft = system.isSoft;
    style.slots = isTextured ? (states.slots[state[material] as number] as number) : 0;
    return this.#pipelines.drawing(style, textures);
  };

  /** The style that is looked up; the object is reused. */
  readonly #style = {
    format: 0,
    isAdditive: false,
    collides: false,
    isSorted: false,
    isSoft: false,
    slots: 0,
  };
}
