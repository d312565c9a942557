import { OptionError } from '../../core/errors.js';
import { checkNames } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';
import { MaterialOffset } from '../../proxy/materials/material-layout.js';
import { parseColor } from './color.js';
import { checkShaderName } from './shader-names.js';

/** A number, 2 to 4 numbers, or a CSS colour. */
export type UniformValue = number | string | ArrayLike<number>;
export type UniformValues = Readonly<Record<string, UniformValue>>;
/** Types of the values that can be assigned to each uniform. A uniform reads as a number or a list of numbers. */
export type ShaderUniforms<Values extends UniformValues> = {
  -readonly [Name in keyof Values]: Values[Name] extends number ? number : string | ArrayLike<number>;
};

/** A material has room for this many uniforms of 4 numbers, and as many of 3 numbers. The guide states the number. */
export const MOST_UNIFORMS = 19;
/** Number of rows of four numbers. In every second row the last number is a flag: 1 if the slot has a texture. */
const ROWS = MOST_UNIFORMS * 2;
const roomOf = (row: number): number => 4 - (row % 2);
const COMPONENTS = 'xyzw';

interface Place {
  readonly row: number;
  readonly first: number;
  readonly count: number;
}

/**
 * The uniforms of a material, stored among its parameters in place of texture transforms:
 *
 *   row 0   tint.x  tint.y  tint.z  tint.w
 *   row 1   offset.x  offset.y  speed   (texture)
 *
 * The largest uniforms come first, each into the first row that has room for it. Uniforms of fewer than four
 * numbers prefer rows with a flag.
 */
export class ShaderUniformValues<Values extends UniformValues> {
  /** WGSL of the uniform structure, and of the function that reads it from the material. */
  readonly wgsl: string;
  readonly accessors: ShaderUniforms<Values>;

  /**
   * @param material name of the material, for messages
   * @param parameters parameters of the material
   * @param changed called after a uniform was assigned
   * @throws OptionError `option-invalid`, `option-out-of-range`, `color-invalid`
   */
  constructor(material: string, values: Values, parameters: Float32Array, changed: () => void) {
    const given = Object.entries(values).map(([name, value]) => ({
      name,
      numbers: numbersOf(material, name, value),
    }));
    const places = assignPlaces(material, given);
    // The page chooses the names; `numbersOf` checks the values.
    const known = unchecked(given.map(({ name }) => name).join('|'));
    // An unknown name reaches this prototype, whose setter throws.
    const accessors = Object.create(
      new Proxy(Object.prototype, {
        set: (_target, name, value): boolean => {
          checkNames(`uniforms of "${material}"`, { [String(name)]: value }, known);
          return false;
        },
      }),
    );
    for (const { name, numbers } of given) {
      const { row, first, count } = places.get(name) as Place;
      const at = MaterialOffset.textureTransforms + row * 4 + first;
      parameters.set(numbers, at);
      Object.defineProperty(accessors, name, {
        enumerable: true,
        get: () =>
          count === 1 ? parameters[at] : Object.freeze(Array.from(parameters.subarray(at, at + count))),
        set: (value: UniformValue) => {
          const next = numbersOf(material, name, value);
          if (next.length !== count) {
            throw new OptionError(
              'option-invalid',
              `The uniform "${name}" of "${material}" has ${count === 1 ? 'one number' : `${count} numbers`}, but was assigned ${next.length}.`,
            );
          }
          parameters.set(next, at);
          changed();
        },
      });
    }
    this.accessors = Object.seal(accessors) as ShaderUniforms<Values>;
    this.wgsl = wgslOf(places);
  }
}

function numbersOf(material: string, name: string, value: UniformValue): readonly number[] {
  checkShaderName(material, 'uniform', name);
  if (typeof value === 'string') return parseColor(`"${material}"`, name, value);
  const numbers = typeof value === 'number' ? [value] : Array.from(value ?? []);
  if (numbers.length >= 1 && numbers.length <= 4 && numbers.every(Number.isFinite)) return numbers;
  throw new OptionError(
    'option-invalid',
    `The uniform "${name}" of "${material}" has to be a number, 2 to 4 numbers, or a CSS colour.`,
  );
}

function assignPlaces(
  material: string,
  uniforms: readonly { readonly name: string; readonly numbers: readonly number[] }[],
): ReadonlyMap<string, Place> {
  const used = new Array<number>(ROWS).fill(0);
  const places = new Map<string, Place>();
  for (const { name, numbers } of [...uniforms].sort((a, b) => b.numbers.length - a.numbers.length)) {
    const count = numbers.length;
    // A uniform of fewer than four numbers prefers a row with a flag, in which four numbers would not fit.
    const rows = used.map((_, row) => row).sort((a, b) => (count < 4 ? (b % 2) - (a % 2) : 0) || a - b);
    const row = rows.find((each) => (used[each] as number) + count <= roomOf(each));
    if (row === undefined) {
      throw new OptionError(
        'option-out-of-range',
        `"${material}" has no room for the uniform "${name}". A material has room for ${MOST_UNIFORMS} uniforms of 4 numbers and ${MOST_UNIFORMS} of 3 numbers; smaller uniforms share this room. Put the rest into a texture.`,
      );
    }
    places.set(name, { row, first: used[row] as number, count });
    used[row] = (used[row] as number) + count;
  }
  return places;
}

function wgslOf(places: ReadonlyMap<string, Place>): string {
  const members = [...places].map(
    ([name, { count }]) => `  ${name}: ${count === 1 ? 'f32' : `vec${count}f`},\n`,
  );
  const reads = [...places].map(
    ([name, { row, first, count }]) =>
      `  uniforms.${name} = materials[slot].textureTransforms[${row}].${COMPONENTS.slice(first, first + count)};\n`,
  );
  // A WGSL structure needs at least one member.
  return `struct Uniforms {\n${members.join('') || '  none: f32,\n'}}\nvar<private> uniforms: Uniforms;\nfn readUniforms(slot: u32) {\n${reads.join('')}}\n`;
}
