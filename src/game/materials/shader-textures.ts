import { OptionError } from '../../core/errors.js';
import { MOST_MATERIAL_TEXTURES } from '../../proxy/materials/material-layout.js';
import type { Texture } from '../textures/texture.js';
import { checkShaderName } from './shader-names.js';

/** Checks the textures of a shader material. @returns their names @throws OptionError */
export function checkShaderTextures(
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
    checkShaderName(material, 'texture', name);
    if (name in uniforms) {
      throw new OptionError(
        'option-invalid',
        `"${material}" can't have a texture "${name}", because it has a uniform with this name.`,
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

/** Returns WGSL of the textures and their samplers, in bind group 1. */
export function textureBindings(names: readonly string[]): string {
  return names
    .map(
      (name, slot) =>
        `@group(1) @binding(${slot * 2}) var ${name}: texture_2d<f32>;\n@group(1) @binding(${slot * 2 + 1}) var ${name}Sampler: sampler;\n`,
    )
    .join('');
}
