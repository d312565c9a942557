import { OptionError } from '../../core/errors.js';
import { MOST_VARYINGS, VARYING_TYPES, type VaryingType } from '../../proxy/materials/varying-types.js';
import { checkShaderName } from './shader-names.js';

/** Types of the values that `vertex` passes to `surface`, by name. */
export type ShaderVaryings = Readonly<Record<string, VaryingType>>;

/**
 * Checks varyings.
 * @param material name of the material, for messages
 * @param movesVertices whether the WGSL has the function `vertex`
 * @returns their types
 * @throws OptionError `option-invalid`, `option-out-of-range`
 */
export function checkVaryings(
  material: string,
  varyings: ShaderVaryings,
  movesVertices: boolean,
): readonly VaryingType[] {
  const names = Object.keys(varyings);
  if (names.length > 0 && !movesVertices) {
    throw new OptionError(
      'option-invalid',
      `"${material}" has varyings, but its wgsl has no function "vertex" that writes them.`,
    );
  }
  if (names.length > MOST_VARYINGS) {
    throw new OptionError(
      'option-out-of-range',
      `"${material}" has ${names.length} varyings; a material has room for ${MOST_VARYINGS}. Join numbers to vectors, such as vec4f.`,
    );
  }
  for (const [name, type] of Object.entries(varyings)) {
    checkShaderName(material, 'varying', name);
    if (!VARYING_TYPES.includes(type)) {
      throw new OptionError(
        'option-invalid',
        `The type of the varying "${name}" of "${material}" has to be one of ${VARYING_TYPES.join(', ')}.`,
      );
    }
  }
  return Object.values(varyings);
}

/**
 * Returns WGSL of the structure `Varyings`, and of functions that copy it to and from the members `own0`, `own1` … of
 * the vertex stage's output (`render/materials/varyings.ts`).
 *
 * @param movesVertices whether the WGSL has the function `vertex`
 */
export function varyingsWgsl(varyings: ShaderVaryings, movesVertices: boolean): string {
  const names = Object.keys(varyings);
  const members = names.map((name) => `  ${name}: ${varyings[name]},\n`);
  const received = names.map((_, index) => `input.own${index}`);
  const passed = names.map((name, index) => `  (*out).own${index} = movedVaryings.${name};\n`);
  // A WGSL structure needs at least one member.
  return `struct Varyings {\n${members.join('') || '  none: f32,\n'}}
fn receivedVaryings(input: Varying) -> Varyings { return Varyings(${received.join(', ')}); }
${movesVertices ? `fn passVaryings(out: ptr<function, Varying>) {\n${passed.join('')}}\n` : ''}`;
}
