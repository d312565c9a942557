/**
 * Descriptors of RHI resources: plain data, the words of WebGPU, handles in place of objects.
 * Sizes are in bytes or texels as their names say; usages are WebGPU's bits, repeated here because
 * `GPUBufferUsage` does not exist where there is no WebGPU.
 */

declare const handleKind: unique symbol;
type Handle<Kind extends string> = number & { readonly [handleKind]: Kind };
export type BufferHandle = Handle<'buffer'>;
export type TextureHandle = Handle<'texture'>;
export type SamplerHandle = Handle<'sampler'>;
export type ShaderModuleHandle = Handle<'shader-module'>;
export type BindGroupLayoutHandle = Handle<'bind-group-layout'>;
export type BindGroupHandle = Handle<'bind-group'>;
export type GraphicsPipelineHandle = Handle<'graphics-pipeline'>;
export type ComputePipelineHandle = Handle<'compute-pipeline'>;
export type QuerySetHandle = Handle<'query-set'>;
export type FenceHandle = Handle<'fence'>;
export type DrawBundleHandle = Handle<'draw-bundle'>;
export type ResourceHandle =
  | BufferHandle
  | TextureHandle
  | SamplerHandle
  | ShaderModuleHandle
  | BindGroupLayoutHandle
  | BindGroupHandle
  | GraphicsPipelineHandle
  | ComputePipelineHandle
  | QuerySetHandle
  | FenceHandle
  | DrawBundleHandle;

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

export interface DrawBundleDescriptor {
  readonly label: string;
}

export interface BufferDescriptor {
  readonly label: string;
  readonly byteLength: number;
  readonly usage: number;
}

export interface TextureDescriptor {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Default 1. */
  readonly depthOrArrayLayers?: number;
  readonly mipLevelCount?: number;
  readonly sampleCount?: number;
  readonly dimension?: GPUTextureDimension;
  readonly format: GPUTextureFormat;
  readonly usage: number;
  readonly viewFormats?: readonly GPUTextureFormat[];
}

/** A view of a texture, made and cached by the backend. Omitted fields mean the whole texture. */
export interface TextureViewDescriptor {
  readonly texture: TextureHandle;
  readonly format?: GPUTextureFormat;
  readonly dimension?: GPUTextureViewDimension;
  readonly aspect?: GPUTextureAspect;
  readonly baseMipLevel?: number;
  readonly mipLevelCount?: number;
  readonly baseArrayLayer?: number;
  readonly arrayLayerCount?: number;
}

export type SamplerDescriptor = Omit<GPUSamplerDescriptor, 'label'> & { readonly label: string };

export interface ShaderModuleDescriptor {
  readonly label: string;
  /** WGSL. */
  readonly code: string;
}

export interface BindGroupLayoutDescriptor {
  readonly label: string;
  readonly entries: readonly GPUBindGroupLayoutEntry[];
}

export type BindGroupEntry = { readonly binding: number } & (
  | { readonly buffer: BufferHandle; readonly byteOffset?: number; readonly byteLength?: number }
  | { readonly sampler: SamplerHandle }
  | { readonly view: TextureViewDescriptor }
);

export interface BindGroupDescriptor {
  readonly label: string;
  readonly layout: BindGroupLayoutHandle;
  readonly entries: readonly BindGroupEntry[];
}

export interface ProgrammableStage {
  readonly module: ShaderModuleHandle;
  readonly entryPoint: string;
  readonly constants?: Readonly<Record<string, number>>;
}

export interface GraphicsPipelineDescriptor {
  readonly label: string;
  readonly bindGroupLayouts: readonly BindGroupLayoutHandle[];
  readonly vertex: ProgrammableStage & { readonly buffers?: readonly (GPUVertexBufferLayout | null)[] };
  readonly fragment?: ProgrammableStage & { readonly targets: readonly (GPUColorTargetState | null)[] };
  readonly primitive?: GPUPrimitiveState;
  readonly depthStencil?: GPUDepthStencilState;
  readonly multisample?: GPUMultisampleState;
}

export interface ComputePipelineDescriptor {
  readonly label: string;
  readonly bindGroupLayouts: readonly BindGroupLayoutHandle[];
  readonly compute: ProgrammableStage;
}

export interface QuerySetDescriptor {
  readonly label: string;
  readonly type: GPUQueryType;
  readonly count: number;
}

export interface ColorAttachment {
  readonly view: TextureViewDescriptor;
  /** Of a 3D texture, and needed there: which of the mip level's slices is drawn into, from 0. */
  readonly depthSlice?: number;
  readonly resolveTarget?: TextureViewDescriptor;
  readonly loadOp: GPULoadOp;
  readonly storeOp: GPUStoreOp;
  readonly clearValue?: readonly [number, number, number, number];
}

export interface DepthStencilAttachment {
  readonly view: TextureViewDescriptor;
  readonly depthLoadOp?: GPULoadOp;
  readonly depthStoreOp?: GPUStoreOp;
  readonly depthClearValue?: number;
  readonly depthReadOnly?: boolean;
  readonly stencilLoadOp?: GPULoadOp;
  readonly stencilStoreOp?: GPUStoreOp;
  readonly stencilClearValue?: number;
  readonly stencilReadOnly?: boolean;
}

export interface TimestampWrites {
  readonly querySet: QuerySetHandle;
  readonly beginningOfPassWriteIndex?: number;
  readonly endOfPassWriteIndex?: number;
}

export interface RenderPassDescriptor {
  readonly label: string;
  readonly colorAttachments: readonly (ColorAttachment | null)[];
  readonly depthStencilAttachment?: DepthStencilAttachment;
  readonly occlusionQuerySet?: QuerySetHandle;
  readonly timestampWrites?: TimestampWrites;
}

export interface ComputePassDescriptor {
  readonly label: string;
  readonly timestampWrites?: TimestampWrites;
}

/** A box of texels, for writes and copies. Omitted fields are 0, or 1 for depth. */
export interface TextureRegion {
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers?: number;
  readonly mipLevel?: number;
  /** For texture to texture copies: where in the source. */
  readonly sourceMipLevel?: number;
  readonly sourceOrigin?: readonly [number, number, number];
  /** Where in the texture the box begins: x and y in texels from the top left of the mip level; depth slice or layer. */
  readonly origin?: readonly [number, number, number];
  readonly aspect?: GPUTextureAspect;
  /** Layout of the buffer or bytes on the other side. */
  readonly byteOffset?: number;
  readonly bytesPerRow?: number;
  readonly rowsPerImage?: number;
  /** For external images. */
  readonly flipY?: boolean;
  readonly premultipliedAlpha?: boolean;
}

/** What `clearTexture` clears, and to what. Omitted fields mean the whole texture, and zeros. */
export interface TextureClear {
  readonly aspect?: GPUTextureAspect;
  readonly baseMipLevel?: number;
  readonly mipLevelCount?: number;
  readonly baseArrayLayer?: number;
  readonly arrayLayerCount?: number;
  /** Red, green, blue, alpha; in the format's own range. */
  readonly color?: readonly [number, number, number, number];
  /** 0 to 1. */
  readonly depth?: number;
  readonly stencil?: number;
}

/** What the device can do; asked once, sent to every thread that records (SYSTEMS H10). */
export interface RhiCapabilities {
  readonly backend: 'webgpu' | 'null';
  readonly adapter: string;
  /** Storage format of the surface (`rgba8unorm` or `bgra8unorm`). */
  readonly surfaceFormat: GPUTextureFormat;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}
