/**
 * What a device's limits refuse, found by the recorder in the call that asks for it; the executor would find it
 * only when the list runs. A limit that the capabilities don't name is not checked here. Pure.
 *
 *   createTexture({ width: 9000 })  ─► checkLimits ─► limit-exceeded: "shadow map" … maxTextureDimension2D is 8192
 */
import { RhiError } from '../../core/errors.js';
import { checkOption, hasName, isObject } from '../../core/option-names.js';
import { countBindings } from './binding-counts.js';
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  BindGroupLayoutHandle,
  BufferDescriptor,
  ComputePipelineDescriptor,
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
  readonly computePipeline: ComputePipelineDescriptor;
  readonly querySet: QuerySetDescriptor;
}

const KINDS = 'buffer, texture, bindGroupLayout, bindGroup, graphicsPipeline, computePipeline, querySet';

type Check = (
  what: string,
  value: number,
  maximum: number | undefined,
  limit: string,
  minimum?: number,
) => void;

/** What a bind group layout was created with; undefined where that is not known, and then it counts as empty. */
type FindLayout = (layout: BindGroupLayoutHandle) => BindGroupLayoutDescriptor | undefined;

const findNone: FindLayout = () => undefined;

/**
 * @param descriptor one that has the fields it needs: `create…` looks at those first
 * @param findLayout for pipelines, whose layouts share limits
 * @throws RhiError `limit-exceeded`, naming the object, the value and the limit; OptionError `option-invalid` for what
 *   is no kind, no descriptor or no capabilities
 */
export function checkLimits<Kind extends keyof LimitedDescriptors>(
  kind: Kind,
  descriptor: LimitedDescriptors[Kind],
  capabilities: Pick<RhiCapabilities, 'limits'>,
  findLayout = findNone,
): void {
  checkArguments(kind, descriptor, capabilities);
  const { limits } = capabilities;
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
        checkCounts(entries, limits, check);
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
      graphicsPipeline: (pipeline) => {
        checkLayouts(pipeline.bindGroupLayouts, limits, check, findLayout);
        checkPipeline(pipeline, limits, check);
      },
      computePipeline: ({ bindGroupLayouts }) => checkLayouts(bindGroupLayouts, limits, check, findLayout),
      querySet: ({ count }) => check('count', count, MAXIMUM_QUERIES, 'the same for all devices'),
    };
  checkers[kind](descriptor);
}

function checkArguments(kind: unknown, descriptor: unknown, capabilities: unknown): void {
  const isKind = typeof kind === 'string' && hasName(KINDS, kind);
  checkOption('The kind of checkLimits', kind, isKind, `one of ${KINDS}`);
  checkOption('The descriptor of checkLimits', descriptor, isObject(descriptor), 'what create… is given');
  const hasLimits = isObject(capabilities) && isObject(capabilities.limits);
  checkOption('The capabilities of checkLimits', capabilities, hasLimits, 'those of an RHI');
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

function checkLayouts(
  layouts: readonly BindGroupLayoutHandle[],
  limits: RhiCapabilities['limits'],
  check: Check,
  findLayout: FindLayout,
): void {
  check('number of bind groups', layouts.length, limits.maxBindGroups, 'maxBindGroups');
  checkCounts(
    layouts.flatMap((layout) => findLayout(layout)?.entries ?? []),
    limits,
    check,
  );
}

function checkCounts(
  entries: BindGroupLayoutDescriptor['entries'],
  limits: RhiCapabilities['limits'],
  check: Check,
): void {
  for (const { what, limit, count } of countBindings(entries)) {
    check(`number of ${what}`, count, limits[limit], limit);
  }
}

function checkPipeline(
  { vertex, fragment }: GraphicsPipelineDescriptor,
  limits: RhiCapabilities['limits'],
  check: Check,
): void {
  const { maxVertexBuffers, maxVertexBufferArrayStride, maxVertexAttributes } = limits;
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
