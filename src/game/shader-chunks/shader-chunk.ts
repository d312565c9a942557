/**
 * A piece of WGSL with functions for shader materials. `shaderMaterial({ imports })` adds chunks and their own imports
 * to the material's WGSL, each once.
 */
export interface ShaderChunk {
  /** Name for error messages. */
  readonly name: string;
  /** Functions, constants and structures of WGSL. */
  readonly wgsl: string;
  /** Chunks whose functions this one calls. */
  readonly imports?: readonly ShaderChunk[];
}
