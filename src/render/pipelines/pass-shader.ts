/**
 * The part of the mesh shader that a feature of passes replaces, named after its WGSL in `MeshShaderSources`.
 */
export type PassShaderPart = 'environment' | 'ambientOcclusion' | 'shadows' | 'clusters' | 'surfaces';

/**
 * A feature of passes that adds code to the mesh shader: the environment, ambient occlusion, shadows, clusters of
 * lights, or the surfaces of the deferred renderer. It applies to passes whose format has its bit, once it is
 * registered with the pipelines.
 */
export interface PassShader {
  readonly part: PassShaderPart;
  /** Bit of `PassFormat` that is set if the pass supports the feature. */
  readonly passBit: number;
  /** Bit of `PassFormat` that omits the feature's code even if `passBit` is set; 0: none. */
  readonly offBit?: number;
  /** WGSL, including the structures that it needs. */
  readonly shaderCode: string;
  /** Targets of surfaces that are written now and lit later. */
  readonly surfaceTargets?: readonly GPUColorTargetState[];
}
