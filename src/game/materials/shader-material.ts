/**
 * Materials whose shader is WGSL that the page provides. The WGSL moves vertices and sets the appearance of surfaces.
 * The engine lights these surfaces with the same lights, environment and shadows as other materials, in both
 * renderers.
 *
 *   wgsl, uniforms, textures ─► code ── setMaterialShader, once ──► render thread: combined with the mesh shader
 *   material.uniforms.wave = 2 ─► parameters ── setMaterial ──► the floats that other materials use for texture transforms
 */

import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  byDefault,
  numberFrom,
  oneOf,
  optional,
  property,
  text,
} from '../../core/options/members.js';
import { MaterialFlag, ShaderFeature } from '../../proxy/materials/material-layout.js';
import { packVaryings } from '../../proxy/materials/varying-types.js';
import type { ShaderChunk } from '../shader-chunks/shader-chunk.js';
import type { Texture } from '../textures/texture.js';
import { Material, type MaterialShader } from './material.js';
import { colorOption, numberOption } from './material-parameters.js';
import { SentShader } from './sent-shader.js';
import { findShaderFeatures, timeFeature } from './shader-functions.js';
import { checkDeclarations, collectChunks, composeShader } from './shader-imports.js';
import { checkShaderTextures, textureBindings } from './shader-textures.js';
import { type ShaderUniforms, ShaderUniformValues, type UniformValues } from './shader-uniforms.js';
import { checkVaryings, type ShaderVaryings, varyingsWgsl } from './shader-varyings.js';

/**
 * The constructor checks the options declared by `anything`, so that errors name the material. Setters check the
 * options declared by `property`.
 */
const OPTIONS = {
  /**
   * WGSL with one of these functions, or both:
   *
   * - `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>)` changes the appearance of a
   *   point of the surface: `baseColor`, `emissive`, `metallic`, `roughness`, `occlusion`, `normal`.
   * - `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>)` changes a vertex: `position`
   *   (metres) and `normal` in the space of the object, after skinning and morphing; `uv`, `uv1`, `color`,
   *   `varyings`. It requires `displacement`.
   */
  wgsl: anything<string>(),
  /**
   * Maximum distance by which `vertex` moves vertices, 0 to 1e9 metres in the space of the object. The object's scale
   * applies to the distance as well. Bounds are enlarged by this distance, so that nothing visible and no shadow is
   * culled. The value can't be changed later. It is required with `vertex`, and not allowed without.
   */
  displacement: optional(numberFrom(0, 1e9)),
  /**
   * Chunks of WGSL whose functions the code calls, such as those of `fencepost/shaders`. Chunks that they import are
   * added as well.
   */
  imports: optional(anything<readonly ShaderChunk[]>()),
  /**
   * Types of at most 6 values that `vertex` writes as `(*moved).varyings.name`, and `surface` reads as
   * `point.varyings.name`. Numbers (`f32`, `vec2f` to `vec4f`) are interpolated over the triangle. Integers (`i32`,
   * `u32`, `vec2i` …) are those of the triangle's first vertex.
   */
  varyings: optional(anything<ShaderVaryings>()),
  /**
   * Values that the code reads as `uniforms.name`: numbers (`f32`), lists of 2 to 4 numbers (`vec2f` to `vec4f`), or
   * CSS colours (`vec4f`, linear). There is room for 19 uniforms of 4 numbers and 19 of 3 numbers. Smaller uniforms use
   * the same room.
   */
  uniforms: optional(anything<UniformValues>()),
  /**
   * Textures, at most 12, each with a `colorSpace`. `surface` reads them by `textureSample(name, nameSampler, uv)`, and
   * `vertex` by `textureSampleLevel(name, nameSampler, uv, level)`.
   */
  textures: optional(anything<Readonly<Record<string, Texture>>>()),
  /** Whether the material is lit. Default true. An unlit material shows its `baseColor` unchanged. */
  lit: byDefault(boolean(), true),
  /** CSS colour (sRGB) or linear numbers: initial value of `appearance.baseColor`. Default white. */
  baseColor: colorOption(),
  /** Initial value of `appearance.metallic`, 0 (default) to 1. */
  metallic: numberOption('metallic'),
  /** Initial value of `appearance.roughness`, 0 to 1. Default 0.5. */
  roughness: numberOption('roughness'),
  /**
   * Default `opaque`. `mask` discards fragments with less alpha than `alphaCutoff`, in shadows and picks as
   * well.
   */
  alphaMode: byDefault(oneOf('opaque|mask|blend'), 'opaque'),
  alphaCutoff: numberOption('alphaCutoff'),
  doubleSided: property(boolean()),
  depthTest: property(boolean()),
  depthWrite: property(boolean()),
  blending: property(oneOf('normal|additive|multiply')),
  name: optional(text('text')),
};

export interface ShaderMaterialOptions<Uniforms extends UniformValues = UniformValues>
  extends Shaped<typeof OPTIONS> {
  readonly uniforms?: Uniforms;
}

/** The material that `shaderMaterial` creates. */
export class ShaderMaterial<Uniforms extends UniformValues = UniformValues> extends Material {
  readonly #uniforms: ShaderUniforms<Uniforms>;
  readonly #options: ShaderMaterialOptions<Uniforms>;
  readonly #textureNames: readonly string[];
  readonly #chunks: readonly ShaderChunk[];
  /** Types of varyings, as `packVaryings` returns them. */
  readonly #varyings: number;
  /** WGSL of uniforms, varyings and textures. */
  readonly #declarations: string;
  #wgsl: string;

