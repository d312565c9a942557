/**
 * Meshes: one geometry, or several levels of detail, with one material. Drawing is described in
 * `primitive-component.ts`.
 */
import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean } from '../../core/options/check-value.js';
import type { Shape, Shaped } from '../../core/options/member.js';
import { anything, optional, property } from '../../core/options/members.js';
import { checkAlive } from '../checks/slips.js';
import { Geometry } from '../geometry/updatable-geometry.js';
import { Material } from '../materials/material.js';
import { checkMaterialHome } from '../textures/texture-homes.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { checkGeometry, type MeshLod, MeshLods } from './mesh-lods.js';
import { MeshOccluder } from './mesh-occluder.js';
import { PRIMITIVE_OPTIONS, PrimitiveComponent } from './primitive-component.js';

export const MESH_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** Geometry of the mesh, unless there are `lods`. */
  geometry: optional(anything<Geometry>()),
  /** Geometries by size on screen, from large to small, in place of `geometry`. */
  lods: optional(anything<readonly MeshLod[]>()),
  /** Default: white, not metallic, roughness 0.5. */
  material: optional(anything<Material>()),
  /**
   * Whether objects completely behind the mesh are skipped, which leaves the picture unchanged. `true` tests against
   * the mesh's own triangles. A geometry is a simpler shape to test against, which has to lie within the mesh. The
   * number of triangles has to be 1 to 4,096. Default false.
   */
  occluder: property(anything<boolean | Geometry>()),
  ...PRIMITIVE_OPTIONS,
};

export type MeshOptions = Shaped<typeof MESH_OPTIONS>;

/** The material of all meshes created without a material. Meshes with the same material can be drawn together. */
let defaultMaterial: Material | null = null;

export class MeshComponent extends PrimitiveComponent {
  #geometry: Geometry;
  #lods: MeshLods | null;
  /** The levels of detail that the render side has. */
  #sentLods: MeshLods | null = null;
  #occluder: MeshOccluder | null = null;
  /** Set if the occluder is the mesh's own geometry. */
  #isOccluder = false;
  #sentOccluder: MeshOccluder | null = null;
  #material: Material;
  /** The material that only this component's actor uses; `null` if there is none. */
  #ownMaterial: Material | null = null;

  /** @param call name of the function that creates the mesh @param table table of the function's options */
  constructor(options: MeshOptions, call = 'addMesh', table: Shape = MESH_OPTIONS) {
    if ((options as Partial<Geometry> | undefined)?.data instanceof ArrayBuffer) {
      throw new OptionError(
        'option-invalid',
        `${call} was given a geometry; it takes its options by name. Write ${call}({ geometry, material }).`,
      );
    }
    checkOptions(call, options, table);
    super(options);
    defaultMaterial ??= new Material('default material');
    this.#lods = options.lods ? new MeshLods(call, options.lods) : null;
    if (this.#lods && options.geometry) {
      throw new OptionError('option-invalid', `${call} takes geometry or lods, not both.`);
    }
    this.#geometry = checkGeometry(this.#lods?.first ?? options.geometry);
    this.#material = checkMaterial(options.material ?? defaultMaterial);
    this.castShadow = options.castShadow ?? true;
    this.receiveShadow = options.receiveShadow ?? true;
    this.layers = options.layers ?? 1;
    this.renderOrder = options.renderOrder ?? 0;
    if (options.occluder !== undefined) this.occluder = options.occluder;
  }

  override get kind(): string {
    return 'mesh';
  }

  override get clonedOptions(): string {
    return `${this.#lods ? 'lods' : 'geometry'} material occluder castShadow receiveShadow layers renderOrder`;
  }

  /** Clones the mesh. The clone shares geometry and material. */
  override clone(): this {
    const copy = super.clone();
    // The copy shares the material from now on.
    this.#ownMaterial = null;
    copy.instance = this.instance;
    copy.skin = this.skin;
    copy.morph = this.morph?.clone() ?? null;
    return copy;
  }

