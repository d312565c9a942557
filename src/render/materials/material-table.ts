import { grow } from '../../core/memory/grow.js';
import { RENDER_ORDER_SHIFT } from '../../proxy/commands.js';
import { MATERIAL_FLOATS, MaterialFlag, TEXTURE_SLOT_COUNT } from '../../proxy/materials/material-layout.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuMaterial } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import { billboardVertices } from '../geometry/billboard-vertices.js';
import { staticVertices } from '../geometry/vertex-policy.js';
import { DrawClass } from '../keys/draw-class.js';
import { MaterialStates } from '../keys/material-states.js';
import { FACE_BITS, isTriangles, vertexPolicyOf } from '../keys/pipeline-key.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { boundSlots, CORE_SLOTS, SCENE_FEATURES, usedFeatures } from './feature-code.js';
import type { MaterialPolicy } from './material-policy.js';
import type { MaterialShaders } from './material-shaders.js';
import type { MaterialTextures } from './material-textures.js';
import { standardMaterial } from './standard-material.js';

const NONE = 0xffffffff;
const TWO_SIDED = MaterialFlag.alphaBlend | MaterialFlag.doubleSided;
/** Flags that sort an opaque material after other opaque materials, unless its `renderOrder` is negative. */
const DEPTH_FLAGS = MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;

/** A scene with primitives that use materials of the table. */
interface RestyledScene {
  /** The primitives of the material need new draw states. */
  materialChanged(material: number): void;
  /** Primitives that may be visible need other pipelines or vanish. */
  restyled(): void;
}

/**
 * All materials, as a table in one storage buffer. A primitive names its material by slot. So primitives of different
 * materials share a draw if pipeline, textures and geometry are equal. Parameters are uploaded as the game sent them.
 *
 *   setMaterial ─┬─ parameters ─► slot of the table        (changes nothing else)
 *                └─ flags, textures, features ─► state, texture set   (changes the draw states of its primitives)
 */
export class MaterialTable {
  readonly states = new MaterialStates();
  /** State of each material: an index in `states`. */
  state = new Uint16Array(0);
  /** Images of materials. Until the first image arrives, this is missing and materials have no textures. */
  textures: MaterialTextures | undefined;
  /** Texture set of each material, an index in `TextureSets`; 0: none. */
  textureSet = new Uint32Array(0);
  /**
   * Shader of each material, a number of `MaterialShaders`; 0: the engine's shader. A new number takes effect with the
   * material's next `set`.
   */
  shader = new Uint16Array(0);
  /** Custom shaders; missing until the first one arrives. */
  shaders: MaterialShaders | undefined;
  /** Number of materials that tone mapping does not change. */
  unmappedCount = 0;
  /** Number of materials that show the scene behind them, as glass does. */
  transmissiveCount = 0;
  /** Increases when a material may cut out different pixels by its alpha, or move vertices differently. */
  shapesVersion = 0;
  /** Number of materials that cut out pixels by their alpha, plus number of shaders that move vertices. */
  shapeCount = 0;
  #exists = new Uint8Array(0);
  /** The scenes of all worlds. They are notified when the primitives of a material need new draw states. */
  readonly scenes = new Set<RestyledScene>();
  /** Parameters of all materials. Motions and clips also write into this storage: see `noteWritten`. */
  readonly storage = new StorageBuffer('materials', GpuMaterial.words);
  readonly #ids: number[] = new Array<number>(TEXTURE_SLOT_COUNT).fill(-1);
  /** Ids of each material's textures, by slot; −1: no texture. */
  #textureIds = new Int32Array(0);
  /** Slots of each material that have a texture, as bits. */
  #textured = new Uint32Array(0);
  /** The material whose features are being computed. The object is reused. */
  readonly #source = { flags: 0, textures: 0, floats: this.storage.floats, at: 0 };
  readonly #standard = standardMaterial(this.states);

  get buffer() {
    return this.storage.handle;
  }

  get version(): number {
    return this.storage.version;
  }

  /** Returns the policy of draws with this pipeline key. */
  policy(key: number): MaterialPolicy {
    return (this.states.shaderOf(key) && this.shaders) || this.#standard;
  }

  /** Per changed primitive: sets when it is drawn, and how. @param key its pipeline key */
  setDrawing(primitives: PrimitiveStore, primitive: number, key: number): void {
    const { states } = this;
    const flags = states.flagsOf(key);
    const order = (primitives.flags[primitive] as number) >> RENDER_ORDER_SHIFT;
    const isSorted = states.isBlended(key) || order > 0 || (flags & DEPTH_FLAGS) !== 0;
    const isEarly = order < 0 && !states.isBlended(key);
    primitives.setDrawing(
      primitive,
      isEarly ? DrawClass.early : isSorted ? DrawClass.sorted : DrawClass.opaque,
      (states.featuresOf(key) & SCENE_FEATURES) !== 0,
      (flags & MaterialFlag.noDepthTest) !== 0,
    );
  }

  /**
   * Returns `FACE_BITS` for draws whose back faces may show through their front faces; 0 for other draws.
   * @param key a pipeline key
   * @param isFlat whether all vertices lie in a plane, unless something moves them
   */
  faceBits(key: number, isFlat: boolean): number {
    const isTwoSided = (this.states.flagsOf(key) & TWO_SIDED) === TWO_SIDED;
    const vertices = vertexPolicyOf(key);
    const isMoved = vertices !== staticVertices.number || this.states.shaderOf(key) > 0;
    if (!isTwoSided || !isTriangles(key) || vertices === billboardVertices.number) return 0;
    return isFlat && !isMoved ? 0 : FACE_BITS;
  }

