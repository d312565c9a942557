import weightedMeshCode from '../../../shaders/mesh-weighted.wgsl?raw';
import fadingCode from '../../../shaders/mesh-weighted-fading.wgsl?raw';

/** Formats of the targets of weighted surfaces: sums and visible shares. Unmapped colours have sums of their own. */
export const SUM_FORMAT = 'rgba16float';
export const SHARE_FORMAT = 'r16float';

const ADD = { srcFactor: 'one', dstFactor: 'one' } as const;
const SUM: GPUColorTargetState = { format: SUM_FORMAT, blend: { color: ADD, alpha: ADD } };
const DIM = { srcFactor: 'zero', dstFactor: 'one-minus-src' } as const;
const SHARE: GPUColorTargetState = { format: SHARE_FORMAT, blend: { color: DIM, alpha: DIM } };
const MAPPED = [SUM, SHARE];
const LAYERS = [SUM, SHARE, SUM];

/** Returns the targets of pipelines that draw weighted surfaces. */
export const weightedTargets = (hasUnmappedTarget: boolean): GPUColorTargetState[] =>
  hasUnmappedTarget ? LAYERS : MAPPED;

/** Returns the part of the mesh shader that draws weighted surfaces. */
export const weightedCode = (isFading: boolean): string =>
  isFading ? `${weightedMeshCode}${fadingCode}` : weightedMeshCode;
