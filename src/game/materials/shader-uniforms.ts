import { OptionError } from '../../core/errors.js';
import { checkNames } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';
import { MaterialOffset, TEXTURE_SLOT_COUNT } from '../../proxy/materials/material-layout.js';
import { parseColor } from './color.js';

/** Keywords and reserved words of WGSL (its specification, sections 16.1 and 16.2), which can't name a uniform. */
const RESERVED =
  ' alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield ';

const isReserved = (name: string): boolean => RESERVED.includes(` ${name} `);

/** A number, 2 to 4 numbers, or a CSS colour. */
export type UniformValue = number | string | ArrayLike<number>;
export type UniformValues = Readonly<Record<string, UniformValue>>;
/** Types that can be assigned to a uniform. Reading one returns a number or a list of numbers. */
export type ShaderUniforms<Values extends UniformValues> = {
  -readonly [Name in keyof Values]: Values[Name] extends number ? number : string | ArrayLike<number>;
};

/** Number of rows of four numbers. The last number of every second row is the flag for a texture. */
const ROWS = TEXTURE_SLOT_COUNT * 2;
const roomOf = (row: number): number => 4 - (row % 2);
const COMPONENTS = 'xyzw';
/** Valid names of uniforms and textures: WGSL identifiers of ASCII characters that begin with a letter. */
export const SHADER_NAME = /^(?!__)[a-zA-Z][a-zA-Z0-9_]*$/;

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
   * @throws OptionError `option-invalid`, `option-out-of-range`
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
              `The uniform "${name}" of "${material}" is ${count === 1 ? 'a number' : `${count} numbers`}, not ${next.length}.`,
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
  if (isReserved(name)) {
    throw new OptionError(
      'option-invalid',
      `"${material}" can't have a uniform "${name}": that word is reserved in WGSL. Choose another name.`,
    );
  }
  if (!SHADER_NAME.test(name)) {
    throw new OptionError(
      'option-invalid',
      `"${material}" can't have a uniform "${name}": a name starts with a letter, and consists of letters, digits and _.`,
    );
  }
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
    // Fewer than four numbers prefer a row in which four would not fit.
    const rows = used.map((_, row) => row).sort((a, b) => (count < 4 ? (b % 2) - (a % 2) : 0) || a - b);
    const row = rows.find((each) => (used[each] as number) + count <= roomOf(each));
    if (row === undefined) {
      throw new OptionError(
        'option-out-of-range',
        `"${material}" has no room for the uniform "${name}": ${TEXTURE_SLOT_COUNT} of 4 numbers and ${TEXTURE_SLOT_COUNT} of 3 fit, or smaller ones in their place. Put the rest into a texture.`,
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
