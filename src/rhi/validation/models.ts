/**
 * What the validation layer knows about each resource: the record that created it, and how it is used in the pass
 * that is open. A model stays in its slot when the resource is destroyed, so that messages can still name it.
 *
 *   slot 3   created ─► alive ─► destroyed (named, not usable) ─► the next resource of the slot
 *                 └──► failed: a check refused it; what uses it is dropped in silence, because that was said
 */
import type { BindGroupLayoutDescriptor, SamplerDescriptor } from '../commands/descriptors.js';
import { describeHandle, handleIndex, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import type { FormatInfo } from './formats.js';

export abstract class Model {
  isAlive = true;
  isFailed = false;
  /** Uses (usage bits) that the last `transition` declared; 0: none was. */
  declared = 0;
  /** The list that named it last; -1: none. */
  usedInList = -1;

  constructor(
    readonly handle: number,
    readonly label: string,
  ) {}
}

export class BufferModel extends Model {
  byteLength = 0;
  usage = 0;
  /** The usage scope (see `usage-scope.ts`) that `scopeUse` belongs to. */
  scope = 0;
  scopeUse = 0;
  /** For a dynamic page (L5), by word: one more than the list that wrote it last. */
  writtenInList: Int32Array | null = null;
}

/** A part of a texture used in the open usage scope. */
export interface ScopePart {
  readonly view: TextureView;
  /** Bits of `ScopeUse`. */
  readonly use: number;
}

export class TextureModel extends Model {
  width = 0;
  height = 0;
  layers = 1;
  mips = 1;
  samples = 1;
  dimension: GPUTextureDimension = '2d';
  format = '';
  /** Undefined: a format these checks don't know, or the surface's when that isn't told. */
  info: FormatInfo | undefined;
  viewFormats: readonly string[] = [];
  usage = 0;
  isViewport = false;
  scope = 0;
  scopeParts: ScopePart[] = [];
}

/** A view with every field settled. */
export interface TextureView {
  readonly texture: TextureModel;
  readonly format: string;
  readonly info: FormatInfo | undefined;
  readonly dimension: GPUTextureViewDimension;
  readonly aspect: GPUTextureAspect;
  readonly firstMip: number;
  readonly mips: number;
  readonly firstLayer: number;
  readonly layers: number;
}

export class SamplerModel extends Model {
  descriptor: SamplerDescriptor | null = null;
}

export class ShaderModel extends Model {}

export class LayoutModel extends Model {
  /** Equal for layouts with equal entries, whatever their labels. */
  id = 0;
  isEmpty = true;
  entries: BindGroupLayoutDescriptor['entries'] = [];
}

export interface BufferBinding {
  readonly buffer: BufferModel;
  readonly scopeUse: number;
  /** Bit of `BufferUsage`. */
  readonly usage: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly isDynamic: boolean;
}

export interface TextureBinding {
  readonly view: TextureView;
  readonly scopeUse: number;
  /** Bit of `TextureUsage`. */
  readonly usage: number;
}

export class BindGroupModel extends Model {
  layout: LayoutModel | null = null;
  buffers: readonly BufferBinding[] = [];
  textures: readonly TextureBinding[] = [];
  /** Of each dynamic buffer, in the order of the bindings: the largest offset, and what it must be a multiple of. */
  dynamicLimits: readonly number[] = [];
  dynamicAlignments: readonly number[] = [];
  /** It binds a dynamic page, whose data lives for one frame. */
  hasDynamicData = false;
  /** The usage scope its resources were last noted in. */
  scope = 0;
  /** The count of destroys when all it names was last found alive. */
  aliveAt = -1;
  /** The count of transitions when all it names was last found declared. */
  declaredAt = -1;
}

export interface VertexSlot {
  readonly slot: number;
  readonly stride: number;
  /** Bytes that the last vertex needs. */
  readonly lastBytes: number;
  readonly isPerInstance: boolean;
}

export class GraphicsPipelineModel extends Model {
  layouts: readonly LayoutModel[] = [];
  /** By group: the layout's id; 0 where nothing must be set. */
  layoutIds: Int32Array = new Int32Array(0);
  vertexSlots: readonly VertexSlot[] = [];
  colorFormats: readonly string[] = [];
  depthFormat = '';
  samples = 1;
  writesDepth = false;
  writesStencil = false;
  /** Index format of strips: -1 none, 0 uint16, 1 uint32. */
  stripFormat = -1;
  isStrip = false;
  /** The pass signature it was last found to fit. */
  fits = 0;
}

export class ComputePipelineModel extends Model {
  layouts: readonly LayoutModel[] = [];
  layoutIds: Int32Array = new Int32Array(0);
}

export class QuerySetModel extends Model {
  type: GPUQueryType = 'occlusion';
  count = 0;
}

export class DrawBundleModel extends Model {
  commands: Uint32Array = new Uint32Array(0);
  draws = 0;
}

export class FenceModel extends Model {
  value = 0;
}

/** `buffer "vertices" (buffer 3.0)`. */
export const nameOf = (model: Model): string => describeHandle(model.handle, model.label);

/** The models of one kind, by handle. */
export class ModelTable<M extends Model> {
  readonly slots: (M | undefined)[] = [];

  constructor(
    readonly kind: number,
    readonly create: (handle: number, label: string) => M,
  ) {}

  get kindName(): string {
    return KIND_NAMES[this.kind];
  }

  /** Per draw: alive, though perhaps failed. */
  find(handle: number): M | undefined {
    const model = this.slots[handleIndex(handle)];
    return model !== undefined && model.handle === handle && model.isAlive ? model : undefined;
  }

  add(handle: number, label: string): M {
    const model = this.create(handle, label);
    this.slots[handleIndex(handle)] = model;
    return model;
  }
}

export class Models {
  readonly buffers = new ModelTable(ResourceKind.buffer, (h, l) => new BufferModel(h, l));
  readonly textures = new ModelTable(ResourceKind.texture, (h, l) => new TextureModel(h, l));
  readonly samplers = new ModelTable(ResourceKind.sampler, (h, l) => new SamplerModel(h, l));
  readonly shaders = new ModelTable(ResourceKind.shaderModule, (h, l) => new ShaderModel(h, l));
  readonly layouts = new ModelTable(ResourceKind.bindGroupLayout, (h, l) => new LayoutModel(h, l));
  readonly bindGroups = new ModelTable(ResourceKind.bindGroup, (h, l) => new BindGroupModel(h, l));
  readonly graphicsPipelines = new ModelTable(
    ResourceKind.graphicsPipeline,
    (h, l) => new GraphicsPipelineModel(h, l),
  );
  readonly computePipelines = new ModelTable(
    ResourceKind.computePipeline,
    (h, l) => new ComputePipelineModel(h, l),
  );
  readonly querySets = new ModelTable(ResourceKind.querySet, (h, l) => new QuerySetModel(h, l));
  readonly fences = new ModelTable(ResourceKind.fence, (h, l) => new FenceModel(h, l));
  readonly drawBundles = new ModelTable(ResourceKind.drawBundle, (h, l) => new DrawBundleModel(h, l));
  /** By `ResourceKind`. */
  readonly tables: readonly (ModelTable<Model> | undefined)[] = [
    undefined,
    this.buffers,
    this.textures,
    this.samplers,
    this.shaders,
    this.layouts,
    this.bindGroups,
    this.graphicsPipelines,
    this.computePipelines,
    this.querySets,
    this.fences,
    this.drawBundles,
  ];
  /** Resources destroyed so far: a bind group is looked through again only when this has changed. */
  destroyCount = 0;
  /** Transitions so far; 0 means that nobody declares any. */
  transitionCount = 0;
}
