import { DRAWN_TOPOLOGIES, NO_ID, PrimitiveFlag } from '../../proxy/commands.js';
import { GpuPrimitiveFlag } from '../buffers/gpu-layouts.js';
import { billboardVertices } from '../geometry/billboard-vertices.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import { staticVertices, type VertexPolicy } from '../geometry/vertex-policy.js';
import type { DrawStates } from '../keys/draw-states.js';
import { pipelineKey, vertexPolicyOf } from '../keys/pipeline-key.js';
import { LightStore } from '../lights/light-store.js';
import type { MaterialTable } from '../materials/material-table.js';
import { GpuScene } from './gpu-scene.js';
import { NodeHierarchy } from './node-hierarchy.js';
import { PrimitiveStore } from './primitive-store.js';
import type { SceneDeformers, SceneFeature, SceneLods } from './scene-feature.js';
import { StaleIds } from './stale-ids.js';
import { transformBox } from './transform-box.js';
import { createViewParameters, type ViewParameters } from './view-parameters.js';

const ORIGIN_GRID = 1024;
const ORIGIN_REACH = 2048;
/** Metres: by how much the box is larger of what is always seen. */
const EVERYWHERE = 1e9;

/**
 * The render thread's own scene (SYSTEMS R1): nodes, primitives, lights and the view, in structure-of-arrays
 * form, known to the game only by ids. Commands change it at once and note what is stale; `update` then does, once
 * per frame, what follows from it.
 *
 *   commands ─► nodes ──propagate──► moved nodes ─► primitives on them ─► GPU scene, bounds
 *           └─► stale primitives ──resolve──► draw states, drawable bits
 *
 * World matrices are doubles. What the GPU and culling see is relative to the *render origin*, a point near the
 * camera on a grid of 1024 m, so that a scene a million metres out is as precise as one at zero. The origin moves
 * when the camera is more than 2048 m away from it, and then every primitive is written once.
 */
export class Scene {
  readonly nodes = new NodeHierarchy();
  readonly primitives = new PrimitiveStore();
  readonly lights = new LightStore();
  readonly gpuScene = new GpuScene();
  readonly view = createViewParameters();
  /** All that hear of primitives. */
  readonly features: SceneFeature[] = [];
  /** Where joints or morph targets move, or have moved, some primitive's vertices. */
  deformers: SceneDeformers | undefined;
  /** Where some primitive has several geometries. */
  lods: SceneLods | undefined;
  /** How vertices may be placed, by number: features add theirs, before there is a primitive that it places. */
  readonly vertexPolicies: (VertexPolicy | undefined)[] = [
    staticVertices,
    undefined,
    undefined,
    billboardVertices,
  ];
  /** Further views of the scene, in the order in which they were added. */
  readonly addedViews: ViewParameters[] = [];
  /** Metres, world space. */
  readonly renderOrigin = new Float64Array(3);
  /** Something drawn got another material since the last update. */
  isRestyled = false;
  /** Rises whenever a draw state or a drawable bit changed. */
  version = 0;
  /** Primitives whose draw state is to be found. */
  readonly #stale = new StaleIds();
  readonly #changedGeometries = new Set<number>();
  readonly #reshapedGeometries = new Set<number>();
  readonly #changedMaterials = new Set<number>();

  readonly #geometries: GeometryStore;
  readonly materials: MaterialTable;
  readonly #drawStates: DrawStates;

  constructor(geometries: GeometryStore, materials: MaterialTable, drawStates: DrawStates) {
    this.#geometries = geometries;
    this.materials = materials;
    this.#drawStates = drawStates;
  }

  /** Returns the vertex policy of primitives with this pipeline key. */
  vertexPolicy(key: number): VertexPolicy {
    return this.vertexPolicies[vertexPolicyOf(key)] as VertexPolicy;
  }

  createNode(node: number, parent: number): void {
    this.nodes.create(node, idOrNone(parent));
  }

