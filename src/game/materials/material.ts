/**
 * Materials: glTF's metallic-roughness model, or unlit. A material stores its numbers in the layout that the
 * GPU reads. A material may change at any time. It is then sent once, with the next frame, to each engine that uses it
 * (G4).
 *
 *   material.roughness = 0.2 ─► number in `parameters` ─► observers: one registry per engine ─► setMaterial
 */

import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { boolean, numberFrom, oneOf, optional, property, text } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import {
  defaultRecord,
  hasRoomFor,
  MaterialFlag,
  MaterialOffset,
  MOST_FURTHER_TEXTURES,
  SLOT_FLOATS,
  TEXTURE_SLOT_COUNT,
  TEXTURE_SLOTS,
  type TextureSlot,
  writesDepth,
} from '../../proxy/materials/material-layout.js';
import { changeMotion } from '../motion/motion.js';
import type { MaterialMotion, MaterialMover } from '../motion/motion-material.js';
import type { Texture, TextureUse } from '../textures/texture.js';
import { checkTextureOf } from '../textures/texture-homes.js';
import { type ColorLike, parseColor } from './color.js';
import {
  colorOption,
  type MaterialColors,
  type MaterialNumbers,
  type MaterialTextures,
  numberOption,
  parameterClass,
  parameterOptions,
  type TextureOption,
  textureOption,
} from './material-parameters.js';

export type { TextureOption };

/** Options of all materials. The setters of `Material` check them by the same rows. */
const MATERIAL_OPTIONS = {
  /** CSS colour (sRGB) or linear numbers, alpha included. Default white. */
  baseColor: colorOption(),
  baseColorTexture: textureOption(),
  /** Alpha of the base colour, 0 to 1. Below 1 the mode is `blend` unless `alphaMode` is set. */
  opacity: property(numberFrom(0, 1)),
  alphaMode: property(oneOf('opaque|mask|blend')),
  /** For `mask`: fragments with less alpha are not drawn. Default 0.5. */
  alphaCutoff: numberOption('alphaCutoff'),
  doubleSided: property(boolean()),
  /** Whether the surface is hidden by nearer surfaces that are already drawn. Default true. */
  depthTest: property(boolean()),
  /** Whether the surface hides farther surfaces that are drawn later. Default: true unless it blends. */
  depthWrite: property(boolean()),
  /**
   * Blending of the surface: over the colour behind it, added to it as light, or multiplied by it as a filter.
   * `additive` and `multiply` change the `alphaMode` from `opaque` to `blend`. Default `normal`.
   */
  blending: property(oneOf('normal|additive|multiply')),
  name: optional(text('text')),
};

const UNLIT_OPTIONS = {
  ...MATERIAL_OPTIONS,
  /**
   * Whether `exposure` and `toneMapping` of the engine change the material's colours. Default false: colours are
   * shown unchanged.
   */
  toneMapped: property(boolean()),
};

const STANDARD_OPTIONS = {
  ...MATERIAL_OPTIONS,
  emissive: colorOption(),
  /** Factor on `emissive` (KHR_materials_emissive_strength). Default 1. */
  emissiveStrength: property(numberFrom(0, 1e9)),
};

export type UnlitMaterialOptions = Shaped<typeof UNLIT_OPTIONS>;

export interface StandardMaterialOptions
  extends Shaped<typeof STANDARD_OPTIONS>,
    Readonly<Partial<MaterialNumbers & MaterialColors & MaterialTextures>> {}

/** A shader that replaces the engine's own. */
export interface MaterialShader {
  /** Whether the shader reads the time, so that its surfaces change in every frame. */
  readonly isTimed: boolean;
  /**
   * Sends the shader unless it was already sent to this stream. Called before each record of the material.
   * @param entry entry of the material in the engine's registry
   */
  send(writer: StreamWriter, entry: { readonly id: number }): void;
}

