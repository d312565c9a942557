/**
 * The WebGPU objects behind the handles, and their making. What can be refused by the GPU is created inside an
 * error scope, so that an error names the object; the object is then failed, and what uses it is skipped and
 * counted. Pipelines are created asynchronously: pending → ready | failed.
 */
import { type ErrorDetails, messageOf, RhiError } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import { rhiCommands } from '../commands/commands.js';
import {
  type BindGroupDescriptor,
  type BindGroupLayoutDescriptor,
  type BufferDescriptor,
  BufferUsage,
  type ComputePipelineDescriptor,
  type GraphicsPipelineDescriptor,
  type ProgrammableStage,
  type QuerySetDescriptor,
  type SamplerDescriptor,
  type TextureDescriptor,
  TextureUsage,
  type TextureViewDescriptor,
} from '../commands/descriptors.js';
import { handleKind, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import { descriptorAt } from '../commands/record-fields.js';
import { type Resource, ResourceTable } from '../memory/resource-table.js';
import { GpuMemory } from './gpu-memory.js';
import type { Outdatable } from './outdated.js';
import { PipelineLayouts } from './pipeline-layouts.js';
import { RecordArena } from './record-arena.js';
import { shaderCompilationError } from './shader-errors.js';

/** A resource with its WebGPU object; null while pending and after failing. */
export interface GpuResource<T> extends Resource {
  gpu: T | null;
  /** Where `Resources.creationOf` finds the record that created it; −1: it is the viewport's. */
  creation: number;
}
export interface BufferResource extends GpuResource<GPUBuffer>, Outdatable {
  readonly byteLength: number;
  readonly usage: number;
}
export interface TextureResource extends GpuResource<GPUTexture>, Outdatable {
  /** By `viewKey`. */
  readonly views: Map<string, GPUTextureView>;
  /** True for the surface's texture, which the viewport owns. */
  readonly isViewport: boolean;
}
export interface LayoutResource extends GpuResource<GPUBindGroupLayout> {
  readonly isEmpty: boolean;
}
export interface PipelineResource<P> extends GpuResource<P> {
  isFailed: boolean;
  /** Bit i: bind group i must be set for a draw. */
  readonly groupMask: number;
  /** Bit i: vertex buffer i must be set for a draw. */
  readonly vertexMask: number;
}
export interface BindGroupResource extends GpuResource<GPUBindGroup> {
  /** A buffer in it was renamed: it is made again when it is set next (`renaming.ts`). */
  isOutdated: boolean;
}

/** Names a view within its texture. */
export const viewKey = (view: TextureViewDescriptor): string =>
  `${view.format}|${view.dimension}|${view.aspect}|${view.baseMipLevel}|${view.mipLevelCount}|${view.baseArrayLayer}|${view.arrayLayerCount}`;

export function viewOf(resource: TextureResource, view: TextureViewDescriptor, key: string): GPUTextureView {
  let gpuView = resource.views.get(key);
  if (gpuView === undefined) {
    // WebGPU reads only the fields it knows, so the view's own description serves as it is.
    gpuView = (resource.gpu as GPUTexture).createView(view as GPUTextureViewDescriptor);
    resource.views.set(key, gpuView);
  }
  return gpuView;
}

export class Resources {
  readonly buffers = new ResourceTable<BufferResource>(ResourceKind.buffer);
  readonly textures = new ResourceTable<TextureResource>(ResourceKind.texture);
  readonly samplers = new ResourceTable<GpuResource<GPUSampler>>(ResourceKind.sampler);
  readonly shaderModules = new ResourceTable<GpuResource<GPUShaderModule>>(ResourceKind.shaderModule);
  readonly layouts = new ResourceTable<LayoutResource>(ResourceKind.bindGroupLayout);
  readonly bindGroups = new ResourceTable<BindGroupResource>(ResourceKind.bindGroup);
  readonly graphicsPipelines = new ResourceTable<PipelineResource<GPURenderPipeline>>(
    ResourceKind.graphicsPipeline,
  );
  readonly computePipelines = new ResourceTable<PipelineResource<GPUComputePipeline>>(
    ResourceKind.computePipeline,
  );
  readonly querySets = new ResourceTable<GpuResource<GPUQuerySet>>(ResourceKind.querySet);
  /** By `ResourceKind`. */
  readonly tables: readonly (ResourceTable<GpuResource<unknown>> | undefined)[];
  readonly pipelineLayouts: PipelineLayouts;
  readonly memory: GpuMemory;

  /** Pipelines being created. */
  pendingPipelines = 0;
  /** Number of the frame being executed, for the leak report. */
  frame = 0;
  /**
   * Rises whenever what a recorded draw may rely on changes under an unchanged handle: a resource has failed, was
   * destroyed or renamed, or a pipeline is ready.
   */
  epoch = 0;

  readonly #device: GPUDevice;
  readonly #reader: StreamReader;
  readonly #onError: (error: unknown) => void;
  readonly #records = new RecordArena();
  #pipelineWaiters: (() => void)[] = [];

  /** @param reader its current record is what creates a resource */
  constructor(device: GPUDevice, reader: StreamReader, onError: (error: unknown) => void) {
    this.#device = device;
    this.memory = new GpuMemory(device);
    this.#reader = reader;
    this.#onError = onError;
    this.pipelineLayouts = new PipelineLayouts(device, this.layouts);
    this.tables = [
      undefined,
      this.buffers,
      this.textures,
      this.samplers,
      this.shaderModules,
      this.layouts,
      this.bindGroups,
      this.graphicsPipelines,
      this.computePipelines,
      this.querySets,
    ] as (ResourceTable<GpuResource<unknown>> | undefined)[];
  }

  /** Per frame, where code is too cold for an iteration to cost nothing. */
  get count(): number {
    const { tables } = this;
    let count = 0;
    for (let kind = 1; kind < tables.length; kind++) count += tables[kind]?.count ?? 0;
    return count;
  }

  /** A kind with a table of its own; destroying, release and the leak report are the same for all. */
  addTable<R extends Resource>(kind: ResourceKind, table: ResourceTable<R>): void {
    const tables = this.tables as (ResourceTable<never> | undefined)[];
    tables[kind] = table as ResourceTable<never>;
  }

  /** The handle means nothing any more. */
  take(handle: number): GpuResource<unknown> | undefined {
    const resource = this.tables[handleKind(handle)]?.take(handle);
    if (resource === undefined) return undefined;
    this.epoch++;
    if (handleKind(handle) === ResourceKind.bindGroupLayout) this.pipelineLayouts.forget(handle);
    return resource;
  }

  /** For messages; empty where a handle means nothing. */
  labelOf(handle: number): string {
    return this.tables[handleKind(handle)]?.find(handle)?.label ?? '';
  }

  whenPipelinesReady(): Promise<void> {
    if (this.pendingPipelines === 0) return Promise.resolve();
    return new Promise((resolve) => this.#pipelineWaiters.push(resolve));
  }

  createBuffer(handle: number, { label, byteLength, usage }: BufferDescriptor): void {
    const resource = this.#add(this.buffers, { handle, label, byteLength, usage, outdated: null });
    this.#checkLimit(resource, 'buffer', 'byteLength', byteLength, 'maxBufferSize');
    this.#inScope(resource, ResourceKind.buffer, () =>
      this.memory.createBuffer({
        label,
        size: byteLength,
        // So that a capture can copy it at any time; a buffer that is mapped for reading can't be copied from.
        usage: usage & BufferUsage.mapRead ? usage : usage | BufferUsage.copySource,
      }),
    );
  }

  createTexture(handle: number, descriptor: TextureDescriptor): void {
    const { label, width, height, depthOrArrayLayers = 1, dimension } = descriptor;
    const resource = this.#add(this.textures, {
      handle,
      label,
      views: new Map(),
      isViewport: false,
      outdated: null,
    });
    const sizeLimit = dimension === '3d' ? 'maxTextureDimension3D' : 'maxTextureDimension2D';
    this.#checkLimit(resource, 'texture', 'width', width, sizeLimit);
    this.#checkLimit(resource, 'texture', 'height', height, sizeLimit);
    this.#inScope(resource, ResourceKind.texture, () =>
      this.memory.createTexture({
        ...(descriptor as GPUTextureDescriptor & TextureDescriptor),
        size: [width, height, depthOrArrayLayers],
        usage: descriptor.usage | TextureUsage.copySource,
      }),
    );
  }

  createSampler(handle: number, descriptor: SamplerDescriptor): void {
    const resource = this.#add(this.samplers, { handle, label: descriptor.label });
    this.#inScope(resource, ResourceKind.sampler, () => this.#device.createSampler(descriptor));
  }

  createShaderModule(handle: number, label: string, code: string): void {
    const resource = this.#add(this.shaderModules, { handle, label });
    this.#device.pushErrorScope('validation');
    const module = this.#device.createShaderModule({ label, code });
    resource.gpu = module;
    this.#device.popErrorScope().then(async (error) => {
      if (error === null) return;
      this.#fail(resource);
      this.#onError(await shaderCompilationError(module, label, code, error.message));
    }, ignoreLoss);
  }

  createBindGroupLayout(handle: number, { label, entries }: BindGroupLayoutDescriptor): void {
    const resource = this.#add(this.layouts, { handle, label, isEmpty: entries.length === 0 });
    this.#inScope(resource, ResourceKind.bindGroupLayout, () =>
      this.#device.createBindGroupLayout({ label, entries }),
    );
  }

  createBindGroup(handle: number, descriptor: BindGroupDescriptor): BindGroupResource {
    const resource = this.#add(this.bindGroups, { handle, label: descriptor.label, isOutdated: false });
    const described = this.#describeBindGroup(descriptor);
    // What it names has failed, and that was reported: this one is failed too, silently.
    if (described !== null) {
      this.#inScope(resource, ResourceKind.bindGroup, () => this.#device.createBindGroup(described));
    }
    return resource;
  }

  /** What a bind group was made of; it is not kept, because few are asked. */
  bindGroupDescriptor(group: BindGroupResource): BindGroupDescriptor {
    return descriptorAt(this.creationOf(group) as Uint32Array, 1);
  }

  /** Per draw. An outdated one is made again; null where it has failed, or what it names means nothing any more. */
  bindGroupOf(group: BindGroupResource): GPUBindGroup | null {
    if (group.gpu !== null || !group.isOutdated) return group.gpu;
    group.isOutdated = false;
    const descriptor = this.bindGroupDescriptor(group);
    const isWhole = descriptor.entries.every(
      (entry) => !('buffer' in entry) || this.buffers.find(entry.buffer),
    );
    const described = isWhole ? this.#describeBindGroup(descriptor) : null;
    group.gpu = described && this.#device.createBindGroup(described);
    return group.gpu;
  }

  /** Header and fields of the record that created a resource, so that it can be created again; null: the viewport's. */
  creationOf({ creation }: GpuResource<unknown>): Uint32Array | null {
    return creation < 0 ? null : this.#records.at(creation);
  }

  createGraphicsPipeline(handle: number, descriptor: GraphicsPipelineDescriptor): void {
    const { label, bindGroupLayouts, vertex, fragment, primitive, depthStencil, multisample } = descriptor;
    let vertexMask = 0;
    vertex.buffers?.forEach((buffer, slot) => {
      if (buffer !== null) vertexMask |= 1 << slot;
    });
    const { graphicsPipelines } = this;
    const resource = this.#addPipeline(graphicsPipelines, handle, label, bindGroupLayouts, vertexMask);
    const stages = fragment ? [vertex, fragment] : [vertex];
    this.#createPipeline(resource, bindGroupLayouts, stages, (layout, gpuStages) =>
      // To WebGPU, a member that is undefined is one that was left out.
      this.#device.createRenderPipelineAsync({
        label,
        layout,
        vertex: gpuStages[0],
        fragment: gpuStages[1] as GPUFragmentState | undefined,
        primitive,
        depthStencil,
        multisample,
      }),
    );
  }

  createComputePipeline(handle: number, descriptor: ComputePipelineDescriptor): void {
    const { label, bindGroupLayouts } = descriptor;
    const resource = this.#addPipeline(this.computePipelines, handle, label, bindGroupLayouts, 0);
    this.#createPipeline(resource, bindGroupLayouts, [descriptor.compute], (layout, [compute]) =>
      this.#device.createComputePipelineAsync({ label, layout, compute }),
    );
  }

  createQuerySet(handle: number, descriptor: QuerySetDescriptor): void {
    const resource = this.#add(this.querySets, { handle, label: descriptor.label });
    this.#inScope(resource, ResourceKind.querySet, () => this.#device.createQuerySet(descriptor));
  }

  #add<R extends Resource, T>(
    table: ResourceTable<R & GpuResource<T>>,
    own: Omit<R, 'gpu' | 'createdInFrame' | 'creation'>,
  ): R & GpuResource<T> {
    const { words, fields, fieldWords } = this.#reader;
    const creation = this.#records.add(words.subarray(fields - 1, fields + fieldWords), () =>
      this.tables.flatMap((each) => [...(each?.values() ?? [])]),
    );
    const resource = { ...own, creation, createdInFrame: this.frame, gpu: null } as unknown as R &
      GpuResource<T>;
    if (table.add(resource)) this.epoch++;
    return resource;
  }

  #addPipeline<P>(
    table: ResourceTable<PipelineResource<P>>,
    handle: number,
    label: string,
    bindGroupLayouts: readonly number[],
    vertexMask: number,
  ): PipelineResource<P> {
    let groupMask = 0;
    bindGroupLayouts.forEach((layout, group) => {
      if (this.layouts.find(layout)?.isEmpty === false) groupMask |= 1 << group;
    });
    return this.#add<PipelineResource<P>, P>(table, {
      handle,
      label,
      isFailed: false,
      groupMask,
      vertexMask,
    });
  }

  #createPipeline<P>(
    resource: PipelineResource<P>,
    bindGroupLayouts: readonly number[],
    stages: readonly ProgrammableStage[],
    create: (layout: GPUPipelineLayout, stages: readonly GPUProgrammableStage[]) => Promise<P>,
  ): void {
    const layout = this.pipelineLayouts.get(bindGroupLayouts);
    const modules = stages.map(({ module }) => this.shaderModules.get(module));
    // Reported by itself; known to be failed now, or by the time when the pipeline is.
    const isBroken = (): boolean => modules.some(({ gpu }) => !gpu);
    if (layout === null || isBroken()) {
      resource.isFailed = true;
      return;
    }
    this.pendingPipelines++;
    const details = this.#creationDetails(resource);
    const gpuStages = stages.map((stage, index) => ({
      ...stage,
      module: modules[index].gpu as GPUShaderModule,
    }));
    create(layout, gpuStages)
      .then(
        (pipeline) => {
          resource.gpu = pipeline;
        },
        (cause: unknown) => {
          resource.isFailed = true;
          if (isBroken()) return;
          this.#onError(
            new RhiError(
              'pipeline-creation',
              `The pipeline "${resource.label}" could not be created: ${messageOf(cause)} What it draws is left out.`,
              { cause, details },
            ),
          );
        },
      )
      .then(() => {
        this.epoch++;
        if (--this.pendingPipelines > 0) return;
        const waiters = this.#pipelineWaiters;
        this.#pipelineWaiters = [];
        for (const resolve of waiters) resolve();
      });
  }

  #describeBindGroup({ label, layout, entries }: BindGroupDescriptor): GPUBindGroupDescriptor | null {
    const gpuLayout = this.layouts.get(layout).gpu;
    if (gpuLayout === null) return null;
    const gpuEntries: GPUBindGroupEntry[] = [];
    for (const entry of entries) {
      const resource = this.#boundResource(entry);
      if (resource === null) return null;
      gpuEntries.push({ binding: entry.binding, resource });
    }
    return { label, layout: gpuLayout, entries: gpuEntries };
  }

  #boundResource(entry: BindGroupDescriptor['entries'][number]): GPUBindingResource | null {
    if ('buffer' in entry) {
      const buffer = this.buffers.get(entry.buffer).gpu;
      return buffer && { buffer, offset: entry.byteOffset, size: entry.byteLength };
    }
    if ('sampler' in entry) return this.samplers.get(entry.sampler).gpu;
    const texture = this.textures.get(entry.view.texture);
    return texture.gpu === null ? null : viewOf(texture, entry.view, viewKey(entry.view));
  }

  /** Creates, and marks the resource as failed when the GPU refuses it, which is known a little later. */
  #inScope<T>(resource: GpuResource<T>, kind: ResourceKind, create: () => T): void {
    const device = this.#device;
    const canExhaust = kind === ResourceKind.buffer || kind === ResourceKind.texture;
    const details = this.#creationDetails(resource);
    const refusal = (code: string, cause: unknown): RhiError =>
      new RhiError(
        code,
        `The ${KIND_NAMES[kind]} "${resource.label}" could not be created: ${messageOf(cause)} What uses it is left out.`,
        { cause, details },
      );
    const listen = (code: string): void => {
      device.popErrorScope().then((error) => {
        if (error === null) return;
        this.#fail(resource);
        this.#onError(refusal(code, error));
      }, ignoreLoss);
    };
    if (canExhaust) device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    try {
      resource.gpu = create();
    } catch (cause) {
      // A descriptor that WebGPU doesn't understand: an unknown format, a negative size.
      throw refusal('resource-creation', cause);
    } finally {
      listen('resource-creation');
      if (canExhaust) listen('out-of-memory');
    }
  }

  /** Of the current record, for what is known of its resource only later. */
  #creationDetails({ label, createdInFrame }: Resource): ErrorDetails {
    const command: string = rhiCommands.names[this.#reader.opcode];
    return { command, label, frame: `${createdInFrame}` };
  }

  #fail(resource: GpuResource<unknown>): void {
    if (resource.gpu !== null) this.memory.forget(resource.gpu as object);
    resource.gpu = null;
    this.epoch++;
  }

  #checkLimit(
    resource: Resource,
    kind: string,
    what: string,
    value: number,
    limit: 'maxBufferSize' | 'maxTextureDimension2D' | 'maxTextureDimension3D',
  ): void {
    const maximum = this.#device.limits[limit];
    if (value >= 0 && value <= maximum) return;
    throw new RhiError(
      'limit-exceeded',
      `The ${kind} "${resource.label}" has a ${what} of ${value}; this device allows 0 to ${maximum} (${limit}). Make it smaller.`,
    );
  }
}

/** An error scope rejects only when the device is lost, and that is reported by itself. */
function ignoreLoss(): void {}