  get geometry(): Geometry {
    return this.#geometry;
  }
  set geometry(geometry: Geometry) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'geometry');
    if (this.#geometry === geometry && !this.#lods) return;
    this.#setShape(checkGeometry(geometry), null);
  }

  /**
   * Geometries by size on screen, from large to small. Rays test the first geometry. With `null`, `geometry` is shown
   * at every size.
   */
  get lods(): readonly MeshLod[] | null {
    return this.#lods?.all ?? null;
  }
  set lods(lods: readonly MeshLod[] | null) {
    const next = lods && new MeshLods('the mesh', lods);
    this.#setShape(next?.first ?? this.#geometry, next);
  }

  /**
   * Whether objects completely behind the mesh are skipped. Objects are tested against the mesh's own triangles, or
   * against a simpler geometry within the mesh. The mesh hides nothing while it is masked, blended, fading, deformed by
   * joints or morph targets, or has a `ShaderMaterial`.
   */
  get occluder(): boolean | Geometry {
    return this.#isOccluder || (this.#occluder?.geometry ?? false);
  }
  set occluder(value: boolean | Geometry) {
    if (globalThis.FENCEPOST_DEVELOPMENT && !(value instanceof Geometry))
      checkBoolean('the mesh', 'occluder', value);
    const geometry = value === true ? this.#geometry : value;
    this.#occluder = geometry ? this.#occluderOf(geometry, value === true && this.#lods !== null) : null;
    this.#isOccluder = value === true;
    this.updates?.flag(this, DirtyFlag.renderState);
  }

  /**
   * Returns an occluder with the triangles of a geometry.
   * @param hasLevels whether the geometry is the first level of detail of the mesh
   * @throws OptionError `option-invalid` if `hasLevels` is true, or for an unsuitable geometry
   */
  #occluderOf(geometry: Geometry, hasLevels: boolean): MeshOccluder {
    if (hasLevels) {
      throw new OptionError(
        'option-invalid',
        'occluder of a mesh with lods has to be a geometry that lies within each of them.',
      );
    }
    return new MeshOccluder('the mesh', geometry, () => this.updates?.flag(this, DirtyFlag.renderState));
  }

  #setShape(geometry: Geometry, lods: MeshLods | null): void {
    if (this.#isOccluder) this.#occluder = this.#occluderOf(geometry, lods !== null);
    this.#geometry = geometry;
    if (this.updates) this.#lods?.release(this.updates);
    this.#lods = lods;
    this.morph = null;
    this.updates?.flag(this, DirtyFlag.renderState);
  }

  /**
   * @internal Prepares lods and occluder before primitives are sent.
   * @returns whether the mesh has or had lods or an occluder
   */
  useShapes(updates: SceneUpdates): boolean {
    const had = this.#sentLods !== null || this.#sentOccluder !== null;
    this.#sentLods = this.#lods;
    this.#sentOccluder?.release();
    this.#sentOccluder = this.#occluder;
    this.#lods?.use(updates, this.name);
    return had || this.#lods !== null || this.#occluder !== null;
  }

  override sendPrimitives(updates: SceneUpdates, geometryId: number, materialId: number): void {
    this.useShapes(updates);
    super.sendPrimitives(updates, geometryId, materialId);
    if (this.#occluder) this.sendOccluder(updates, [this.primitiveOf(0)]);
  }

  /** @internal Sends the occluder, after the mesh's primitives. */
  sendOccluder({ writer }: SceneUpdates, primitives: readonly number[]): void {
    this.#occluder?.send(writer, primitives);
  }

  override sendPrimitive(
    updates: SceneUpdates,
    primitive: number,
    node: number,
    geometryId: number,
    materialId: number,
  ): void {
    super.sendPrimitive(updates, primitive, node, geometryId, materialId);
    this.#lods?.send(updates, primitive);
  }

  override destroyPrimitives(updates: SceneUpdates): void {
    super.destroyPrimitives(updates);
    this.releaseShapes(updates);
  }

  /** @internal */
  releaseShapes(updates: SceneUpdates): void {
    this.#lods?.release(updates);
    this.#sentOccluder?.release();
    this.#sentOccluder = null;
  }

  get material(): Material {
    return this.#material;
  }
  set material(material: Material) {
    if (globalThis.FENCEPOST_DEVELOPMENT) {
      checkAlive(this, 'material');
      if (this.world) checkMaterialHome(this, material, this.world);
    }
    if (this.#material === material) return;
    this.#material = checkMaterial(material);
    this.updates?.flag(this, DirtyFlag.dynamicData);
    this.updates?.resources.requestImages(material);
  }

  /**
   * @internal Replaces the material by a clone, unless it is one already.
   * @param clones the clones by material, so that meshes of one actor that share a material still share it
   */
  takeMaterial(clones: Map<Material, Material>): void {
    const { material } = this;
    if (material === this.#ownMaterial) return;
    const clone = clones.get(material) ?? material.clone();
    clones.set(material, clone);
    this.material = this.#ownMaterial = clone;
  }
}

function checkMaterial(material: Material): Material {
  if (material instanceof Material) return material;
  throw new OptionError('option-invalid', 'A mesh needs a material, such as standardMaterial().');
}