/** An observer of changes: the registry of an engine that uses the material, or the material's mover. */
export interface MaterialObserver {
  markMaterial(material: Material): void;
}

/** The options above, and the options that material features declare. */
const ALL_UNLIT_OPTIONS = { ...UNLIT_OPTIONS, ...parameterOptions(true) };
const ALL_STANDARD_OPTIONS = { ...STANDARD_OPTIONS, ...parameterOptions(false) };

const IDENTITY = [1, 0, 0, 0, 1, 0];

export class Material extends /* @__PURE__ */ parameterClass() {
  name: string;
  /** Numbers in the layout of `material-layout.ts`. */
  readonly #parameters = defaultRecord();
  /** @internal The shader that the page provides; `null` for the engine's own shader. */
  shader: MaterialShader | null = null;
  /** @internal Applies the material's declared motion; `null` without a motion. */
  mover: MaterialMover | null = null;
  /** @internal Textures by slot. */
  readonly textures: (Texture | null)[] = new Array(TEXTURE_SLOT_COUNT).fill(null);
  /** @internal Bits of `MaterialFlag`. */
  flags = 0;
  /** @internal */
  readonly observers = new Set<MaterialObserver>();
  #emissive = [0, 0, 0];
  #emissiveStrength = 1;
  /** Set while the material blends only because of its opacity or blending. */
  #isFaded = false;