  /** @internal Use `shaderMaterial()`. */
  constructor(options: ShaderMaterialOptions<Uniforms>) {
    const { name = 'shader material', lit = true, textures = {}, varyings = {}, wgsl, imports } = options;
    const movesVertices = (checkFunctions(name, options) & ShaderFeature.vertex) !== 0;
    super(name, lit ? 0 : MaterialFlag.unlit);
    this.#options = options;
    const values = new ShaderUniformValues(name, options.uniforms ?? ({} as Uniforms), this.parameters, () =>
      this.changed(),
    );
    this.#uniforms = values.accessors;
    this.#varyings = packVaryings(checkVaryings(name, varyings, movesVertices));
    this.#textureNames = checkShaderTextures(name, textures, options.uniforms ?? {});
    for (const [slot, texture] of Object.values(textures).entries()) this.textures[slot] = texture;
    this.#chunks = collectChunks(name, imports);
    this.#declarations = `${values.wgsl}${varyingsWgsl(varyings, movesVertices)}${textureBindings(this.#textureNames)}`;
    this.#wgsl = wgsl;
    this.shader = this.#shaderOf(wgsl);
  }

  /**
   * The page's WGSL, without its imports. Assigning other WGSL replaces the shader while the engine runs. Until the new
   * shader is compiled, and if it does not compile, the last one stays in use. Uniforms, textures, varyings and the
   * displacement stay as they are.
   * @throws OptionError `option-invalid`. Errors of the WGSL compiler arrive as an `error` event.
   */
  get wgsl(): string {
    return this.#wgsl;
  }
  set wgsl(wgsl: string) {
    if (wgsl === this.#wgsl) return;
    this.shader = this.#shaderOf(wgsl);
    this.#wgsl = wgsl;
    this.changed();
  }

  /**
   * Uniforms by name. Assigning a uniform changes the material. A uniform reads as a number, or as a frozen list of
   * numbers. Assigning an object to `uniforms` sets the uniforms that the object names.
   * @throws OptionError `option-unknown`, `option-invalid`, `color-invalid`
   */
  get uniforms(): ShaderUniforms<Uniforms> {
    return this.#uniforms;
  }
  set uniforms(values: Partial<ShaderUniforms<Uniforms>>) {
    Object.assign(this.#uniforms, values);
  }

  /** @internal Throws, because textures of a shader material have names instead of slots, and are set at creation. */
  override writeTexture(): void {
    throw new OptionError(
      'option-invalid',
      `"${this.name}" has a shader of its own, which has no texture slots. Pass the texture to shaderMaterial by a name, and sample it in the WGSL code.`,
    );
  }

  override clone(name = this.name): ShaderMaterial<Uniforms> {
    const uniforms = { ...this.#options.uniforms, ...this.uniforms } as Uniforms;
    const clone = new ShaderMaterial<Uniforms>({ ...this.#options, wgsl: this.#wgsl, uniforms, name });
    clone.copyState(this);
    return clone;
  }

  #shaderOf(wgsl: string): MaterialShader {
    const { name = 'shader material', displacement } = this.#options;
    // Functions of chunks may read the time, too.
    const features = checkFunctions(name, { wgsl, displacement }) | timeFeature(this.#chunks);
    checkDeclarations(name, this.#chunks, wgsl, this.#textureNames);
    const code = composeShader(name, this.#declarations, this.#chunks, wgsl);
    return new SentShader(code, this.#textureNames.length, features, this.#varyings, displacement ?? 0);
  }
}

/** Checks the shader's functions. @returns bits of `ShaderFeature` @throws OptionError */
function checkFunctions(
  material: string,
  { wgsl, displacement }: Pick<ShaderMaterialOptions, 'wgsl' | 'displacement'>,
): number {
  const features = findShaderFeatures(material, wgsl);
  const movesVertices = (features & ShaderFeature.vertex) !== 0;
  if (movesVertices === (displacement !== undefined)) return features;
  throw new OptionError(
    'option-invalid',
    movesVertices
      ? `"${material}" moves vertices: set displacement to the maximum distance, in metres. Without it, vertices that move into view may be culled.`
      : `"${material}" has a displacement, but its wgsl has no function "vertex".`,
  );
}

/**
 * Creates a material whose appearance is defined by the page's own WGSL.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`. Errors of the WGSL
 * compiler arrive as an `error` event; the material's meshes are then not drawn.
 * @example
 * const striped = shaderMaterial({
 *   uniforms: { dark: '#234', width: 0.2 },
 *   wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
 *     if fract(point.position.y / uniforms.width) < 0.5 { (*appearance).baseColor = uniforms.dark; }
 *   }`,
 * });
 */
export function shaderMaterial<Uniforms extends UniformValues = Record<never, never>>(
  options: ShaderMaterialOptions<Uniforms>,
): ShaderMaterial<Uniforms> {
  checkOptions('shaderMaterial', options, OPTIONS);
  const { alphaMode = OPTIONS.alphaMode.default, ...others } = options;
  const { alphaCutoff, baseColor, metallic, roughness, doubleSided } = others;
  const { depthTest, depthWrite, blending } = others;
  const material = new ShaderMaterial(options);
  material.alphaMode = alphaMode;
  const given = {
    ...{ alphaCutoff, baseColor, metallic, roughness, doubleSided },
    ...{ depthTest, depthWrite, blending },
  };
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(material, { [key]: value });
  }
  return material;
}
