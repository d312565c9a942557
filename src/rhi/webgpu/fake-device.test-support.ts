/**
 * A GPUDevice for unit tests, with the members that most tests of the executor use. It draws nothing. `log` has the
 * calls except those for error scopes, views, bind groups, layouts, samplers, shader modules and query sets. The test
 * decides when work and pipelines are finished. Mappings succeed at once, unless the device is lost.
 */
export interface FakeDevice {
  readonly device: GPUDevice;
  /**
   * Calls in order, as `name argument argument`. Arguments without meaning for the tests are left out. Objects are
   * shown by their labels or else as JSON, typed arrays as `data`.
   */
  readonly log: string[];
  /** Finishes the oldest submission whose completion was requested. */
  completeWork(): Promise<void>;
  /** Settles the oldest pipeline creation; with an error, the creation fails. */
  finishPipeline(error?: Error): Promise<void>;
  /** Makes the next popped error scope of this kind report an error. Default kind: `validation`. */
  failNextScope(message: string, filter?: GPUErrorFilter): void;
  /** Fires `uncapturederror`. */
  raise(message: string): void;
  /** Number of listeners for `uncapturederror`. */
  readonly listenerCount: number;
  /** Resolves `GPUDevice.lost`. */
  lose(message: string): Promise<void>;
  /** Detaches all mapped memory, as `GPUDevice.destroy` does before the loss is reported. */
  unmapAll(): void;
  /** Returns the lines of the log, and clears it. */
  take(): string[];
}

