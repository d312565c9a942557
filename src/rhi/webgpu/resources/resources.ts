/**
 * Creates the WebGPU objects of handles, and keeps them in tables. Objects that the GPU can refuse are created
 * inside an error scope, so that an error names the object. A refused object counts as failed, and commands that
 * use it are left out. Pipelines are created asynchronously: pending → ready | failed.
 */
import { type ErrorDetails, messageOf, RhiError } from '../../../core/errors.js';
import type { StreamReader } from '../../../core/streams/stream.js';
import { rhiCommands } from '../../commands/commands.js';
import { visitHandles } from '../../commands/descriptor-shapes.js';
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
} from '../../commands/descriptors.js';
import { handleKind, KIND_NAMES, ResourceKind } from '../../commands/handles.js';
import { descriptorAt } from '../../commands/resource-fields.js';
import { type Resource, ResourceTable } from '../../execute/resource-table.js';
import { inErrorScope } from '../device/in-error-scope.js';
import { shaderCompilationError } from '../device/shader-errors.js';
import { describeBindGroup } from './bind-groups.js';
import { GpuMemory } from './gpu-memory.js';
import type {
  BindGroupResource,
  BufferResource,
  GpuResource,
  LayoutResource,
  PipelineResource,
  TextureResource,
} from './gpu-resources.js';
import { forgetLayout, groupMaskOf, pipelineLayoutOf } from './pipeline-layouts.js';
import { RecordArena } from './record-arena.js';

type CreatePipeline<P> = (layout: GPUPipelineLayout, stages: readonly GPUProgrammableStage[]) => Promise<P>;
type Own<R extends Resource> = Omit<R, 'gpu' | 'createdInFrame' | 'creation'>;

export class Resources {
  /** Tables by `ResourceKind`. */
  readonly tables: (ResourceTable<GpuResource<unknown>> | undefined)[] = [];
  readonly buffers = this.addTable<BufferResource>(ResourceKind.buffer);
  readonly textures = this.addTable<TextureResource>(ResourceKind.texture);
  readonly samplers = this.addTable<GpuResource<GPUSampler>>(ResourceKind.sampler);
  readonly shaderModules = this.addTable<GpuResource<GPUShaderModule>>(ResourceKind.shaderModule);
  readonly layouts = this.addTable<LayoutResource>(ResourceKind.bindGroupLayout);
  readonly bindGroups = this.addTable<BindGroupResource>(ResourceKind.bindGroup);
  readonly graphicsPipelines = this.addTable<PipelineResource<GPURenderPipeline>>(
    ResourceKind.graphicsPipeline,
  );
  readonly computePipelines = this.addTable<PipelineResource<GPUComputePipeline>>(
    ResourceKind.computePipeline,
  );
  readonly querySets = this.addTable<GpuResource<GPUQuerySet>>(ResourceKind.querySet);
  readonly memory: GpuMemory;
  /** Pipeline layouts by the handles of their bind group layouts (`pipeline-layouts.ts`). */
  readonly pipelineLayouts = new Map<string, GPUPipelineLayout>();

  /** Number of pipelines being created. */
  pendingPipelines = 0;
  /** The current frame, or between frames the last one. */
  frame = 0;
  /**
   * Rises when the object of an existing handle changes: a resource has failed, was destroyed, replaced or renamed, or
   * a pipeline is ready.
   */
  epoch = 0;

  readonly #device: GPUDevice;
  readonly #reader: StreamReader;
  readonly #onError: (error: unknown) => void;
  readonly #records = new RecordArena();
  #pipelineWaiters: (() => void)[] = [];

  /** @param reader reader whose current record creates a resource */
  constructor(device: GPUDevice, reader: StreamReader, onError: (error: unknown) => void) {
    this.#device = device;
    this.memory = new GpuMemory(device);
    this.#reader = reader;
    this.#onError = onError;
  }

  /** Adds the table of a kind. All kinds share the code for destruction, release and the leak report. */
  addTable<R extends Resource>(kind: ResourceKind, table = new ResourceTable<R>(kind)): ResourceTable<R> {
    this.tables[kind] = table as unknown as ResourceTable<GpuResource<unknown>>;
    return table;
  }