  attachNode(node: number, parent: number): void {
    this.nodes.attach(node, idOrNone(parent));
  }

  /** Primitives and lights still on the node no longer show. */
  destroyNode(node: number): void {
    const { firstOnNode } = this.primitives;
    for (let primitive = firstOnNode[node] ?? -1; primitive >= 0; primitive = firstOnNode[node] as number) {
      this.primitives.unlink(primitive);
      this.#stale.add(primitive);
    }
    this.lights.destroyNode(node);
    this.nodes.destroy(node);
  }

  /** @param layers one bit per layer */
  createPrimitive(
    primitive: number,
    node: number,
    geometry: number,
    material: number,
    flags: number,
    layers: number,
  ): void {
    this.primitives.create(primitive, node, geometry, material, flags);
    this.primitives.layers[primitive] = layers;
    for (const feature of this.features) feature.detach(primitive);
    this.gpuScene.reserve(this.primitives.length);
    this.#stale.add(primitive);
  }

  /** Sets the geometry that a primitive is drawn from. @param geometry −1: nothing */
  setGeometry(primitive: number, geometry: number): void {
    if (this.primitives.geometry[primitive] === geometry) return;
    this.primitives.geometry[primitive] = geometry;
    this.#stale.add(primitive);
  }

  /** 6 floats per geometry, local: centre xyz, half extents xyz. */
  get geometryBounds(): Float32Array {
    return this.#geometries.bounds;
  }

  updatePrimitive(primitive: number, material: number, flags: number, layers: number): void {
    if (!this.primitives.has(primitive)) return;
    if (material !== this.primitives.material[primitive]) this.restyled();
    this.primitives.material[primitive] = material;
    this.primitives.flags[primitive] = flags;
    this.primitives.layers[primitive] = layers;
    this.#stale.add(primitive);
  }

  destroyPrimitive(primitive: number): void {
    if (!this.primitives.has(primitive)) return;
    for (const feature of this.features) feature.detach(primitive);
    this.primitives.destroy(primitive);
    this.#releaseState(primitive);
    this.version++;
  }

