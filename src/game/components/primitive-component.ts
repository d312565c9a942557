/**
 * Primitives: the smallest unit of culling and drawing (SYSTEMS G2). A primitive has one geometry and one material.
 * Its proxy on the render side has copies of their ids and of the primitive's flags.
 *
 *   geometry = …          ─► render-state: createPrimitive again
 *   material = …, visible ─► dynamic data: updatePrimitive
 */
import { OptionError } from '../../core/errors.js';
import { checkNumber } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import { boolean, countFrom, property } from '../../core/options/members.js';
import { NO_ID, PrimitiveFlag, RENDER_ORDER_SHIFT, RenderOpcode } from '../../proxy/commands.js';
import type { MorphWeights } from '../animation/morph-weights.js';
import type { Skin } from '../animation/skin.js';
import type { Geometry } from '../geometry/updatable-geometry.js';
import type { Material } from '../materials/material.js';
import type { Matrix } from '../transforms/transform-math.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { writeWords } from '../updates/write-record.js';
import type { World } from '../world/world.js';
import type { LodLevel } from './lod-level.js';
import { SceneComponent } from './scene-component.js';

/** Options of all primitives. */
export const PRIMITIVE_OPTIONS = {
  /** Whether the mesh casts shadows, for lights with shadows. Default true. */
  castShadow: property(boolean()),
  /** Whether the mesh receives shadows, for lights with shadows. Default true. */
  receiveShadow: property(boolean()),
  /** Layers of the mesh, one bit each; a view can show only some of them. Default 1: the first layer. */
  layers: property(countFrom(0, 0xffffffff)),
  /**
   * Order of drawing, −32768 to 32767. Opaque meshes with a negative number are drawn before all other meshes.
   * Meshes with a positive number are sorted with the blended meshes, after all others. Sorted meshes are drawn by
   * ascending number, and from back to front if their numbers are equal. Default 0.
   */
  renderOrder: property(countFrom(-32768, 32767)),
};

/** A component that is drawn. Its proxy is created from its geometry and material. */
export abstract class PrimitiveComponent extends SceneComponent {
  /** @internal The skin that moves the vertices; `null` without a skin. */
  skin: Skin | null = null;
  /** @internal Weights of the geometry's morph targets; `null` without morph targets. */
  morph: MorphWeights | null = null;
  /** @internal Level of detail to which the component belongs; `null` if it belongs to none. */
  lod: LodLevel | null = null;
  /**
   * @internal Index of the component's instance, if a file's node draws its primitives in several places.
   */
  instance = 0;
  /** @internal Whether picks and rays hit the primitive, and bounds include it. Set before it enters a world. */
  isPickable = true;
  #primitive = NO_ID;
  #sentGeometry: Geometry | null = null;
  #sentMaterial: Material | null = null;
  #castShadow = true;
  #receiveShadow = true;
  #layers = 1;
  #renderOrder = 0;

  abstract get geometry(): Geometry;
  abstract get material(): Material;
  abstract set material(material: Material);

