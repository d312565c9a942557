/**
 * What a device's limits refuse, found by the recorder in the call that asks for it; the executor would find it
 * only when the list runs. A limit that the capabilities don't name is not checked here. Pure.
 *
 *   createTexture({ width: 9000 })  ─► checkLimits ─► limit-exceeded: "shadow map" … maxTextureDimension2D is 8192
 */
import { RhiError } from '../core/errors.js';
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  BufferDescriptor,
  GraphicsPipelineDescriptor,
  QuerySetDescriptor,
  RhiCapabilities,
  TextureDescriptor,
} from './descriptors.js';

/** WebGPU fixes it for all devices. */
const MAXIMUM_QUERIES = 4096;

export interface LimitedDescriptors {
  readonly buffer: BufferDescriptor;
  readonly texture: TextureDescriptor;
  readonly bindGroupLayout: BindGroupLayoutDescriptor;
  readonly bindGroup: BindGroupDescriptor;
  readonly graphicsPipeline: GraphicsPipelineDescriptor;
  readonly querySet: QuerySetDescriptor;
}

type Check = (
  what: string,
  value: number,
  maximum: number | undefined,
  limit: string,
  minimum?: number,
) => void;

/** @throws RhiError `limit-exceeded`, naming the object, the value and the limit */
export function checkLimits<Kind extends keyof LimitedDescriptors>(
  kind: Kind,
  descriptor: LimitedDescriptors[Kind],
  { limits }: Pick<RhiCapabilities, 'limits'>,
): void {
  const check: Check = (what, value, maximum, limit, minimum = 0) => {
    if (maximum === undefined || (value >= minimum && value <= maximum)) return;
    throw new RhiError(
      'limit-exceeded',
      `The ${words(kind)} "${descriptor.label}" has a ${what} of ${value}; this device allows ${minimum} to ${maximum} (${limit}). Make it fit.`,
    );
  };
  const checkers: { readonly [K in keyof LimitedDescriptors]: (descriptor: LimitedDescriptors[K]) => void } =
    {
      buffer: ({ byteLength }) => check('byteLength', byteLength, limits.maxBufferSize, 'maxBufferSize'),
      texture: (texture) => checkTexture(texture, limits, check),
      bindGroupLayout: ({ entries }) => {
        const maximum = limits.maxBindingsPerBindGroup;
        for (const { binding } of entries) {
          check(
            'binding',
            binding,
            maximum === undefined ? undefined : maximum - 1,
            'maxBindingsPerBindGroup',
          );
        }
      },
      bindGroup: ({ entries }) => {
        const maximum = Math.max(
          limits.maxStorageBufferBindingSize ?? Number.POSITIVE_INFINITY,
          limits.maxUniformBufferBindingSize ?? 0,
        );
        for (const entry of entries) {
          const byteLength = 'buffer' in entry ? (entry.byteLength ?? 0) : 0;
          check('binding’s byteLength', byteLength, maximum, 'maxStorageBufferBindingSize');
        }
      },
      graphicsPipeline: (pipeline) => checkPipeline(pipeline, limits, check),
      querySet: ({ count }) => check('count', count, MAXIMUM_QUERIES, 'the same for all devices'),
    };
  checkers[kind](descriptor);
}

function checkTexture(texture: TextureDescriptor, limits: RhiCapabilities['limits'], check: Check): void {
  const { width, height, depthOrArrayLayers = 1, dimension = '2d', mipLevelCount = 1 } = texture;
  const limit = `maxTextureDimension${dimension.toUpperCase()}`;
  const maximum = limits[limit];
  check('width', width, maximum, limit, 1);
  if (dimension !== '1d') check('height', height, maximum, limit, 1);
  if (dimension === '3d') check('depthOrArrayLayers', depthOrArrayLayers, maximum, limit, 1);
  else
    check('depthOrArrayLayers', depthOrArrayLayers, limits.maxTextureArrayLayers, 'maxTextureArrayLayers', 1);
  const longest = Math.max(width, height, dimension === '3d' ? depthOrArrayLayers : 1);
  const mipLevels = dimension === '1d' ? 1 : 1 + Math.floor(Math.log2(longest));
  check('mipLevelCount', mipLevelCount, mipLevels, 'its size', 1);
}

function checkPipeline(
  { bindGroupLayouts, vertex, fragment }: GraphicsPipelineDescriptor,
  limits: RhiCapabilities['limits'],
  check: Check,
): void {
  const { maxBindGroups, maxVertexBuffers, maxVertexBufferArrayStride, maxVertexAttributes } = limits;
  check('number of bind groups', bindGroupLayouts.length, maxBindGroups, 'maxBindGroups');
  const buffers = vertex.buffers ?? [];
  check('number of vertex buffers', buffers.length, maxVertexBuffers, 'maxVertexBuffers');
  let attributeCount = 0;
  for (const buffer of buffers) {
    if (buffer === null) continue;
    const { arrayStride, attributes } = buffer;
    check('vertex stride', arrayStride, maxVertexBufferArrayStride, 'maxVertexBufferArrayStride');
    attributeCount += [...attributes].length;
  }
  check('number of vertex attributes', attributeCount, maxVertexAttributes, 'maxVertexAttributes');
  const targetCount = fragment?.targets.length ?? 0;
  check('number of color targets', targetCount, limits.maxColorAttachments, 'maxColorAttachments');
}

/** `bindGroupLayout` ► `bind group layout`. */
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
