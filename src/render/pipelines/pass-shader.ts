/** The part of the mesh shader that a feature of passes takes over, by the name of its WGSL in `MeshShaderSources`. */
export type PassShaderPart = 'environment' | 'shadows' | 'clusters' | 'surfaces';

/**
 * A feature of passes that takes part in the shader of meshes: light from all around, shadows, clusters of lights, the writing of
 * surfaces. It registers with the pipelines when it is created, and counts for passes whose format has its bit.
 */
export interface PassShader {
  readonly part: PassShaderPart;
  /** Bit of `PassFormat`: the pass has what it needs. */
  readonly passBit: number;
  /** Bit of `PassFormat` that leaves its code out all the same; 0: none does. */
  readonly offBit?: number;
  /** WGSL, with the structures that it needs. */
  readonly shaderCode: string;
  /** Targets of surfaces that are written down, to be lit later. */
  readonly surfaceTargets?: readonly GPUColorTargetState[];
}