  /** Its vertices have taken another shape: its bounds are others. */
  reshaped(primitive: number): void {
    if (!this.#stale.has(primitive) && this.#isPlaced(primitive)) this.#place(primitive);
  }

  /** Joints or morph targets move its vertices from now on, or no longer do. */
  primitiveChanged(primitive: number): void {
    this.#stale.add(primitive);
  }

  /** How far its material moves its vertices at most, in the space of its node. */
  displacement(primitive: number): number {
    return this.materials.shaders?.displacement(this.primitives.material[primitive] as number) ?? 0;
  }

  setMirrored(primitive: number, isMirrored: boolean): void {
    const { primitives } = this;
    if ((primitives.isMirrored[primitive] === 1) === isMirrored) return;
    primitives.isMirrored[primitive] = isMirrored ? 1 : 0;
    this.#stale.add(primitive);
  }

  /** The primitives that use the geometry get their draw state and bounds anew. */
  geometryChanged(geometry: number): void {
    this.#changedGeometries.add(geometry);
  }

  /** Its vertices are elsewhere, and so is its box: the primitives that use it get other bounds. */
  geometryReshaped(geometry: number): void {
    this.#reshapedGeometries.add(geometry);
  }

  materialChanged(material: number): void {
    this.#changedMaterials.add(material);
  }

  /** A material is another one under the primitives that have it: what was drawn may need a new pipeline. */
  restyled(): void {
    this.isRestyled = this.#drawStates.count > 0;
  }

  /** True when there is something to look from. */
  get hasView(): boolean {
    return this.canLookFrom(this.view);
  }

  canLookFrom({ node }: ViewParameters): boolean {
    return node >= 0 && this.nodes.has(node);
  }

  /** Per frame, after geometry and materials were uploaded. */
  update(): void {
    this.isRestyled = false;
    this.nodes.propagate();
    this.lods?.update(this.#firstView);
    this.#collectUsers();
    if (this.#moveOrigin()) {
      const { length } = this.primitives;
      for (let primitive = 0; primitive < length; primitive++) {
        if (this.#isPlaced(primitive)) this.#place(primitive);
      }
    } else this.#placeMoved();
    this.#resolveStale();
    if (this.deformers) {
      this.deformers.update();
      this.#resolveStale();
    }
  }

  /** Per moved primitive. */
  #placeMoved(): void {
    const { movedNodes, movedCount } = this.nodes;
    const { firstOnNode, nextOnNode } = this.primitives;
    for (let index = 0; index < movedCount; index++) {
      const node = movedNodes[index] as number;
      if (node >= firstOnNode.length) continue;
      let primitive = firstOnNode[node] as number;
      while (primitive >= 0) {
        // Stale primitives are placed when they are resolved.
        if (!this.#stale.has(primitive)) this.#place(primitive);
        primitive = nextOnNode[primitive] as number;
      }
    }
  }

  /** Writes a primitive's bounds from its node, and notes that its transform is another one. Per moved primitive. */
  #place(primitive: number): void {
    const { primitives, renderOrigin } = this;
    const geometries = this.#geometries;
    const { world } = this.nodes;
    const matrix = (primitives.node[primitive] as number) * 12;
    primitives.markChanged(primitive);
    if (this.deformers?.places(primitive)) return;

    const morphedBox = this.deformers?.morphedBox(primitive);
    const geometry = primitives.geometry[primitive] as number;
    const isMirrored = transformBox(
      world,
      matrix,
      morphedBox ?? geometries.bounds,
      morphedBox ? 0 : geometry * 6,
      primitives.bounds,
      primitive * 6,
      renderOrigin,
      (primitives.flags[primitive] as number) & PrimitiveFlag.alwaysSeen
        ? EVERYWHERE
        : billboardVertices.reach(geometries, geometry, world, matrix),
      this.displacement(primitive),
    );
    this.setMirrored(primitive, isMirrored);
  }

  /** Per word of primitives that a pass sees: what has moved since a pass saw it is written for the GPU. */
  writeSeen(word: number, seen: number): void {
    const { movedBits, node } = this.primitives;
    let rest = (movedBits[word] as number) & seen;
    movedBits[word] = (movedBits[word] as number) & ~seen;
    for (; rest !== 0; rest &= rest - 1) {
      const primitive = (word << 5) + 31 - Math.clz32(rest & -rest);
      this.gpuScene.setTransform(
        primitive,
        this.nodes.world,
        (node[primitive] as number) * 12,
        this.renderOrigin,
      );
    }
  }

  /** Primitives of changed geometry or materials are stale. */
  #collectUsers(): void {
    const { primitives } = this;
    const changedGeometries = this.#changedGeometries;
    const changedMaterials = this.#changedMaterials;
    const reshapedGeometries = this.#reshapedGeometries;
    if (changedGeometries.size + changedMaterials.size + reshapedGeometries.size === 0) return;
    for (let primitive = 0; primitive < primitives.length; primitive++) {
      const geometry = primitives.geometry[primitive] as number;
      if (changedGeometries.has(geometry) || changedMaterials.has(primitives.material[primitive] as number)) {
        if (primitives.has(primitive)) this.#stale.add(primitive);
      } else if (reshapedGeometries.has(geometry) && primitives.has(primitive)) this.reshaped(primitive);
    }
    changedGeometries.clear();
    changedMaterials.clear();
    reshapedGeometries.clear();
  }

  /** Finds the draw state of every stale primitive. */
  #resolveStale(): void {
    if (this.#stale.count === 0) return;
    this.version++;
    this.#stale.takeAll(this.#resolve);
  }

  /** Per changed primitive. */
  readonly #resolve = (primitive: number): void => {
    if (!this.primitives.has(primitive)) return;
    const { primitives } = this;
    const geometries = this.#geometries;
    const materials = this.materials;
    const geometry = primitives.geometry[primitive] as number;
    const material = primitives.material[primitive] as number;
    const isComplete = this.#isPlaced(primitive) && geometries.has(geometry) && materials.has(material);
    const before = primitives.drawState[primitive] as number;
    if (!isComplete) {
      primitives.setDrawable(primitive, false, false, false);
      this.#releaseState(primitive);
      return;
    }
    this.#place(primitive);
    const textureSet = materials.textureSet[material] as number;
    const isMirrored = primitives.isMirrored[primitive] as number;
    const vertexFormat = geometries.vertexFormat[geometry] as number;
    const topology = geometries.topology[geometry] as number;
    let vertices = 0;
    for (const policy of this.vertexPolicies) {
      if (policy?.places(primitive, vertexFormat, DRAWN_TOPOLOGIES[topology])) vertices = policy.number;
    }
    const solid = pipelineKey(
      vertexFormat,
      topology,
      vertices,
      isMirrored,
      materials.state[material] as number,
    );
    const key = this.lods?.keyOf(primitive, solid, this.#drawStates) ?? solid;
    primitives.drawState[primitive] = this.#drawStates.acquire(key, textureSet, geometry);
    if (before >= 0) this.#drawStates.release(before);
    const isBlended = materials.states.isBlended(key);
    const primitiveFlags = primitives.flags[primitive] as number;
    const receivesShadow = (primitiveFlags & PrimitiveFlag.receivesNoShadow) === 0;
    primitives.isBlended[primitive] = isBlended ? 1 : 0;
    primitives.setDrawable(
      primitive,
      (primitiveFlags & PrimitiveFlag.visible) !== 0,
      // A blended surface lets light through, and a depth map can't hold how much.
      (primitiveFlags & PrimitiveFlag.castsNoShadow) === 0 && !isBlended,
      receivesShadow,
    );
    this.gpuScene.setMaterialAndFlags(
      primitive,
      material,
      isMirrored |
        (primitiveFlags & (GpuPrimitiveFlag.receivesNoShadow | GpuPrimitiveFlag.colored)) |
        (this.lods?.fadeOf(primitive) ?? 0),
    );
  };

  #releaseState(primitive: number): void {
    const state = this.primitives.drawState[primitive] as number;
    if (state >= 0) this.#drawStates.release(state);
    this.primitives.drawState[primitive] = -1;
  }