  has(material: number): boolean {
    return this.#exists[material] === 1;
  }

  /**
   * Creates or updates a material.
   * @throws RhiError `limit-exceeded`
   */
  set(
    material: number,
    flags: number,
    words: Uint32Array,
    firstTexture: number,
    textureCount: number,
    floats: Float32Array,
    firstParameter: number,
    parameterCount: number,
  ): void {
    this.#reserve(material + 1);
    const storage = this.storage;
    const target = material * GpuMaterial.words;
    const count = Math.min(parameterCount, MATERIAL_FLOATS);
    for (let index = 0; index < count; index++) {
      storage.floats[target + index] = floats[firstParameter + index] as number;
    }
    storage.dirty.mark(material);

    let textures = 0;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const id = slot < textureCount ? (words[firstTexture + slot] as number) : NONE;
      this.#textureIds[material * TEXTURE_SLOT_COUNT + slot] = id === NONE ? -1 : id;
      if (id !== NONE) textures |= 1 << slot;
    }
    this.#textured[material] = textures;
    this.#style(material, flags);
  }

  /**
   * Marks a material whose numbers a motion or clip has written. Called per written material and command list. The new
   * numbers may change which features the material uses.
   */
  noteWritten(material: number): void {
    this.storage.dirty.mark(material);
    const state = this.state[material] as number;
    const flags = this.states.flags[state] as number;
    if (this.#featuresOf(material, flags) === this.states.features[state]) return;
    this.#style(material, flags);
  }

  /** Updates the state and texture set of a material, and notifies the scenes if either has changed. */
  #style(material: number, flags: number): void {
    const features = this.#featuresOf(material, flags);
    const textured = this.textures ? (this.#textured[material] as number) : 0;
    const shader = this.shader[material] as number;
    const slots = shader ? this.#slotsOfShader(shader, textured) : boundSlots(features, textured);
    const ids = this.#ids;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const isBound = (slots & (1 << slot)) !== 0;
      ids[slot] = isBound ? (this.#textureIds[material * TEXTURE_SLOT_COUNT + slot] as number) : -1;
    }
    const before = this.state[material] as number;
    const state = this.states.is(before, flags, features, slots, shader)
      ? before
      : this.states.intern(flags, features, slots, shader);
    const textureSet = (slots && this.textures?.sets.acquire(ids, slots)) || 0;
    const existed = this.has(material);
    const isSame = existed && before === state && this.textureSet[material] === textureSet;
    if (existed) this.#release(material);
    this.#exists[material] = 1;
    this.state[material] = state;
    if (flags & MaterialFlag.unmapped) this.unmappedCount++;
    if (flags & MaterialFlag.alphaMask) this.shapeCount++;
    if (features & SCENE_FEATURES) this.transmissiveCount++;
    this.textureSet[material] = textureSet;
    if (!isSame) this.#notifyScenes(material, existed);
  }

  /** @param existed whether the material existed before, so that drawn primitives may need other pipelines or vanish */
  #notifyScenes(material: number, existed: boolean): void {
    for (const scene of this.scenes) {
      scene.materialChanged(material);
      if (existed) scene.restyled();
    }
  }

  #featuresOf(material: number, flags: number): number {
    if (this.shader[material]) return 0;
    const source = this.#source;
    source.flags = flags;
    source.textures = this.textures ? (this.#textured[material] as number) : 0;
    source.floats = this.storage.floats;
    source.at = material * GpuMaterial.words;
    return usedFeatures(source);
  }

  /**
   * Returns the slots that a custom shader binds. All textures of the shader must be bound, even before they are
   * loaded.
   */
  #slotsOfShader(shader: number, textured: number): number {
    const count = this.shaders?.textureCount(shader) ?? 0;
    if (!this.textures || (count === 0 && textured === 0)) return 0;
    return CORE_SLOTS | (2 ** count - 1);
  }

  /** Sets the shader that a material uses from its next `set` on. @param shader a number of `shaders` */
  setShader(material: number, shader: number): void {
    this.#reserve(material + 1);
    this.shader[material] = shader;
  }

  destroy(material: number): void {
    if (!this.has(material)) return;
    this.shader[material] = 0;
    this.#exists[material] = 0;
    this.#release(material);
    this.#notifyScenes(material, true);
  }

  upload(rhi: ImmediateContext): void {
    if (this.shapeCount > 0 && !this.storage.dirty.isEmpty) this.shapesVersion++;
    this.storage.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.textures?.dispose();
    this.storage.dispose(rhi);
  }

  #release(material: number): void {
    const flags = this.states.flags[this.state[material] as number] as number;
    if (flags & MaterialFlag.unmapped) this.unmappedCount--;
    if (flags & MaterialFlag.alphaMask) this.shapeCount--;
    const features = this.states.features[this.state[material] as number] as number;
    if (features & SCENE_FEATURES) this.transmissiveCount--;
    this.textures?.sets.release(this.textureSet[material] as number);
  }

  #reserve(length: number): void {
    this.storage.reserve(length);
    this.state = grow(this.state, length);
    this.textureSet = grow(this.textureSet, length);
    this.shader = grow(this.shader, length);
    this.#exists = grow(this.#exists, length);
    this.#textured = grow(this.#textured, length);
    this.#textureIds = grow(this.#textureIds, length * TEXTURE_SLOT_COUNT);
  }
}
