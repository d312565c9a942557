/**
 * A GPUDevice that draws nothing. It has every WebGPU method that the engine calls, and is fast enough for millions of
 * lists. The case's random numbers decide when it throws, fails or is lost. It checks arguments of the executor for
 * poison.
 */
import { hasPoison, POISON_CHARACTER } from './hostile-pages.js';
import type { Random } from './random.js';

const ENCODER_CALLS = [
  'copyBufferToBuffer',
  'copyTextureToBuffer',
  'copyBufferToTexture',
  'copyTextureToTexture',
  'clearBuffer',
  'resolveQuerySet',
  'pushDebugGroup',
  'popDebugGroup',
  'insertDebugMarker',
];
const PASS_CALLS = [
  'setPipeline',
  'setBindGroup',
  'setVertexBuffer',
  'setIndexBuffer',
  'draw',
  'drawIndexed',
  'drawIndirect',
  'drawIndexedIndirect',
  'dispatchWorkgroups',
  'dispatchWorkgroupsIndirect',
  'setViewport',
  'setScissorRect',
  'setStencilReference',
  'setBlendConstant',
  'beginOcclusionQuery',
  'endOcclusionQuery',
  'executeBundles',
  'pushDebugGroup',
  'popDebugGroup',
  'insertDebugMarker',
  'end',
];

/** Calls that never throw in WebGPU, because they have no argument that could have a wrong type. */
const NON_THROWING_CALLS: ReadonlySet<string> = new Set([
  'pushDebugGroup',
  'popDebugGroup',
  'insertDebugMarker',
  'endOcclusionQuery',
  'end',
]);

/** Limit of calls; no valid case makes as many. */
const MAXIMUM_CALLS = 200_000;

export interface HostileDevice {
  /** One of this many calls and promises fails. With 0, the initial value, none fails. */
  fault: number;
  readonly device: GPUDevice;
  /** Executes all pending work of the GPU. Returns false when there was none. */
  finishWork(): boolean;
  lose(): void;
  /** Reports of poison in the executor's arguments. */
  readonly findings: string[];
}

