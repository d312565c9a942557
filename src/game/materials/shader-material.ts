/**
 * Materials with a shader of the page. Its WGSL places vertices and sets the appearance of surfaces. The
 * engine lights them with the same lights, environment and shadows as other materials, in both renderers.
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
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  MaterialFlag,
  MOST_MATERIAL_TEXTURES,
  ShaderFeature,
} from '../../proxy/materials/material-layout.js';
import type { Texture } from '../textures/texture.js';
import { encodeText, writeText } from '../updates/write-record.js';
import { Material, type MaterialShader } from './material.js';
import { colorOption, numberOption } from './material-parameters.js';
import { findShaderFeatures } from './shader-functions.js';
import {
  SHADER_NAME,
  type ShaderUniforms,
  ShaderUniformValues,
  type UniformValues,
} from './shader-uniforms.js';

/**
 * Rows of `anything` are checked by the constructor, whose errors name the material. Rows of `property` are
 * checked by setters.
 */
const OPTIONS = {
  /**
   * WGSL with one of these functions, or both:
   *
   * - `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>)` changes the appearance of a
   *   point of the surface: `baseColor`, `emissive`, `metallic`, `roughness`, `occlusion`, `normal`.
   * - `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>)` changes a vertex: `position`
   *   (metres) and `normal` in the space of the object, after skinning and morphing; `uv`, `uv1`, `color`. It
   *   requires `displacement`.
   */
  wgsl: anything<string>(),
  /**
   * Maximum distance by which `vertex` moves vertices: metres in the space of the object, multiplied by its
   * scale; 0 to 1e9. Bounds are enlarged by this distance, so that nothing visible and no shadow is culled. The value
   * can't be changed later. It is required with `vertex`, and not allowed without.
   */
  displacement: optional(numberFrom(0, 1e9)),
  /**
   * Values that the code reads as `uniforms.name`: numbers (`f32`), lists of 2 to 4 (`vec2f` to `vec4f`), or
   * CSS colours (`vec4f`, linear); about 30 numbers in all.
   */
  uniforms: optional(anything<UniformValues>()),
  /**
   * Textures that the code reads as `textureSample(name, nameSampler, uv)`, in `vertex` as
   * `textureSampleLevel(name, nameSampler, uv, level)`; at most 5, each with a `colorSpace`.
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
  name: optional(text('text')),
};

export interface ShaderMaterialOptions<Uniforms extends UniformValues = UniformValues>
  extends Shaped<typeof OPTIONS> {
  readonly uniforms?: Uniforms;
}

class SentShader implements MaterialShader {
  readonly #code: Uint8Array;
  readonly #textureCount: number;
  readonly #features: number;
  readonly #displacement: number;
  /** The stream that has the shader, by the material's entry in an engine's registry. */
  readonly #sent = new WeakMap<object, StreamWriter>();

  /** @param features bits of `ShaderFeature` */
  constructor(code: string, textureCount: number, features: number, displacement: number) {
    this.#code = encodeText(code);
    this.#textureCount = textureCount;
    this.#features = features;
    this.#displacement = displacement;
  }

  send(writer: StreamWriter, entry: { readonly id: number }): void {
    if (this.#sent.get(entry) === writer) return;
    const code = this.#code;
    const at = writer.reserve(RenderOpcode.setMaterialShader, 5 + ((code.length + 3) >> 2));
    const { words, floats } = writer;
    words[at] = entry.id;
    words[at + 1] = this.#textureCount;
    words[at + 2] = this.#features;
    floats[at + 3] = this.#displacement;
    writeText(words, at + 4, code);
    this.#sent.set(entry, writer);
  }
}

/** The material that `shaderMaterial` creates. */
export class ShaderMaterial<Uniforms extends UniformValues = UniformValues> extends Material {
  readonly #uniforms: ShaderUniforms<Uniforms>;
  readonly #options: ShaderMaterialOptions<Uniforms>;

  /** @internal Use `shaderMaterial()`. */
  constructor(options: ShaderMaterialOptions<Uniforms>) {
    const { name = 'shader material', lit = true, textures = {}, wgsl, displacement = 0 } = options;
    const features = checkFunctions(name, options);
    super(name, lit ? 0 : MaterialFlag.unlit);
    this.#options = options;
    const values = new ShaderUniformValues(name, options.uniforms ?? ({} as Uniforms), this.parameters, () =>
      this.changed(),
    );
    this.#uniforms = values.accessors;
    const names = checkTextures(name, textures, options.uniforms ?? {});
    for (const [slot, texture] of Object.values(textures).entries()) this.textures[slot] = texture;
    // Compile errors are reported with this name and the page's own line numbers
    // (`rhi/webgpu/device/shader-errors.ts`). A comment ends with its line, so the name must not contain line
    // breaks.
    const source = `"${name.replace(/[\s\x85]+/g, ' ')}"`;
    const code = `${values.wgsl}${textureBindings(names)}//# ${source}\n${wgsl}\n//# what follows ${source}\n`;
    this.shader = new SentShader(code, names.length, features, displacement);
  }

  /**
   * Uniforms by name. Assigning one changes the material. A uniform reads as a number, or as a list of numbers that
   * can't be written to. Assigning an object to `uniforms` sets the uniforms that the object names.
   * @throws OptionError `option-unknown`, `option-invalid`
   */
  get uniforms(): ShaderUniforms<Uniforms> {
    return this.#uniforms;
  }
  set uniforms(values: Partial<ShaderUniforms<Uniforms>>) {
    Object.assign(this.#uniforms, values);
  }

  /** @internal Throws, because textures of a shader material have names, and are set at creation. */
  override writeTexture(): void {
    throw new OptionError(
      'option-invalid',
      `"${this.name}" has a shader of its own, which has no texture slots. Pass the texture to shaderMaterial by a name, and sample it in the WGSL code.`,
    );
  }

  override clone(name = this.name): ShaderMaterial<Uniforms> {
    const uniforms = { ...this.#options.uniforms, ...this.uniforms } as Uniforms;
    const clone = new ShaderMaterial<Uniforms>({ ...this.#options, uniforms, name });
    clone.flags = this.flags;
    clone.parameters.set(this.parameters);
    return clone;
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

/** Checks the textures. @returns their names @throws OptionError */
function checkTextures(
  material: string,
  textures: Readonly<Record<string, Texture>>,
  uniforms: object,
): readonly string[] {
  const names = Object.keys(textures);
  if (names.length > MOST_MATERIAL_TEXTURES) {
    throw new OptionError(
      'option-out-of-range',
      `"${material}" has ${names.length} textures; a material has room for ${MOST_MATERIAL_TEXTURES}.`,
    );
  }
  for (const name of names) {
    const texture = textures[name];
    if (!SHADER_NAME.test(name) || name in uniforms) {
      throw new OptionError(
        'option-invalid',
        `"${material}" can't have a texture "${name}": a name starts with a letter, consists of letters, digits and _, and is used once.`,
      );
    }
    if (!texture?.transformOf || texture.srgb === undefined) {
      throw new OptionError(
        'option-invalid',
        `The texture "${name}" of "${material}" has to be a texture with a colour space: texture(source, { colorSpace: 'srgb' }) for colours, 'linear' for data.`,
      );
    }
  }
  return names;
}

function textureBindings(names: readonly string[]): string {
  return names
    .map(
      (name, slot) =>
        `@group(1) @binding(${slot * 2}) var ${name}: texture_2d<f32>;\n@group(1) @binding(${slot * 2 + 1}) var ${name}Sampler: sampler;\n`,
    )
    .join('');
}

/**
 * Creates a material whose appearance is defined by the page's own WGSL.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`. Errors of the WGSL compiler
 * arrive as an `error` event; the material's meshes are then not drawn.
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
  const material = new ShaderMaterial(options);
  const given = { alphaCutoff, baseColor, metallic, roughness, doubleSided };
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(material, { [key]: value });
  }
  material.alphaMode = alphaMode;
  return material;
}
