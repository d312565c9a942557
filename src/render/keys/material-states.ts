import { RhiError } from '../../core/errors.js';
import { grow } from '../../core/memory/grow.js';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import {
  FACE_BITS,
  KeyBit,
  MATERIAL_STATE_RANGE,
  materialStateOf,
  SHAPE_BITS,
  topologyNumberOf,
  vertexFormatOf,
  vertexPolicyOf,
  withMaterialState,
} from './pipeline-key.js';

/** Bits of a key besides the state. */
const ALL_BUT_STATE = SHAPE_BITS | FACE_BITS | KeyBit.mirrored | KeyBit.fading;

const stateName = (flags: number, features: number, slots: number, shader: number): string =>
  `${flags} ${features} ${slots} ${shader}`;

/** Exclusive upper limit of the numbers of pages' shaders. */
export const SHADER_RANGE = 2 ** 12;
/** Exclusive upper limit of the numbers of material features. */
export const FEATURE_RANGE = 19;
/** Exclusive upper limit of the bits of `MaterialFlag`. */
export const FLAG_RANGE = 2 ** 10;

/**
 * The *state* of a material is the part of it that pipelines depend on: flags, features, bound texture slots,
 * shader. States are interned. So a pipeline key holds one small number for the whole state, and a new
 * feature needs no bit of the key.
 *
 *   state 0  no flags       no features                            no slots    engine's shader    ◄ plain
 *   state 1  masked         baseColor metallicRoughness …          0 1 2 3 4   engine's shader
 *   state 2  no flags       none                                   0 1 2 3 4   shader 7 of the page
 *
 * Numbers are never reused, because pipelines are cached by these numbers.
 */
export class MaterialStates {
  /** `MaterialFlag` of each state. */
  flags = new Uint16Array(16);
  /** One bit per material feature, in the order of the registry, for each state. */
  features = new Uint32Array(16);
  /** One bit per texture slot that draws bind, for each state; 0: draws bind no textures. */
  slots = new Uint32Array(16);
  /** The page's shader of each state, a number of `MaterialShaders`; 0: the engine's shader. */
  shader = new Uint16Array(16);
  readonly #numbers = new Map<string, number>();

  constructor() {
    this.intern(0, 0, 0, 0);
  }

  /** Per changed material: returns the number of its state. @throws RhiError `limit-exceeded` */
  intern(flags: number, features: number, slots: number, shader: number): number {
    const name = stateName(flags, features, slots, shader);
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const state = this.#numbers.size;
    if (state >= MATERIAL_STATE_RANGE) {
      throw new RhiError(
        'limit-exceeded',
        `Materials have more than ${MATERIAL_STATE_RANGE} different states, which is the maximum. Use fewer combinations of modes, textures and shaders.`,
      );
    }
    this.#numbers.set(name, state);
    this.flags = grow(this.flags, state + 1);
    this.features = grow(this.features, state + 1);
    this.slots = grow(this.slots, state + 1);
    this.shader = grow(this.shader, state + 1);
    this.flags[state] = flags;
    this.features[state] = features;
    this.slots[state] = slots;
    this.shader[state] = shader;
    return state;
  }

  /** Returns the key with another shader of a page; −1 if no material has had this state. */
  withShader(key: number, shader: number): number {
    const state = this.#numbers.get(
      stateName(this.flagsOf(key), this.featuresOf(key), this.slotsOf(key), shader),
    );
    return state === undefined ? -1 : withMaterialState(key, ALL_BUT_STATE, state);
  }

  /** Returns whether a state has exactly these parts. */
  is(state: number, flags: number, features: number, slots: number, shader: number): boolean {
    return (
      this.flags[state] === flags &&
      this.features[state] === features &&
      this.slots[state] === slots &&
      this.shader[state] === shader
    );
  }

  // Parts of the state that a pipeline key names:

  /** Returns the `MaterialFlag` bits. */
  flagsOf(key: number): number {
    return this.flags[materialStateOf(key)] as number;
  }

  featuresOf(key: number): number {
    return this.features[materialStateOf(key)] as number;
  }

  slotsOf(key: number): number {
    return this.slots[materialStateOf(key)] as number;
  }

  /** Returns the number of the page's shader; 0: the engine's shader. */
  shaderOf(key: number): number {
    return this.shader[materialStateOf(key)] as number;
  }

  /** Returns the alpha mode as shaders number it: 0 opaque, 1 mask, 2 blend. */
  alphaModeOf(key: number): number {
    return this.flagsOf(key) & (MaterialFlag.alphaMask | MaterialFlag.alphaBlend);
  }

  /** Returns whether draws are blended with the colours behind them. */
  isBlended(key: number): boolean {
    return (this.flagsOf(key) & MaterialFlag.alphaBlend) !== 0;
  }

  /**
   * Returns the position of a key's pipeline in the order of drawing. The position depends on the content of the key,
   * not on the number of its state, because numbers depend on the order of creation. Keys with equal positions differ
   * only in bound slots and drawn faces.
   */
  orderOf(key: number): number {
    let order = this.shaderOf(key);
    order = order * 8 + vertexPolicyOf(key);
    order = order * 2 + Number((key & KeyBit.fading) !== 0);
    order = order * 2 ** FEATURE_RANGE + this.featuresOf(key);
    order = order * 2 + Number((key & KeyBit.mirrored) !== 0);
    order = order * FLAG_RANGE + this.flagsOf(key);
    return (order * 8 + topologyNumberOf(key)) * 16 + vertexFormatOf(key);
  }

  /** Returns the content of a key in hexadecimal digits, for names of pipelines. */
  nameOf(key: number): string {
    return this.orderOf(key).toString(16);
  }
}