  /** Removes and returns a resource, so that its handle becomes stale; undefined for a stale handle. */
  take(handle: number): GpuResource<unknown> | undefined {
    const resource = this.tables[handleKind(handle)]?.take(handle);
    if (resource === undefined) return undefined;
    this.epoch++;
    if (handleKind(handle) === ResourceKind.bindGroupLayout) forgetLayout(this, `${handle}`);
    return resource;
  }

  /** Returns the label of a resource; empty for a stale handle. */
  readonly labelOf = (handle: number): string => this.tables[handleKind(handle)]?.find(handle)?.label ?? '';

  /** Returns header and fields of a record that creates the resource again; null for the viewport's texture. */
  creationOf({ creation, record }: GpuResource<unknown>): Uint32Array | null {
    return creation < 0 ? (record ?? null) : this.#records.at(creation);
  }

  /**
   * Returns the live resources and all resources that they are made of, destroyed or not, in the order of creation. The
   * records of these resources create all live resources again. Draw bundles come last, because no resource is made of
   * them.
   */
  inOrderOfCreation(): GpuResource<unknown>[] {
    const needed = new Set<GpuResource<unknown>>();
    for (const [kind, table] of this.tables.entries()) {
      // Fences have no creation records, because replays leave them out.
      if (kind === ResourceKind.fence) continue;
      for (const resource of table?.values() ?? []) {
        needed.add(resource);
        for (const part of resource.madeOf ?? []) needed.add(part);
      }
    }
    const place = ({ creation }: GpuResource<unknown>): number =>
      creation < 0 ? Number.MAX_SAFE_INTEGER : creation;
    return [...needed].sort((a, b) => place(a) - place(b));
  }

  /** Bytes of memory that holds creation records, unused parts included. */
  get recordBytes(): number {
    return this.#records.byteLength;
  }

  /** Resolves when no pipeline is being created. */
  whenPipelinesReady(): Promise<void> {
    if (this.pendingPipelines === 0) return Promise.resolve();
    return new Promise((resolve) => this.#pipelineWaiters.push(resolve));
  }

  createBuffer(handle: number, { label, byteLength, usage }: BufferDescriptor): void {
    const resource = this.#add(this.buffers, { handle, label, byteLength, usage, whyStale: null });
    this.#checkLimit(resource, 'byteLength', byteLength, 'maxBufferSize');
    this.#create(resource, () =>
      this.memory.createBuffer({
        label,
        size: byteLength,
        // Captures copy buffers at any time. WebGPU does not allow `copySource` together with `mapRead`.
        usage: usage & BufferUsage.mapRead ? usage : usage | BufferUsage.copySource,
      }),
    );
  }