  /** @internal Use `standardMaterial()` or `unlitMaterial()`. */
  constructor(name: string, flags = 0) {
    super();
    this.name = name;
    this.flags = flags & MaterialFlag.unlit ? flags | MaterialFlag.unmapped : flags;
    const { parameters } = this;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      parameters.set(IDENTITY, MaterialOffset.textureTransforms + slot * SLOT_FLOATS);
    }
  }

  /**
   * Returns a copy of the material in its current state, which then changes independently. The copy has no
   * motion.
   */
  clone(name = this.name): Material {
    const clone = new Material(name, this.flags);
    clone.copyState(this);
    return clone;
  }

  /** @internal Copies everything but the name, the shader and the motion. For clones. */
  copyState(source: Material): void {
    this.flags = source.flags;
    this.#parameters.set(source.parameters);
    this.#emissive = [...source.#emissive];
    this.#emissiveStrength = source.#emissiveStrength;
    this.#isFaded = source.#isFaded;
    for (const [slot, texture] of source.textures.entries()) this.textures[slot] = texture;
  }

  /** @internal The numbers in the layout of `material-layout.ts`. Reading them updates animated numbers first. */
  get parameters(): Float32Array {
    this.mover?.refresh(this.#parameters);
    return this.#parameters;
  }

  /**
   * The declared motion, created by `animate()`, which continues even while the page is busy. Default `null`: none.
   * Setting `null` ends the motion and keeps the current values.
   */
  get motion(): MaterialMotion | null {
    return this.mover?.motion ?? null;
  }
  set motion(motion: MaterialMotion | null) {
    changeMotion(this, motion);
  }

  /**
   * Reads as linear red, green, blue, alpha. Setting a colour sets the opacity to the colour's alpha. That changes
   * `alphaMode`, as setting `opacity` does.
   */
  get baseColor(): ColorLike {
    return readOnly(Array.from(this.parameters.subarray(0, 4)));
  }
  set baseColor(color: ColorLike) {
    this.parameters.set(parseColor('material', 'baseColor', color));
    this.#followAlpha();
    this.changed();
  }
  /**
   * Alpha of the base colour. Below 1, `alphaMode` changes from `opaque` to `blend`. At 1 that change is undone, unless
   * `blending` needs it.
   */
  get opacity(): number {
    return this.parameters[3] as number;
  }
  set opacity(value: number) {
    this.parameters[3] = checkMember('material', 'opacity', value, MATERIAL_OPTIONS.opacity);
    this.#followAlpha();
    this.changed();
  }
  get emissive(): ColorLike {
    return readOnly([...this.#emissive]);
  }
  set emissive(color: ColorLike) {
    this.setLinearEmissive(parseColor('material', 'emissive', color).slice(0, 3));
  }
  get emissiveStrength(): number {
    return this.#emissiveStrength;
  }
  set emissiveStrength(value: number) {
    this.#emissiveStrength = checkMember(
      'material',
      'emissiveStrength',
      value,
      STANDARD_OPTIONS.emissiveStrength,
    );
    this.#writeEmissive();
  }
  get alphaMode(): 'opaque' | 'mask' | 'blend' {
    if (this.flags & MaterialFlag.alphaBlend) return 'blend';
    return this.flags & MaterialFlag.alphaMask ? 'mask' : 'opaque';
  }
  set alphaMode(mode: 'opaque' | 'mask' | 'blend') {
    checkMember('material', 'alphaMode', mode, MATERIAL_OPTIONS.alphaMode);
    this.#isFaded = false;
    this.#setFlag(MaterialFlag.alphaMask, mode === 'mask');
    this.#setFlag(MaterialFlag.alphaBlend, mode === 'blend');
  }
  get doubleSided(): boolean {
    return (this.flags & MaterialFlag.doubleSided) !== 0;
  }
  set doubleSided(value: boolean) {
    if (globalThis.FENCEPOST_DEVELOPMENT)
      checkMember('material', 'doubleSided', value, MATERIAL_OPTIONS.doubleSided);
    this.#setFlag(MaterialFlag.doubleSided, value);
  }
  get depthTest(): boolean {
    return (this.flags & MaterialFlag.noDepthTest) === 0;
  }
  set depthTest(value: boolean) {
    checkMember('material', 'depthTest', value, MATERIAL_OPTIONS.depthTest);
    this.#setFlag(MaterialFlag.noDepthTest, !value);
  }
  get depthWrite(): boolean {
    return writesDepth(this.flags);
  }
  set depthWrite(value: boolean) {
    checkMember('material', 'depthWrite', value, MATERIAL_OPTIONS.depthWrite);
    this.#setFlag(MaterialFlag.depthWrite, value);
    this.#setFlag(MaterialFlag.noDepthWrite, !value);
  }
  get blending(): 'normal' | 'additive' | 'multiply' {
    if (this.flags & MaterialFlag.additive) return 'additive';
    return this.flags & MaterialFlag.multiplied ? 'multiply' : 'normal';
  }
  set blending(mode: 'normal' | 'additive' | 'multiply') {
    checkMember('material', 'blending', mode, MATERIAL_OPTIONS.blending);
    this.#setFlag(MaterialFlag.additive, mode === 'additive');
    this.#setFlag(MaterialFlag.multiplied, mode === 'multiply');
    this.#followAlpha();
  }
  /**
   * Whether exposure and tone mapping change the material's colours. Default false for unlit materials. Always true
   * for lit materials.
   */
  get toneMapped(): boolean {
    return (this.flags & MaterialFlag.unmapped) === 0;
  }
  set toneMapped(value: boolean) {
    checkMember('material', 'toneMapped', value, UNLIT_OPTIONS.toneMapped);
    if (!value && !(this.flags & MaterialFlag.unlit)) {
      throw new OptionError(
        'option-invalid',
        `"${this.name}" is lit, and lit materials are always tone-mapped, because light can be brighter than white. Use unlitMaterial().`,
      );
    }
    this.#setFlag(MaterialFlag.unmapped, !value);
  }
  /** Sets the texture of a slot, with its transform; `null` removes it. */
  setTexture(slot: TextureSlot, value: TextureOption): void {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkTextureOf(this, value);
    const index = TEXTURE_SLOTS.indexOf(slot);
    const use = value as TextureUse | null;
    const texture = use?.texture ?? (value as Texture | null);
    if (texture && !texture.transformOf) {
      throw new OptionError(
        'option-invalid',
        `${slot}Texture of "${this.name}" has to be a texture, such as texture('image.png').`,
      );
    }
    let taken = 0;
    for (const [other, each] of this.textures.entries()) if (each) taken |= 1 << other;
    if (texture && !hasRoomFor(index, taken)) {
      throw new OptionError(
        'option-out-of-range',
        `"${this.name}" has no room for ${slot}Texture: besides the textures of core glTF, a material has at most ${MOST_FURTHER_TEXTURES}. Set one of these to null first.`,
      );
    }
    const transform = use?.texture?.transformOf(`${slot}Texture`, use);
    this.writeTexture(index, texture, transform, transform?.[6]);
  }

  /** @internal Writes a slot's texture. @param transform a b c d e f of `material-layout.ts` */
  writeTexture(
    slot: number,
    texture: Texture | null,
    transform: readonly number[] = IDENTITY,
    uvSet = 0,
  ): void {
    this.textures[slot] = texture;
    const at = MaterialOffset.textureTransforms + slot * SLOT_FLOATS;
    this.parameters.set(transform, at);
    this.parameters[at + 6] = uvSet;
    this.changed();
  }

  /** @internal Sets the emissive colour, linear. Unlike `emissive`, it accepts values above 1, for loaded files. */
  setLinearEmissive(color: readonly number[]): void {
    this.#emissive = [...color];
    this.#writeEmissive();
  }

  #writeEmissive(): void {
    for (let index = 0; index < 3; index++) {
      this.parameters[MaterialOffset.emissive + index] =
        (this.#emissive[index] ?? 0) * this.#emissiveStrength;
    }
    this.changed();
  }

  #followAlpha(): void {
    const isFaded = (this.#parameters[3] as number) < 1 || this.blending !== 'normal';
    if (!isFaded && this.#isFaded) {
      this.alphaMode = 'opaque';
    } else if (isFaded && this.alphaMode === 'opaque') {
      this.alphaMode = 'blend';
      this.#isFaded = true;
    }
  }

  #setFlag(flag: number, isSet: boolean): void {
    this.flags = isSet ? this.flags | flag : this.flags & ~flag;
    this.changed();
  }

  /** @internal Marks the material to be sent with the next update. */
  changed(): void {
    for (const observer of this.observers) observer.markMaterial(this);
  }
}

