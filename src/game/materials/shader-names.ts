import { OptionError } from '../../core/errors.js';

/** Keywords and reserved words of WGSL (its specification, sections 16.1 and 16.2), which can't be names. */
const RESERVED =
  ' alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield ';

const isReserved = (name: string): boolean => RESERVED.includes(` ${name} `);

/** WGSL identifiers of ASCII characters that begin with a letter. */
const SHADER_NAME = /^(?!__)[a-zA-Z][a-zA-Z0-9_]*$/;

/**
 * Checks the name of a value that a page's WGSL reads.
 * @param material name of the material, for messages
 * @param kind the value's kind, such as `uniform`
 * @throws OptionError `option-invalid`
 */
export function checkShaderName(material: string, kind: string, name: string): void {
  if (isReserved(name)) {
    throw new OptionError(
      'option-invalid',
      `"${material}" can't have a ${kind} "${name}": that word is reserved in WGSL. Choose another name.`,
    );
  }
  if (!SHADER_NAME.test(name)) {
    throw new OptionError(
      'option-invalid',
      `"${material}" can't have a ${kind} "${name}": a name starts with a letter, and consists of letters, digits and _.`,
    );
  }
}