  createTexture(handle: number, descriptor: TextureDescriptor): void {
    const { label, width, height, depthOrArrayLayers = 1, dimension } = descriptor;
    const own = { handle, label, views: new Map(), isViewport: false, whyStale: null };
    const resource = this.#add<TextureResource>(this.textures, own);
    const sizeLimit = dimension === '3d' ? 'maxTextureDimension3D' : 'maxTextureDimension2D';
    this.#checkLimit(resource, 'width', width, sizeLimit);
    this.#checkLimit(resource, 'height', height, sizeLimit);
    this.#create(resource, () =>
      this.memory.createTexture({
        ...(descriptor as GPUTextureDescriptor & TextureDescriptor),
        size: [width, height, depthOrArrayLayers],
        usage: descriptor.usage | TextureUsage.copySource,
      }),
    );
  }

  createSampler(handle: number, descriptor: SamplerDescriptor): void {
    const resource = this.#add(this.samplers, { handle, label: descriptor.label });
    this.#create(resource, () => this.#device.createSampler(descriptor));
  }

  createQuerySet(handle: number, descriptor: QuerySetDescriptor): void {
    const resource = this.#add(this.querySets, { handle, label: descriptor.label });
    this.#create(resource, () => this.#device.createQuerySet(descriptor));
  }

  createShaderModule(handle: number, label: string, code: string): void {
    const resource = this.#add(this.shaderModules, { handle, label });
    resource.gpu = inErrorScope(
      this.#device,
      'validation',
      () => this.#device.createShaderModule({ label, code }),
      async ({ message }, module) => {
        if (module === undefined) return;
        this.#fail(resource);
        this.#onError(await shaderCompilationError(module, label, code, message));
      },
    );
  }

  createBindGroupLayout(handle: number, { label, entries }: BindGroupLayoutDescriptor): void {
    const resource = this.#add(this.layouts, { handle, label, isEmpty: entries.length === 0 });
    this.#create(resource, () => this.#device.createBindGroupLayout({ label, entries }));
  }

  createBindGroup(handle: number, descriptor: BindGroupDescriptor): BindGroupResource {
    const own = { handle, label: descriptor.label, madeOf: this.#namedBy(descriptor), isOutdated: false };
    const resource = this.#add(this.bindGroups, own);
    const described = describeBindGroup(this, descriptor);
    // If a resource of the group has failed, the group fails too. Only the resource's failure is reported.
    if (described !== null) this.#create(resource, () => this.#device.createBindGroup(described));
    return resource;
  }

  /** Returns the descriptor of a bind group, decoded from its record. Few calls need it, so it is not cached. */
  bindGroupDescriptor(group: BindGroupResource): BindGroupDescriptor {
    return descriptorAt(this.creationOf(group) as Uint32Array, 1);
  }

  /**
   * Returns the group's object. Creates it again if it is outdated. Returns null if the group has failed or one of its
   * buffers was destroyed. Called per draw.
   * @throws RhiError `stale-handle` if an outdated group names another destroyed resource
   */
  bindGroupOf(group: BindGroupResource): GPUBindGroup | null {
    if (group.gpu !== null || !group.isOutdated) return group.gpu;
    group.isOutdated = false;
    const descriptor = this.bindGroupDescriptor(group);
    const isWhole = descriptor.entries.every(
      (entry) => !('buffer' in entry) || this.buffers.find(entry.buffer),
    );
    const described = isWhole ? describeBindGroup(this, descriptor, group.madeOf) : null;
    group.gpu = described && this.#device.createBindGroup(described);
    return group.gpu;
  }

  createGraphicsPipeline(handle: number, descriptor: GraphicsPipelineDescriptor): void {
    const { vertex, fragment } = descriptor;
    let vertexMask = 0;
    vertex.buffers?.forEach((buffer, slot) => {
      if (buffer !== null) vertexMask |= 1 << slot;
    });
    const stages = fragment ? [vertex, fragment] : [vertex];
    const create: CreatePipeline<GPURenderPipeline> = (layout, [gpuVertex, gpuFragment]) => {
      // WebGPU ignores unknown members, and treats undefined members as missing.
      const gpuStages = { vertex: gpuVertex, fragment: gpuFragment as GPUFragmentState | undefined };
      return this.#device.createRenderPipelineAsync({ ...descriptor, layout, ...gpuStages });
    };
    this.#createPipeline(this.graphicsPipelines, handle, descriptor, vertexMask, stages, create);
  }

  createComputePipeline(handle: number, descriptor: ComputePipelineDescriptor): void {
    const { label, compute } = descriptor;
    this.#createPipeline(this.computePipelines, handle, descriptor, 0, [compute], (layout, [stage]) =>
      this.#device.createComputePipelineAsync({ label, layout, compute: stage }),
    );
  }

  /** Adds a resource without an object, with a copy of the current record. */
  #add<R extends GpuResource<unknown>>(table: ResourceTable<R>, own: Own<R>): R {
    const { words, fields, fieldWords } = this.#reader;
    const record = words.subarray(fields - 1, fields + fieldWords);
    const creation = this.#records.add(record, () => this.inOrderOfCreation());
    const resource = { ...own, creation, createdInFrame: this.frame, gpu: null } as unknown as R;
    if (table.add(resource)) this.epoch++;
    return resource;
  }

  /** Returns the resources whose handles are in a descriptor. */
  #namedBy(descriptor: object): GpuResource<unknown>[] {
    const named: GpuResource<unknown>[] = [];
    visitHandles(descriptor, (handle) => {
      const resource = this.tables[handleKind(handle)]?.find(handle);
      if (resource !== undefined) named.push(resource);
    });
    return named;
  }

  #createPipeline<P>(
    table: ResourceTable<PipelineResource<P>>,
    handle: number,
    descriptor: ComputePipelineDescriptor | GraphicsPipelineDescriptor,
    vertexMask: number,
    stages: readonly ProgrammableStage[],
    create: CreatePipeline<P>,
  ): void {
    const { label, bindGroupLayouts } = descriptor;
    const groupMask = groupMaskOf(this, bindGroupLayouts);
    const madeOf = this.#namedBy(descriptor);
    const own = { handle, label, madeOf, isFailed: false, settled: Promise.resolve(), groupMask, vertexMask };
    const resource = this.#add<PipelineResource<P>>(table, own);
    const fallback =
      'fallback' in descriptor && descriptor.fallback !== undefined
        ? table.find(descriptor.fallback)
        : undefined;
    const fail = async (): Promise<void> => {
      resource.isFailed = true;
      resource.gpu = fallback?.gpu ?? null;
      if (fallback === undefined || resource.gpu !== null) return;
      await fallback.settled;
      resource.gpu = fallback.gpu;
      this.epoch++;
    };
    const layout = pipelineLayoutOf(this, this.#device, bindGroupLayouts);
    const modules = stages.map(({ module }) => this.shaderModules.get(module));
    // The failure of a module is reported separately, and may arrive at any time before the failure of the pipeline.
    const isBroken = (): boolean => modules.some(({ gpu }) => !gpu);
    if (layout === null || isBroken()) {
      resource.settled = fail();
      return;
    }
    this.pendingPipelines++;
    const details = this.#creationDetails(resource);
    const gpuStages = stages.map((stage, index) => ({
      ...stage,
      module: modules[index].gpu as GPUShaderModule,
    }));
    resource.settled = create(layout, gpuStages)
      .then(
        (pipeline) => {
          resource.gpu = pipeline;
        },
        (cause: unknown) => {
          const failed = fail();
          if (isBroken()) return failed;
          this.#onError(
            new RhiError(
              'pipeline-creation',
              `The pipeline "${label}" could not be created: ${messageOf(cause)} Its draws are left out.`,
              { cause, details },
            ),
          );
          return failed;
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

  /** Creates the object. The GPU may refuse it a little later; from then on the resource counts as failed. */
  #create<T>(resource: GpuResource<T>, create: () => T): void {
    const kind = handleKind(resource.handle);
    const canExhaust = kind === ResourceKind.buffer || kind === ResourceKind.texture;
    const details = this.#creationDetails(resource);
    const refusal = (code: string, cause: unknown): RhiError =>
      new RhiError(
        code,
        `The ${KIND_NAMES[kind]} "${resource.label}" could not be created: ${messageOf(cause)} Commands that use it are left out.`,
        { cause, details },
      );
    const inScope = (filter: GPUErrorFilter, code: string, call: () => T): T =>
      inErrorScope(this.#device, filter, call, (error) => {
        this.#fail(resource);
        this.#onError(refusal(code, error));
      });
    const checked = (): T => inScope('validation', 'resource-creation', create);
    try {
      resource.gpu = canExhaust ? inScope('out-of-memory', 'out-of-memory', checked) : checked();
    } catch (cause) {
      // WebGPU throws at once for values that it can't convert, such as an unknown format or a negative size.
      throw refusal('resource-creation', cause);
    }
  }

  /**
   * Returns the details for errors of a resource. Call it while the record that creates the resource is the
   * current one.
   */
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
    { handle, label }: Resource,
    what: string,
    value: number,
    limit: 'maxBufferSize' | 'maxTextureDimension2D' | 'maxTextureDimension3D',
  ): void {
    const maximum = this.#device.limits[limit];
    if (value >= 0 && value <= maximum) return;
    throw new RhiError(
      'limit-exceeded',
      `The ${KIND_NAMES[handleKind(handle)]} "${label}" has a ${what} of ${value}; this device allows 0 to ${maximum} (${limit}). Make it smaller.`,
    );
  }
}
