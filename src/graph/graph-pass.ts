import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { BufferUse, TextureUse } from './resource-uses.js';

/**
 * A pass of the frame graph: a name, a kind, and functions. `setup` declares what the pass reads and writes;
 * `execute` records its commands. During set-up no resource exists, so a handle is only a number. The context
 * of `execute` resolves the handles that the pass has declared to textures and buffers.
 *
 *   setup(builder)      every pass, in order        builder.createTexture · read · write · color · depth
 *   compile             leaves out unneeded passes; computes lifetimes, textures, load and store operations
 *   prepare(context)    the remaining passes, in order, outside render passes: uploads, bind groups, pipelines
 *   execute(context)    the same passes, in order, inside their render or compute pass
 */
export interface GraphPass {
  readonly name: string;
  /** `raster` passes execute in a render pass, `compute` passes in a compute pass, `copy` passes outside both. */
  readonly kind: GraphPassKind;
  /**
   * Preferred queue. With `automatic` (the default), a compute pass may overlap with the passes up to the first one
   * that needs its result. WebGPU has only one queue, so the browser decides which passes really overlap.
   */
  readonly queue?: GraphQueue;
  /**
   * True in frames in which the pass's output still has the contents that the pass would write. An idle pass is neither
   * prepared nor executed, and its render pass is not begun. Its declarations stay, so the graph keeps its shape. Only
   * passes that modify their output may be idle.
   */
  readonly isIdle?: boolean;
  /** Whether all calls of the pass are checked: see `checked-pass.ts`. */
  readonly isChecked?: boolean;
  setup(builder: PassBuilder): void;
  prepare?(context: PassContext): void;
  execute(context: PassContext): void;
}

export type GraphPassKind = 'raster' | 'compute' | 'copy';
export type GraphQueue = 'automatic' | 'graphics' | 'compute' | 'copy';

declare const graphHandle: unique symbol;
/**
 * Handle of one version of a texture's contents. Each write makes the next version, and passes can read or write only
 * the newest version. The handle is valid only in the frame in which it was made.
 */
export type GraphTexture = number & { readonly [graphHandle]: 'texture' };
/** Handle of one version of a buffer's contents; the rules of `GraphTexture` apply. */
export type GraphBuffer = number & { readonly [graphHandle]: 'buffer' };

/** Description of a texture, in texels. The graph derives its usage from the passes. */
export interface GraphTextureDescriptor {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly format: GPUTextureFormat;
  /** Samples per texel, 1 or 4. Default 1. */
  readonly sampleCount?: number;
  /** Number of mip levels. Default 1. */
  readonly mipLevelCount?: number;
  /** Number of layers, or of faces of cubes. Default 1. */
  readonly layers?: number;
}

export interface GraphBufferDescriptor {
  readonly name: string;
  /** Length in bytes, a multiple of 4. */
  readonly byteLength: number;
}

/** A mip level, a layer, or one level of one layer. Default: all levels and all layers. */
export interface Subresource {
  readonly mipLevel?: number;
  readonly layer?: number;
}

export interface ColorOptions extends Subresource {
  /** Location of the fragment shader's output, 0 to 7. Default: the next free one. */
  readonly slot?: number;
  /** Linear red, green, blue and alpha. Default: existing contents are kept, and undefined contents become 0. */
  readonly clear?: readonly [number, number, number, number];
  /**
   * Format of the view that is written, such as `rgba8unorm-srgb` for a texture of `rgba8unorm`. Default: the texture's
   * format.
   */
  readonly viewFormat?: GPUTextureFormat;
  /** Texture that receives the resolved pixels of a multisampled texture when the pass ends. */
  readonly resolveTo?: GraphTexture;
}

export interface DepthOptions extends Subresource {
  /** Depth between 0 and 1. Default: existing contents are kept, and undefined contents become 0. */
  readonly clear?: number;
  /**
   * Whether the pass only compares with depth. It may then also sample the texture, but not write it. Default false.
   */
  readonly readOnly?: boolean;
}

/** The argument of `setup`; valid until `setup` returns. */
export interface PassBuilder {
  /** Creates a texture that lives from its first use in the frame to its last. */
  createTexture(descriptor: GraphTextureDescriptor): GraphTexture;
  createBuffer(descriptor: GraphBufferDescriptor): GraphBuffer;
  /** Returns the newest version of the texture with this name. @throws GraphError `graph-resource-unknown` */
  findTexture(name: string): GraphTexture;
  findBuffer(name: string): GraphBuffer;
  /** Returns whether a resource with this name exists. */
  has(name: string): boolean;
  /**
   * Declares that the pass reads the resource.
   * @throws GraphError `graph-nothing-written`, `graph-outdated-version`, `graph-use-refused`
   */
  read(resource: GraphTexture, use: TextureUse, where?: Subresource): void;
  read(resource: GraphBuffer, use: BufferUse): void;
  /**
   * Declares that the pass writes all of the resource, or all of the part `where`. Earlier contents of it are lost.
   * @returns the next version
   */
  write(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  write(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  /** Declares that the pass writes a part of the resource, or reads it as well. @returns the next version */
  modify(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  modify(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  /** Declares a colour attachment of a raster pass. @returns the next version of `resolveTo`, or else of `texture` */
  color(texture: GraphTexture, options?: ColorOptions): GraphTexture;
  /** Declares the depth attachment of a raster pass. @returns the next version, or `texture` itself with `readOnly` */
  depth(texture: GraphTexture, options?: DepthOptions): GraphTexture;
  /** Makes the graph execute the pass even if no pass reads its output, because it has an effect beyond the graph. */
  keep(): void;
}

/** A buffer that keeps its contents between frames, until the pass that asks for it is removed. */
export interface LastingBufferDescriptor extends GraphBufferDescriptor {
  /** Initial contents, at most as long as the buffer. Default: zeros. */
  readonly data?: ArrayBuffer | ArrayBufferView<ArrayBuffer>;
}

/**
 * A texture that keeps its contents between frames, until the pass that asks for it is removed. It begins with zeros.
 */
export interface LastingTextureDescriptor extends GraphTextureDescriptor {
  /** Whether compute passes write it as storage, which not every format allows. Default false. */
  readonly isStorage?: boolean;
}

/** The argument of `setup` of users' passes. */
export interface UserPassBuilder extends PassBuilder {
  /**
   * Returns a buffer with the contents of the frame before. A pass calls this in each set-up that uses the buffer. A
   * changed length replaces the buffer by a new one. Other passes of the frame find the buffer by its name.
   */
  lastingBuffer(descriptor: LastingBufferDescriptor): GraphBuffer;
  /** Returns a texture with the contents of the frame before. A changed descriptor replaces it by a new texture. */
  lastingTexture(descriptor: LastingTextureDescriptor): GraphTexture;
  /** Returns a texture's descriptor, to create another one like it. */
  describe(texture: GraphTexture): Required<GraphTextureDescriptor>;
}

/** The argument of `prepare` and `execute`; valid until they return. */
export interface PassContext {
  readonly rhi: ImmediateContext;
  /**
   * Changes whenever a handle may resolve to another texture or buffer. Bind groups with such resources have to be
   * created again.
   */
  readonly version: number;
  /** Returns the texture of a handle. @throws GraphError `graph-access-undeclared` if this pass has not declared it */
  texture(handle: GraphTexture): TextureHandle;
  buffer(handle: GraphBuffer): BufferHandle;
}
