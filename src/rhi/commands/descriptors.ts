/**
 * Descriptors of RHI resources: plain data in WebGPU's words, with handles in place of objects. `descriptor-shapes.ts`
 * lists their members. Sizes are in bytes or texels, as the names say. Usages are WebGPU's bits; they are repeated here
 * because `GPUBufferUsage` does not exist in environments without WebGPU.
 */

import type { Shaped } from '../../core/options/member.js';
import type { PARTS, SHAPES } from './descriptor-shapes.js';
import type { ResourceKindName } from './handles.js';
import type { Handle } from './shapes.js';

export type BufferHandle = Handle<'buffer'>;
export type TextureHandle = Handle<'texture'>;
export type SamplerHandle = Handle<'sampler'>;
export type ShaderModuleHandle = Handle<'shaderModule'>;
export type BindGroupLayoutHandle = Handle<'bindGroupLayout'>;
export type BindGroupHandle = Handle<'bindGroup'>;
export type GraphicsPipelineHandle = Handle<'graphicsPipeline'>;
export type ComputePipelineHandle = Handle<'computePipeline'>;
export type QuerySetHandle = Handle<'querySet'>;
export type FenceHandle = Handle<'fence'>;
export type DrawBundleHandle = Handle<'drawBundle'>;
export type ResourceHandle = Handle<ResourceKindName>;

export const BufferUsage = {
  mapRead: 0x1,
  mapWrite: 0x2,
  copySource: 0x4,
  copyTarget: 0x8,
  index: 0x10,
  vertex: 0x20,
  uniform: 0x40,
  storage: 0x80,
  indirect: 0x100,
  queryResolve: 0x200,
} as const;

export const TextureUsage = {
  copySource: 0x1,
  copyTarget: 0x2,
  textureBinding: 0x4,
  storageBinding: 0x8,
  renderAttachment: 0x10,
} as const;

export const ShaderStage = { vertex: 1, fragment: 2, compute: 4 } as const;

/**
 * Queues that commands can be assigned to (SYSTEMS H6). The graphics queue executes all commands. The compute queue
 * executes all except render passes, and the copy queue executes no passes.
 */
export const QueueHint = { graphics: 0, compute: 1, copy: 2 } as const;
export type QueueHint = (typeof QueueHint)[keyof typeof QueueHint];

/** `beginFrame` flags. */
export const FrameFlag = {
  /**
   * Waits until every pipeline that the list uses exists, so that no draw is skipped. A context sets the flag at the
   * frame's first read-back, unless it has already sent the `beginFrame` record.
   */
  waitForPipelines: 1,
  /**
   * Lets the page show through the canvas where the alpha is below 1; colours are premultiplied. Without the flag,
   * alpha is ignored.
   */
  translucentSurface: 2,
} as const;

type Shapes = typeof SHAPES;
type Parts = typeof PARTS;

export type BufferDescriptor = Shaped<Shapes['buffer']>;
export type TextureDescriptor = Shaped<Shapes['texture']>;
/** A view of a texture, created and cached by the backend. Without the optional fields it covers the whole texture. */
export type TextureViewDescriptor = Shaped<Parts['VIEW']>;
export type SamplerDescriptor = Shaped<Shapes['sampler']>;
export type ShaderModuleDescriptor = Shaped<Shapes['shader module']>;
export type BindGroupLayoutDescriptor = Shaped<Shapes['bind group layout']>;
export type BindGroupDescriptor = Shaped<Shapes['bind group']>;
export type BindGroupEntry = BindGroupDescriptor['entries'][number];
export type ProgrammableStage = Shaped<Parts['STAGE']>;
export type GraphicsPipelineDescriptor = Shaped<Shapes['graphics pipeline']>;
export type ComputePipelineDescriptor = Shaped<Shapes['compute pipeline']>;
export type QuerySetDescriptor = Shaped<Shapes['query set']>;
export type DrawBundleDescriptor = Shaped<Shapes['draw bundle']>;
export type ColorAttachment = Shaped<Parts['COLOR_ATTACHMENT']>;
export type DepthStencilAttachment = Shaped<Parts['DEPTH_ATTACHMENT']>;
export type TimestampWrites = Shaped<Parts['TIMESTAMPS']>;
export type RenderPassDescriptor = Shaped<Shapes['render pass']>;
export type ComputePassDescriptor = Shaped<Shapes['compute pass']>;
/** A box of texels, for writes and copies. Default: 0 for offsets, 1 for the depth. */
export type TextureRegion = Shaped<Shapes['texture region']>;
/** The part of a texture that `clearTexture` clears, and the values. Default: the whole texture, zeros. */
export type TextureClear = Shaped<Shapes['texture clear']>;

/** Descriptor types, by kind of resource. */
export interface Descriptors {
  readonly buffer: BufferDescriptor;
  readonly texture: TextureDescriptor;
  readonly sampler: SamplerDescriptor;
  readonly shaderModule: ShaderModuleDescriptor;
  readonly bindGroupLayout: BindGroupLayoutDescriptor;
  readonly bindGroup: BindGroupDescriptor;
  readonly graphicsPipeline: GraphicsPipelineDescriptor;
  readonly computePipeline: ComputePipelineDescriptor;
  readonly querySet: QuerySetDescriptor;
}

/** Abilities of the device, read once and sent to every thread that records (SYSTEMS H10). */
export interface RhiCapabilities {
  readonly backend: 'webgpu' | 'null';
  readonly adapter: string;
  /** Storage format of the surface (`rgba8unorm` or `bgra8unorm`). */
  readonly surfaceFormat: GPUTextureFormat;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}