  /** True when the primitive hangs on a node that exists. */
  #isPlaced(primitive: number): boolean {
    const node = this.primitives.node[primitive] as number;
    return node >= 0 && this.nodes.has(node);
  }

  /** The active camera's; where there is none, the first of the others. */
  get #firstView(): ViewParameters | undefined {
    return this.hasView ? this.view : this.addedViews.find((each) => this.canLookFrom(each));
  }

  /** Moves the render origin after the camera when that has gone far. */
  #moveOrigin(): boolean {
    const view = this.#firstView;
    if (!view) return false;
    const { renderOrigin, nodes } = this;
    const matrix = view.node * 12;
    let isFar = false;
    for (let axis = 0; axis < 3; axis++) {
      const distance = (nodes.world[matrix + axis * 4 + 3] as number) - (renderOrigin[axis] as number);
      if (Math.abs(distance) > ORIGIN_REACH) isFar = true;
    }
    if (!isFar) return false;
    for (let axis = 0; axis < 3; axis++) {
      const position = nodes.world[matrix + axis * 4 + 3] as number;
      renderOrigin[axis] = Math.round(position / ORIGIN_GRID) * ORIGIN_GRID;
    }
    return true;
  }
}

function idOrNone(id: number): number {
  return id === NO_ID ? -1 : id;
}
