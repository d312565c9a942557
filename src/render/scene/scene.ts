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
/** Metres added to the box of a primitive that is always drawn. */
const EVERYWHERE = 1e9;

/**
 * The render thread's own scene (SYSTEMS R1): nodes, primitives, lights and the view, in structure-of-arrays
 * form. The game knows these objects only by ids. Commands change the scene at once and mark stale data.
 * `update` then applies the consequences, once per frame.
 *
 *   commands ─► nodes ──propagate──► moved nodes ─► primitives on them ─► GPU scene, bounds
 *           └─► stale primitives ──resolve──► draw states, drawable bits
 *
 * World matrices are doubles. GPU data and bounds are relative to the *render origin*, a point near the camera on a
 * grid of 1024 m. So precision is the same far from the world's origin. If the camera is more than 2048 m away along an
 * axis, the origin moves, and every primitive is written once.
 */
export class Scene {
  readonly nodes = new NodeHierarchy();
  readonly primitives = new PrimitiveStore();
  readonly lights = new LightStore();
  readonly gpuScene = new GpuScene();
  readonly view = createViewParameters();
  /** Features with data per primitive. They are told when a primitive is replaced or destroyed. */
  readonly features: SceneFeature[] = [];
  /** Set once a primitive has joints or morph targets. */
  deformers: SceneDeformers | undefined;
  /** Set once a primitive has several geometries. */
  lods: SceneLods | undefined;
  /** Vertex policies by number. A feature adds its policy before the first primitive that needs it. */
  readonly vertexPolicies: (VertexPolicy | undefined)[] = [
    staticVertices,
    undefined,
    undefined,
    billboardVertices,
  ];
  /** Views besides the active camera's, in the order in which they were added. */
  readonly addedViews: ViewParameters[] = [];
  /** Position of the render origin in world space, in metres. */
  readonly renderOrigin = new Float64Array(3);
  /** Whether materials of drawn primitives may have changed since the last update. */
  isRestyled = false;
  /** Increases whenever a draw state or a drawable bit changes. */
  version = 0;
  number = 0;
  /** Primitives whose draw state must be computed again. */
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

  /** Destroys a node. Primitives and lights on it are not drawn any more. */
  destroyNode(node: number): void {
    const { firstOnNode } = this.primitives;
    for (let primitive = firstOnNode[node] ?? -1; primitive >= 0; primitive = firstOnNode[node] as number) {
      this.primitives.unlink(primitive);
      this.#stale.add(primitive);
    }
    this.lights.destroyNode(node);
    this.nodes.destroy(node);
  }

  /** Creates a primitive, or replaces it. @param layers one bit per layer */
  createPrimitive(
    primitive: number,
    node: number,
    geometry: number,
    material: number,
    flags: number,
    layers: number,
  ): void {
    this.primitives.create(primitive, node, geometry, material, flags);
    this.primitives.setLayers(primitive, layers);
    for (const feature of this.features) feature.detach(primitive);
    this.gpuScene.reserve(this.primitives.length);
    this.#stale.add(primitive);
  }

  /** Sets the geometry of a primitive. @param geometry −1: the primitive is not drawn */
  setGeometry(primitive: number, geometry: number): void {
    if (this.primitives.geometry[primitive] === geometry) return;
    this.primitives.geometry[primitive] = geometry;
    this.#stale.add(primitive);
  }

  /** Boxes of 6 floats per geometry, in local space: centre xyz, half extents xyz. */
  get geometryBounds(): Float32Array {
    return this.#geometries.bounds;
  }

  updatePrimitive(primitive: number, material: number, flags: number, layers: number): void {
    if (!this.primitives.has(primitive)) return;
    if (material !== this.primitives.material[primitive]) this.restyled();
    this.primitives.material[primitive] = material;
    this.primitives.flags[primitive] = flags;
    this.primitives.setLayers(primitive, layers);
    this.#stale.add(primitive);
  }

