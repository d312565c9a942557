/**
 * Primitives: the smallest unit that is culled and drawn (SYSTEMS G2). A MeshComponent is one geometry with
 * one material; its proxy on the render side is a copy of their ids and its flags.
 *
 *   geometry = …          ─► render-state: createPrimitive again
 *   material = …, visible ─► dynamic data: updatePrimitive
 */
import { OptionError } from '../../core/errors.js';
import { checkNumber } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import { boolean, countFrom, property } from '../../core/options/members.js';
import { NO_ID, PrimitiveFlag, RenderOpcode } from '../../proxy/commands.js';
import type { MorphWeights } from '../animation/morph-weights.js';
import type { Skin } from '../animation/skin.js';
import type { Geometry } from '../geometry/updatable-geometry.js';
import type { Material } from '../materials/material.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { writeWords } from '../updates/write-record.js';
import type { World } from '../world/world.js';
import type { LodLevel } from './lod-level.js';
import { SceneComponent } from './scene-component.js';

/** Options of everything that is drawn. */
export const PRIMITIVE_OPTIONS = {
  /** Whether it keeps light from others, where a light casts shadows. Default true. */
  castShadow: property(boolean()),
  /** Whether others keep light from it, where a light casts shadows. Default true. */
  receiveShadow: property(boolean()),
  /** The layers that it is in, one bit each, for views that show some of them only. Default 1: the first. */
  layers: property(countFrom(0, 0xffffffff)),
};

/** A component that is drawn: what makes it one is the geometry and the material its proxy was sent with. */
export abstract class PrimitiveComponent extends SceneComponent {
  /** @internal What moves its vertices; null: its transform alone. */
  skin: Skin | null = null;
  /** @internal How much it shows of its geometry's morph targets; null: it has none. */
  morph: MorphWeights | null = null;
  /** @internal Where it is a part of one of several levels of detail. */
  lod: LodLevel | null = null;
  /** @internal Of a node that shows its primitives in several places: in which. */
  instance = 0;
  #primitive = NO_ID;
  #sentGeometry: Geometry | null = null;
  #sentMaterial: Material | null = null;
  #castShadow = true;
  #receiveShadow = true;
  #layers = 1;

  abstract get geometry(): Geometry;
  abstract get material(): Material;

  /** Whether it keeps light from others, where a light casts shadows. */
  get castShadow(): boolean {
    return this.#castShadow;
  }
  set castShadow(value: boolean) {
    if (value === this.#castShadow) return;
    this.#castShadow = checkMember('the mesh', 'castShadow', value, PRIMITIVE_OPTIONS.castShadow);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Whether others keep light from it, where a light casts shadows. */
  get receiveShadow(): boolean {
    return this.#receiveShadow;
  }
  set receiveShadow(value: boolean) {
    if (value === this.#receiveShadow) return;
    this.#receiveShadow = checkMember('the mesh', 'receiveShadow', value, PRIMITIVE_OPTIONS.receiveShadow);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** The layers that it is in, one bit each; views may show some of them only. */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    if (value === this.#layers) return;
    this.#layers = checkMember('the mesh', 'layers', value, PRIMITIVE_OPTIONS.layers);
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Names of the shapes that its vertices can be moved to: of meshes of files, and their clones. */
  get morphTargets(): readonly string[] {
    return (this.morph && this.geometry.morph?.names) ?? [];
  }

  /** How much of each morph target it shows, where no clip says otherwise: 0 nothing, 1 all of it; a copy. */
  get morphWeights(): readonly number[] {
    return this.morph ? Array.from(this.morph.weights) : [];
  }

  /**
   * Has it show so much of a morph target.
   * @param target its name, or its place among `morphTargets`
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

  /** @internal @param matrix that moves its box @returns metres by which it reaches beyond that on every side */
  reachBeyond(_matrix: readonly number[]): number {
    return 0;
  }

  /** @internal In how many places it is drawn. */
  get placeCount(): number {
    return 1;
  }
  /** @internal As `worldFromLocal`, of one of its places. */
  worldFromPlace<T extends Float32Array | number[]>(_place: number, out: T): T {
    return this.worldFromLocal(out);
  }
  /** @internal By which the render side knows it in one of its places; NO_ID: not at all. */
  primitiveOf(_place: number): number {
    return this.#primitive;
  }

  /** @internal Of `PrimitiveFlag`. */
  get primitiveFlags(): number {
    return (
      (this.isShown ? PrimitiveFlag.visible : 0) |
      (this.#castShadow ? 0 : PrimitiveFlag.castsNoShadow) |
      (this.#receiveShadow ? 0 : PrimitiveFlag.receivesNoShadow)
    );
  }

  override register(world: World): void {
    super.register(world);
    world.updates.resources.requestImages(this.material);
  }

  override sendProxy(updates: SceneUpdates): void {
    const { geometry, material } = this;
    const { resources } = updates;
    // The new ones are counted in before the old ones are let go: what both have in common stays. Each is noted at
    // once, so that the counts are right wherever a stream fails.
    const geometryId = resources.useGeometry(geometry, this.name);
    resources.release(this.#sentGeometry);
    this.#sentGeometry = geometry;
    const materialId = resources.useMaterial(material);
    resources.release(this.#sentMaterial);
    this.#sentMaterial = material;
    this.sendPrimitives(updates, geometryId, materialId);
  }

  /** @internal Creates what is drawn of it on the render side, anew where it is there. */
  sendPrimitives(updates: SceneUpdates, geometryId: number, materialId: number): void {
    if (this.#primitive === NO_ID) this.#primitive = updates.primitives.allocate();
    this.sendPrimitive(updates, this.#primitive, this.node, geometryId, materialId);
    this.skin?.attach(updates, this.#primitive, this);
    this.morph?.send(updates, this.#primitive);
    this.lod?.send(updates, this.#primitive, geometryId);
  }

  /** @internal One of them. */
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
    // Nothing was created of what could not be sent.
    if (!this.#sentGeometry) return;
    const { material } = this;
    const materialId = updates.resources.useMaterial(material);
    updates.resources.release(this.#sentMaterial);
    this.#sentMaterial = material;
    this.updatePrimitives(updates, materialId);
  }

  /** @internal What can change of them once they are there. */
  updatePrimitives(updates: SceneUpdates, materialId: number): void {
    this.updatePrimitive(updates, this.#primitive, materialId);
    if (this.morph?.isDirty) this.morph.send(updates, this.#primitive);
  }

  /** @internal One of them. */
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