  /** Whether the primitive casts shadows, for lights with shadows. */
  get castShadow(): boolean {
    return this.#castShadow;
  }
  set castShadow(value: boolean) {
    if (value === this.#castShadow) return;
    this.#castShadow = checkMember('the mesh', 'castShadow', value, PRIMITIVE_OPTIONS.castShadow);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Whether the primitive receives shadows, for lights with shadows. */
  get receiveShadow(): boolean {
    return this.#receiveShadow;
  }
  set receiveShadow(value: boolean) {
    if (value === this.#receiveShadow) return;
    this.#receiveShadow = checkMember('the mesh', 'receiveShadow', value, PRIMITIVE_OPTIONS.receiveShadow);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Layers of the primitive, one bit each; a view can show only some of them. */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    if (value === this.#layers) return;
    this.#layers = checkMember('the mesh', 'layers', value, PRIMITIVE_OPTIONS.layers);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Order of drawing, −32768 to 32767: see the option `renderOrder`. */
  get renderOrder(): number {
    return this.#renderOrder;
  }
  set renderOrder(value: number) {
    if (value === this.#renderOrder) return;
    this.#renderOrder = checkMember('the mesh', 'renderOrder', value, PRIMITIVE_OPTIONS.renderOrder);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Names of the geometry's morph targets. Only meshes of loaded files and their clones have any. */
  get morphTargets(): readonly string[] {
    return (this.morph && this.geometry.morph?.names) ?? [];
  }

  /** A copy of the morph targets' weights, without the effect of clips. 0 has no effect, 1 the full effect. */
  get morphWeights(): readonly number[] {
    return this.morph ? Array.from(this.morph.weights) : [];
  }

  /**
   * Sets the weight of a morph target.
   * @param target the name of the target, or its index in `morphTargets`
   * @throws OptionError `morph-target-unknown`, `option-out-of-range`
   * @example face.mesh.setMorphWeight('smile', 0.8);
   */
  setMorphWeight(target: string | number, weight: number): void {
    const index = typeof target === 'number' ? target : this.morphTargets.indexOf(target);
    if (!this.morph || !(index in this.morph.weights)) {
      const names = this.morphTargets.map((name) => JSON.stringify(name)).join(', ');
      throw new OptionError(
        'morph-target-unknown',
        `"${this.name}" has no morph target ${JSON.stringify(target)}. It has ${names || 'none'}.`,
      );
    }
    this.morph.set(index, checkNumber('setMorphWeight', 'weight', weight, -1e6, 1e6));
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /**
   * @internal Returns the metres by which the primitive extends beyond its box on every side.
   * @param matrix world transform of the box
   */
  reachBeyond(_matrix: readonly number[]): number {
    return 0;
  }

  /** @internal Number of places in which the component is drawn. */
  get placeCount(): number {
    return 1;
  }
  /** @internal Returns the world matrix of one of the component's places, like `worldFromLocal`. */
  worldFromPlace<T extends Matrix>(_place: number, out: T): T {
    return this.worldFromLocal(out);
  }
  /** @internal Returns the id of the primitive in one of the component's places; NO_ID before it was sent. */
  primitiveOf(_place: number): number {
    return this.#primitive;
  }

  /** @internal Bits of `PrimitiveFlag`. */
  get primitiveFlags(): number {
    return (
      (this.isShown ? PrimitiveFlag.visible : 0) |
      (this.#castShadow ? 0 : PrimitiveFlag.castsNoShadow) |
      (this.#receiveShadow ? 0 : PrimitiveFlag.receivesNoShadow) |
      (this.isPickable ? 0 : PrimitiveFlag.notPicked) |
      (this.#renderOrder << RENDER_ORDER_SHIFT)
    );
  }

  override register(world: World): void {
    super.register(world);
    world.updates.resources.requestImages(this.material);
  }

  override sendProxy(updates: SceneUpdates): void {
    const { geometry, material } = this;
    const { resources } = updates;
    // New resources are counted before old ones are released, so shared ones stay. Each change is recorded at
    // once, so the counts are right even if the stream fails in between.
    const geometryId = resources.useGeometry(geometry, this.name);
    resources.release(this.#sentGeometry);
    this.#sentGeometry = geometry;
    const materialId = resources.useMaterial(material);
    resources.release(this.#sentMaterial);
    this.#sentMaterial = material;
    this.sendPrimitives(updates, geometryId, materialId);
  }

  /** @internal Creates the component's primitives on the render side. They replace existing ones. */
  sendPrimitives(updates: SceneUpdates, geometryId: number, materialId: number): void {
    if (this.#primitive === NO_ID) this.#primitive = updates.primitives.allocate();
    this.sendPrimitive(updates, this.#primitive, this.node, geometryId, materialId);
    this.skin?.attach(updates, this.#primitive, this);
    this.morph?.send(updates, this.#primitive);
    this.lod?.send(updates, this.#primitive, geometryId);
  }

  /** @internal Creates one primitive. */
  sendPrimitive(
    { writer }: SceneUpdates,
    primitive: number,
    node: number,
    geometryId: number,
    materialId: number,
  ): void {
    const at = writer.reserve(RenderOpcode.createPrimitive, 6);
    const { words } = writer;
    words[at] = primitive;
    words[at + 1] = node;
    words[at + 2] = geometryId;
    words[at + 3] = materialId;
    words[at + 4] = this.primitiveFlags;
    words[at + 5] = this.#layers;
  }

  override sendDynamicData(updates: SceneUpdates): void {
    // If the proxy could not be sent, there is nothing to update.
    if (!this.#sentGeometry) return;
    const { material } = this;
    const materialId = updates.resources.useMaterial(material);
    updates.resources.release(this.#sentMaterial);
    this.#sentMaterial = material;
    this.updatePrimitives(updates, materialId);
  }

  /** @internal Sends the values that can change on existing primitives. */
  updatePrimitives(updates: SceneUpdates, materialId: number): void {
    this.updatePrimitive(updates, this.#primitive, materialId);
    if (this.morph?.isDirty) this.morph.send(updates, this.#primitive);
  }

  /** @internal Updates one primitive. */
  updatePrimitive({ writer }: SceneUpdates, primitive: number, materialId: number): void {
    const opcode = RenderOpcode.updatePrimitive;
    writeWords(writer, opcode, 4, primitive, materialId, this.primitiveFlags, this.#layers);
  }

  /** @internal */
  destroyPrimitives(updates: SceneUpdates): void {
    updates.destroyedPrimitives.push(this.#primitive);
    this.skin?.detach(updates, this.#primitive);
    this.#primitive = NO_ID;
  }

  override removeProxy(updates: SceneUpdates): void {
    if (!this.#sentGeometry) return;
    this.destroyPrimitives(updates);
    updates.resources.release(this.#sentGeometry);
    updates.resources.release(this.#sentMaterial);
    this.#sentGeometry = null;
    this.#sentMaterial = null;
  }
}