  destroyPrimitive(primitive: number): void {
    if (!this.primitives.has(primitive)) return;
    for (const feature of this.features) feature.detach(primitive);
    this.primitives.destroy(primitive);
    this.#releaseState(primitive);
    this.version++;
  }

  /** Computes a primitive's bounds again, after the shape of its mesh has changed. */
  reshaped(primitive: number): void {
    if (!this.#stale.has(primitive) && this.#isPlaced(primitive)) this.#place(primitive);
  }

  /** Marks a primitive's draw state as stale. Called when a deformer or a fade begins or ends. */
  primitiveChanged(primitive: number): void {
    this.#stale.add(primitive);
  }

  /** Returns the longest distance by which the primitive's material moves vertices, in its node's space. */
  displacement(primitive: number): number {
    return this.materials.shaders?.displacement(this.primitives.material[primitive] as number) ?? 0;
  }

  setMirrored(primitive: number, isMirrored: boolean): void {
    const { primitives } = this;
    if ((primitives.isMirrored[primitive] === 1) === isMirrored) return;
    primitives.isMirrored[primitive] = isMirrored ? 1 : 0;
    this.#stale.add(primitive);
  }

  /** Marks the draw states and bounds of all primitives that use the geometry as stale. */
  geometryChanged(geometry: number): void {
    this.#changedGeometries.add(geometry);
  }

  /** Marks the bounds of all primitives that use the geometry as stale, because its vertices have changed. */
  geometryReshaped(geometry: number): void {
    this.#reshapedGeometries.add(geometry);
  }

  materialChanged(material: number): void {
    this.#changedMaterials.add(material);
  }

  /** Notes that primitives may need new pipelines, because the material that they use has changed. */
  restyled(): void {
    this.isRestyled = this.#drawStates.count > 0;
  }

  /** Whether the scene has an active camera. */
  get hasView(): boolean {
    return this.canLookFrom(this.view);
  }

  canLookFrom({ node }: ViewParameters): boolean {
    return node >= 0 && this.nodes.has(node);
  }

  /** Per frame, after geometry and materials have been uploaded: applies the consequences of commands. */
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

  /** Per frame: places the primitives on nodes that moved. */
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

  /**
   * Per moved primitive: computes the bounds from the node's transform, and marks the transform as changed.
   */
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

  /** Per word of primitives that a pass sees: writes the transforms that have changed since the last such pass. */
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

  /** Marks the primitives of changed geometries and materials as stale. */
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

  /** Per stale primitive: finds its draw state, and updates its bits and its slot of the GPU scene. */
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
    const isBlended = materials.states.isBlended(solid);
    const whole = solid | materials.faceBits(solid, geometries.isFlat(geometry));
    const key = this.lods?.keyOf(primitive, whole, this.#drawStates) ?? whole;
    primitives.drawState[primitive] = this.#drawStates.acquire(key, textureSet, geometry);
    if (before >= 0) this.#drawStates.release(before);
    const primitiveFlags = primitives.flags[primitive] as number;
    materials.setDrawing(primitives, primitive, key);
    primitives.setDrawable(
      primitive,
      (primitiveFlags & PrimitiveFlag.visible) !== 0,
      // A blended surface lets some light through, and a depth map cannot store how much.
      (primitiveFlags & PrimitiveFlag.castsNoShadow) === 0 && !isBlended,
      (primitiveFlags & PrimitiveFlag.receivesNoShadow) === 0,
    );
    primitives.setPicked(primitive, (primitiveFlags & PrimitiveFlag.notPicked) === 0);
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

  /** Returns true if the primitive is on a node that exists. */
  #isPlaced(primitive: number): boolean {
    const node = this.primitives.node[primitive] as number;
    return node >= 0 && this.nodes.has(node);
  }

  /** The active camera's view; without an active camera, the first added view that has a camera. */
  get #firstView(): ViewParameters | undefined {
    return this.hasView ? this.view : this.addedViews.find((each) => this.canLookFrom(each));
  }

  /**
   * Moves the render origin to the camera if the camera is far from it.
   * @returns whether the origin has moved
   */
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
