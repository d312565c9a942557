import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { BufferUse, TextureUse } from './resource-uses.js';

/**
 * A pass of the frame graph: a name, a kind, and two functions. `setup` declares what the pass reads and writes;
 * `execute` records its commands. Nothing exists during set-up, so a handle is only a number there; `execute` gets
 * from its context the textures and buffers that stand behind the handles which this pass has declared.
 *
 *   setup(builder)      every pass, in order        builder.createTexture · read · write · color · depth
 *   compile             passes that nobody needs are left out; lifetimes, textures, load and store operations
 *   prepare(context)    the passes that are left, in order, outside render passes: uploads, bind groups, pipelines
 *   execute(context)    the same passes, in order, inside their render or compute pass
 */
export interface GraphPass {
  readonly name: string;
  /** `raster`: inside a render pass; `compute`: inside a compute pass; `copy`: outside both. */
  readonly kind: GraphPassKind;
  /**
   * Where the pass is meant to run. `automatic` (the default): a compute pass whose result isn't needed by the next
   * pass may overlap with those in between. WebGPU has one queue: order and lifetimes are kept, and the browser
   * decides what overlaps.
   */
  readonly queue?: GraphQueue;
  /**
   * True in a frame that needs nothing of the pass, because what it writes still holds what it would write: it is neither prepared
   * nor executed, and its render pass isn't begun. It keeps its place, so that the graph has the shape it had. Only for passes that
   * modify what they write.
   */
  readonly isIdle?: boolean;
  setup(builder: PassBuilder): void;
  prepare?(context: PassContext): void;
  execute(context: PassContext): void;
}

export type GraphPassKind = 'raster' | 'compute' | 'copy';
export type GraphQueue = 'automatic' | 'graphics' | 'compute' | 'copy';

declare const graphHandle: unique symbol;
/**
 * A texture of the graph in one state of its contents: each write makes the next version, and only the newest can be
 * read or written. Valid in the frame that it was made in.
 */
export type GraphTexture = number & { readonly [graphHandle]: 'texture' };
/** A buffer of the graph in one state of its contents; see `GraphTexture`. */
export type GraphBuffer = number & { readonly [graphHandle]: 'buffer' };

/** What a texture is; its usage follows from what passes do with it. Sizes are in texels. */
export interface GraphTextureDescriptor {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly format: GPUTextureFormat;
  /** 1 or 4. Default 1. */
  readonly sampleCount?: number;
  /** Default 1. */
  readonly mipLevelCount?: number;
  /** Layers, or faces of cubes. Default 1. */
  readonly layers?: number;
}

export interface GraphBufferDescriptor {
  readonly name: string;
  /** A multiple of 4. */
  readonly byteLength: number;
}

/** One mip level of one layer; without it, the whole texture. */
export interface Subresource {
  readonly mipLevel?: number;
  readonly layer?: number;
}

export interface ColorOptions extends Subresource {
  /** Which location of the fragment shader is written: 0 to 7. Default: the next one. */
  readonly slot?: number;
  /** Linear red, green, blue, alpha. Without it, what is there already stays, and undefined contents become 0. */
  readonly clear?: readonly [number, number, number, number];
  /** The texture is written as if it had this format: `rgba8unorm-srgb` for one of `rgba8unorm`. Default: its own. */
  readonly viewFormat?: GPUTextureFormat;
  /** Gets one sample per pixel of a multisampled texture when the pass ends. */
  readonly resolveTo?: GraphTexture;
}

export interface DepthOptions extends Subresource {
  /** Depth between 0 and 1. Without it, what is there already stays, and undefined contents become 0. */
  readonly clear?: number;
  /** The pass compares with depth, writes none, and may sample it as well. */
  readonly readOnly?: boolean;
}

/** Given to `setup`; valid until it returns. */
export interface PassBuilder {
  /** A texture that lives from its first use in the frame to its last. */
  createTexture(descriptor: GraphTextureDescriptor): GraphTexture;
  createBuffer(descriptor: GraphBufferDescriptor): GraphBuffer;
  /** The newest version of what has this name. @throws GraphError `graph-resource-unknown` */
  findTexture(name: string): GraphTexture;
  findBuffer(name: string): GraphBuffer;
  /** Whether there is something of this name. */
  has(name: string): boolean;
  /** @throws GraphError `graph-nothing-written`, `graph-outdated-version`, `graph-use-refused` */
  read(resource: GraphTexture, use: TextureUse, where?: Subresource): void;
  read(resource: GraphBuffer, use: BufferUse): void;
  /** All of it is written: what was there before is lost. Returns the next version. */
  write(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  write(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  /** Part of it is written, or it is read as well. Returns the next version. */
  modify(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  modify(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  /** A colour attachment of a raster pass. Returns the next version, of `resolveTo` where that is given. */
  color(texture: GraphTexture, options?: ColorOptions): GraphTexture;
  /** The depth attachment of a raster pass. Returns the next version, or this one where it is only read. */
  depth(texture: GraphTexture, options?: DepthOptions): GraphTexture;
  /** The pass is executed even if nobody reads what it writes: it has an effect beyond the graph. */
  keep(): void;
}

/** A buffer that keeps what passes have written until the pass that asks for it is removed. */
export interface LastingBufferDescriptor extends GraphBufferDescriptor {
  /** What it holds in the beginning; default: zeros. At most as long as the buffer. */
  readonly data?: ArrayBuffer | ArrayBufferView<ArrayBuffer>;
}

/** A texture that keeps what passes have written until the pass that asks for it is removed; zeros in the beginning. */
export interface LastingTextureDescriptor extends GraphTextureDescriptor {
  /** Whether compute passes write it as storage: not every format can be. Default false. */
  readonly isStorage?: boolean;
}

/** Given to `setup` of passes of users. */
export interface UserPassBuilder extends PassBuilder {
  /**
   * A buffer with the contents of the frame before. Ask for it in each set-up; with another length it is another buffer.
   * Other passes of the frame find it by name.
   */
  lastingBuffer(descriptor: LastingBufferDescriptor): GraphBuffer;
  /** Likewise a texture: of another size or format, it is another texture. */
  lastingTexture(descriptor: LastingTextureDescriptor): GraphTexture;
  /** What a texture is: to make another one like it. */
  describe(texture: GraphTexture): Required<GraphTextureDescriptor>;
}

/** Given to `prepare` and `execute`; valid until they return. */
export interface PassContext {
  readonly rhi: ImmediateContext;
  /** Another number where handles may stand for other textures or buffers than before: what names them (bind groups) is made anew. */
  readonly version: number;
  /** @throws GraphError `graph-access-undeclared`: this pass has not declared it */
  texture(handle: GraphTexture): TextureHandle;
  buffer(handle: GraphBuffer): BufferHandle;
}