export function createHostileDevice(random: Random): HostileDevice {
  const findings: string[] = [];
  let pending: (() => void)[] = [];
  let calls = 0;
  let isLost = false;
  let lose: (info: GPUDeviceLostInfo) => void = () => {};
  const fails = (): boolean => hostile.fault > 0 && random(hostile.fault) === 0;
  const called = (name: string): void => {
    if (++calls > MAXIMUM_CALLS) throw new Error(`The executor loops: its call number ${calls} is ${name}.`);
    if (!NON_THROWING_CALLS.has(name) && fails()) throw new TypeError(`Failed to execute '${name}'.`);
  };
  const checkText = (name: string, text: unknown): void => {
    if (typeof text === 'string' && text.includes(POISON_CHARACTER)) {
      findings.push(
        `${name} received text from beyond the end of its record: ${JSON.stringify(text.slice(0, 60))}`,
      );
    }
  };
  const labelled = (
    name: string,
    descriptor: { readonly label?: string; readonly code?: string },
  ): object => {
    called(name);
    checkText(name, descriptor.label);
    checkText(name, descriptor.code);
    return { label: descriptor.label ?? '' };
  };
  const settles = <T>(value: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      pending.push(() => {
        try {
          if (isLost || fails()) throw new DOMException('The GPU refused.', 'OperationError');
          resolve(value());
        } catch (error) {
          reject(error);
        }
      });
    });
  const prototypeOf = (names: readonly string[]): object =>
    Object.fromEntries(
      names.map((name) => [
        name,
        (...args: unknown[]) => {
          called(name);
          checkText(name, args[0]);
        },
      ]),
    );
  const pass = {
    ...prototypeOf(PASS_CALLS),
    setBindGroup: (_: number, __: unknown, offsets?: Uint32Array, first = 0, count = 0) => {
      called('setBindGroup');
      if (offsets && first + count > offsets.length) throw new RangeError('Beyond the offsets.');
    },
  };
  const commands = prototypeOf(ENCODER_CALLS);
  const bundle = { ...pass, finish: () => ({ label: 'bundle' }) };

  const createBuffer = (descriptor: GPUBufferDescriptor): object => {
    const { size, usage } = descriptor;
    if (!(size >= 0 && size < 2 ** 53)) throw new TypeError('size is not a GPUSize64.');
    return {
      ...labelled('createBuffer', descriptor),
      size,
      usage,
      destroy: () => {},
      // Mapped ranges are small, because their contents are never checked.
      getMappedRange: (offset = 0, length = size - offset) => {
        if (fails()) throw new DOMException('Not mapped.', 'OperationError');
        return new ArrayBuffer(Math.min(length, 1 << 20));
      },
      unmap: () => {},
      mapAsync: () => settles(() => undefined),
    };
  };
  const createTexture = (descriptor: GPUTextureDescriptor): object => {
    const { mipLevelCount = 1, sampleCount = 1, dimension = '2d', format, usage } = descriptor;
    const [width, height = 1, depthOrArrayLayers = 1] = descriptor.size as number[];
    const label = labelled('createTexture', descriptor);
    if (typeof format !== 'string') throw new TypeError('format is not a GPUTextureFormat.');
    return {
      ...label,
      ...{ width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage },
      destroy: () => {},
      createView: (view: GPUTextureViewDescriptor = {}) => labelled('createView', view),
    };
  };
  const device = {
    label: 'hostile',
    features: new Set(random(2) === 0 ? ['timestamp-query'] : []),
    limits: {
      maxBufferSize: 1 << 28,
      maxTextureDimension2D: 8192,
      maxTextureDimension3D: 2048,
      maxBindGroups: 4,
      maxVertexBuffers: 8,
      maxTextureArrayLayers: 256,
    },
    lost: new Promise<GPUDeviceLostInfo>((resolve) => {
      lose = resolve;
    }),
    queue: {
      // WebGPU never throws here: an invalid list is an error of its error scope.
      submit: () => {},
      writeBuffer: (_: unknown, __: number, data: ArrayBufferView, first = 0, count?: number) => {
        called('writeBuffer');
        const words = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
        const length = words.byteLength / ((words as Uint32Array).BYTES_PER_ELEMENT ?? 1);
        const end = first + (count ?? length - first);
        if (!(end <= length)) throw new DOMException('Beyond the data.', 'OperationError');
        const part = (words as Uint32Array).subarray(first, end);
        if (hasPoison(part)) findings.push('writeBuffer received bytes from beyond the end of its record');
      },
      writeTexture: (_: unknown, data: ArrayBufferView | ArrayBuffer) => {
        called('writeTexture');
        if (ArrayBuffer.isView(data) && hasPoison(data)) {
          findings.push('writeTexture received bytes from beyond the end of its record');
        }
      },
      copyExternalImageToTexture: () => called('copyExternalImageToTexture'),
      onSubmittedWorkDone: () => settles(() => undefined),
    },
    addEventListener: () => {},
    removeEventListener: () => {},
    pushErrorScope: () => {},
    popErrorScope: () =>
      isLost ? Promise.reject(new Error('lost')) : settles(() => (fails() ? { message: 'no' } : null)),
    createBuffer,
    createTexture,
    createCommandEncoder: () => ({
      ...commands,
      beginRenderPass: (descriptor: GPURenderPassDescriptor) => {
        labelled('beginRenderPass', descriptor);
        return { ...pass };
      },
      beginComputePass: (descriptor: GPUComputePassDescriptor) => {
        labelled('beginComputePass', descriptor);
        return { ...pass };
      },
      finish: () => ({ label: 'commands' }),
    }),
    createRenderBundleEncoder: () => ({ ...bundle }),
    createSampler: (descriptor: GPUSamplerDescriptor) => labelled('createSampler', descriptor),
    createShaderModule: (descriptor: GPUShaderModuleDescriptor) => ({
      ...labelled('createShaderModule', descriptor),
      getCompilationInfo: async () => ({ messages: [] }),
    }),
    createBindGroupLayout: (descriptor: GPUBindGroupLayoutDescriptor) =>
      labelled('createBindGroupLayout', descriptor),
    createPipelineLayout: (descriptor: GPUPipelineLayoutDescriptor) =>
      labelled('createPipelineLayout', descriptor),
    createBindGroup: (descriptor: GPUBindGroupDescriptor) => labelled('createBindGroup', descriptor),
    createQuerySet: (descriptor: GPUQuerySetDescriptor) => ({
      ...labelled('createQuerySet', descriptor),
      destroy: () => {},
    }),
    createRenderPipeline: (descriptor: GPURenderPipelineDescriptor) => ({
      ...labelled('createRenderPipeline', descriptor),
      getBindGroupLayout: () => ({}),
    }),
    createRenderPipelineAsync: (descriptor: GPURenderPipelineDescriptor) =>
      settles(() => labelled('createRenderPipelineAsync', descriptor)),
    createComputePipelineAsync: (descriptor: GPUComputePipelineDescriptor) =>
      settles(() => labelled('createComputePipelineAsync', descriptor)),
  };
  const hostile: HostileDevice = {
    fault: 0,
    device: device as unknown as GPUDevice,
    finishWork: () => {
      const work = pending;
      pending = [];
      for (const settle of work) settle();
      return work.length > 0;
    },
    lose: () => {
      isLost = true;
      lose({ reason: 'unknown', message: 'gone' } as GPUDeviceLostInfo);
    },
    findings,
  };
  return hostile;
}