/** Lets promise reactions run. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 8; i++) await Promise.resolve();
};

interface Labelled {
  readonly label: string;
}

export function createFakeDevice(features: readonly string[] = []): FakeDevice {
  const log: string[] = [];
  const work: (() => void)[] = [];
  const pipelines: { resolve: (value: Labelled) => void; reject: (error: Error) => void; label: string }[] =
    [];
  const scopes: GPUErrorFilter[] = [];
  const mapped = new Set<ArrayBuffer>();
  const scopeErrors = new Map<GPUErrorFilter, string>();
  const listeners = new Set<(event: GPUUncapturedErrorEvent) => void>();
  let isLost = false;
  let lose: (info: GPUDeviceLostInfo) => void = () => {};

  const describe = (value: unknown): string => {
    if (value !== null && typeof value === 'object' && 'label' in value) return String(value.label);
    if (ArrayBuffer.isView(value)) return 'data';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const call = (name: string, ...args: unknown[]): void => {
    log.push([name, ...args.map(describe)].join(' '));
  };
  const recorder = (prefix: string, names: readonly string[]): Record<string, (...args: unknown[]) => void> =>
    Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(prefix + name, ...args)]));

  const createBuffer = ({ label = '', size, usage }: GPUBufferDescriptor): unknown => {
    call('createBuffer', label);
    return {
      label,
      size,
      usage,
      destroy: () => call('destroy', label),
      getMappedRange: (offset = 0, length = size - offset) => {
        const range = new ArrayBuffer(length);
        mapped.add(range);
        return range;
      },
      unmap: () => call('unmap', label),
      mapAsync: async () => {
        call('mapAsync', label);
        if (isLost) throw new Error('the device is lost');
      },
    };
  };
  const createTexture = (descriptor: GPUTextureDescriptor): unknown => {
    const { label = '', size, mipLevelCount = 1, sampleCount = 1, dimension = '2d' } = descriptor;
    const { format, usage } = descriptor;
    call('createTexture', label);
    const [width, height, depthOrArrayLayers = 1] = size as number[];
    return {
      label,
      width,
      height,
      depthOrArrayLayers,
      mipLevelCount,
      sampleCount,
      dimension,
      format,
      usage,
      destroy: () => call('destroy', label),
      createView: () => ({ label: `view of ${label}` }),
    };
  };
  const passCalls = [
    'setPipeline',
    'setBindGroup',
    'setVertexBuffer',
    'setIndexBuffer',
    'draw',
    'drawIndexed',
    'dispatchWorkgroups',
    'setScissorRect',
    'pushDebugGroup',
    'popDebugGroup',
    'end',
  ];
  const createCommandEncoder = (): unknown => ({
    ...recorder('', [
      'copyBufferToBuffer',
      'copyTextureToBuffer',
      'copyBufferToTexture',
      'pushDebugGroup',
      'popDebugGroup',
      'clearBuffer',
      'resolveQuerySet',
    ]),
    beginRenderPass: ({ label }: GPURenderPassDescriptor) => {
      call('beginRenderPass', label);
      return recorder('', passCalls);
    },
    beginComputePass: ({ label }: GPUComputePassDescriptor) => {
      call('beginComputePass', label);
      return recorder('', passCalls);
    },
    finish: () => ({ label: 'commands' }),
  });
  const createPipelineAsync = ({ label = '' }: GPUObjectDescriptorBase): Promise<Labelled> =>
    new Promise((resolve, reject) => {
      call('createPipelineAsync', label);
      pipelines.push({ resolve, reject, label });
    });
  const labelled = (descriptor: GPUObjectDescriptorBase): Labelled => ({ label: descriptor.label ?? '' });

  const device = {
    label: 'fake',
    features: new Set(features),
    limits: {
      maxBufferSize: 1 << 28,
      maxTextureDimension2D: 8192,
      maxTextureDimension3D: 2048,
    },
    lost: new Promise<GPUDeviceLostInfo>((resolve) => {
      lose = resolve;
    }),
    queue: {
      submit: (buffers: readonly GPUCommandBuffer[]) => call('submit', buffers.length),
      writeBuffer: (buffer: Labelled, offset: number, _data: unknown, _first: number, count: number) =>
        call('writeBuffer', buffer, offset, count),
      writeTexture: () => call('writeTexture'),
      onSubmittedWorkDone: () => new Promise<void>((resolve) => work.push(resolve)),
    },
    addEventListener: (_type: string, listener: (event: GPUUncapturedErrorEvent) => void) =>
      listeners.add(listener),
    removeEventListener: (_type: string, listener: (event: GPUUncapturedErrorEvent) => void) =>
      listeners.delete(listener),
    pushErrorScope: (filter: GPUErrorFilter) => scopes.push(filter),
    popErrorScope: async () => {
      const filter = scopes.pop();
      if (filter === undefined) throw new Error('No error scope is open.');
      const message = scopeErrors.get(filter);
      scopeErrors.delete(filter);
      return message === undefined ? null : { message };
    },
    createBuffer,
    createTexture,
    createCommandEncoder,
    createSampler: labelled,
    createShaderModule: (descriptor: GPUShaderModuleDescriptor) => ({
      ...labelled(descriptor),
      getCompilationInfo: async () => ({
        messages: [{ type: 'error', lineNum: 2, linePos: 3, message: 'unknown name' }],
      }),
    }),
    createBindGroupLayout: labelled,
    createPipelineLayout: labelled,
    createBindGroup: labelled,
    createQuerySet: labelled,
    createRenderPipeline: (descriptor: GPURenderPipelineDescriptor) => ({
      ...labelled(descriptor),
      getBindGroupLayout: () => labelled({}),
    }),
    createRenderPipelineAsync: createPipelineAsync,
    createComputePipelineAsync: createPipelineAsync,
  };

  return {
    device: device as unknown as GPUDevice,
    log,
    completeWork: () => {
      work.shift()?.();
      return settle();
    },
    finishPipeline: (error) => {
      const pipeline = pipelines.shift();
      if (error === undefined) pipeline?.resolve({ label: pipeline.label });
      else pipeline?.reject(error);
      return settle();
    },
    failNextScope: (message, filter = 'validation') => {
      scopeErrors.set(filter, message);
    },
    raise: (message) => {
      for (const listener of listeners) listener({ error: { message } } as GPUUncapturedErrorEvent);
    },
    get listenerCount() {
      return listeners.size;
    },
    lose: (message) => {
      isLost = true;
      lose({ reason: 'unknown', message } as GPUDeviceLostInfo);
      return settle();
    },
    unmapAll: () => {
      for (const range of mapped) structuredClone(range, { transfer: [range] });
      mapped.clear();
    },
    take: () => log.splice(0),
  };
}
