import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { DrawStatePolicy } from './draw-state-order.js';

/** Policy that decides how a pass draws. */
export interface PassPolicy extends DrawStatePolicy {
  /** Increases when keys get other pipelines. */
  readonly version: number;
  /** Returns the pipeline of a key. It is created at the first call, which must be outside passes. */
  pipeline(passKey: number): GraphicsPipelineHandle;
  /** Number of sections of the pass, each recorded in a render pass of its own; default: 1. */
  readonly sections?: number;
  /** Returns the section that draws this key. */
  sectionOf?(passKey: number): number;
  /** Whether transmissive draws are separate, because they show the opaque scene. Default: they are opaque draws. */
  readonly separatesTransmissive?: boolean;
  /** Whether blended draws are separate, because they are added up with weights. Default: they are sorted. */
  readonly hasWeights?: boolean;
  /** Whether triangles are drawn as their edges (`EdgeIndices`). */
  readonly drawsEdges?: boolean;
  /** Returns whether the draws of this key are weighted, if `hasWeights` is true. */
  isWeighted?(passKey: number): boolean;
}