/** Freezes a returned list in development, because writing to it would have no effect. */
const readOnly = (list: number[]): ColorLike =>
  (globalThis.FENCEPOST_DEVELOPMENT ? Object.freeze(list) : list) as ColorLike;

function fill(material: Material, options: StandardMaterialOptions): Material {
  const { opacity, alphaMode, blending, name: _name, ...rest } = options;
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) Object.assign(material, { [key]: value });
  }
  // Opacity is set after the base colour, whose alpha would otherwise replace it.
  if (opacity !== undefined) material.opacity = opacity;
  if (alphaMode !== undefined) material.alphaMode = alphaMode;
  if (blending !== undefined) material.blending = blending;
  return material;
}

/**
 * Creates a material of glTF's metallic-roughness model. Defaults: white, not metallic, roughness 0.5.
 * @example standardMaterial({ baseColor: '#ff7a1a', roughness: 0.3 })
 */
export function standardMaterial(options: StandardMaterialOptions = {}): Material {
  checkOptions('standardMaterial', options, ALL_STANDARD_OPTIONS);
  return fill(new Material(options.name ?? 'standard material'), options);
}

/**
 * Creates a material that shows its base colour unchanged by lights, exposure and tone mapping
 * (KHR_materials_unlit).
 * @example unlitMaterial({ baseColorTexture: texture('label.png') })
 */
export function unlitMaterial(options: UnlitMaterialOptions = {}): Material {
  checkOptions('unlitMaterial', options, ALL_UNLIT_OPTIONS);
  return fill(new Material(options.name ?? 'unlit material', MaterialFlag.unlit), options);
}
