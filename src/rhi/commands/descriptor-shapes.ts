/**
 * The members of each descriptor. Types (`descriptors.ts`), checks (`record/descriptor-checks.ts`) and the handles in a
 * descriptor derive from this one table. Optional members have WebGPU's defaults. The members of WebGPU's own objects
 * are listed too, because the browser ignores unknown names, and rejects a wrong value only when the list runs.
 */

import type { Member, Shape } from '../../core/options/member.js';
import {
  boolean,
  either,
  fourNumbers,
  integer,
  list,
  listWithGaps,
  number,
  numbersByName,
  object,
  oneOf,
  optional,
  text,
  threeNumbers,
  whole,
} from '../../core/options/members.js';
import type { ResourceKind } from './handles.js';
import { gpuObject, handle, textureFormat, vertexFormat } from './shapes.js';

const label = text('a string, which errors show as its name');
const anyWhole = optional(whole());
const anyNumber = optional(number());
const anySwitch = optional(boolean());
const anyObject = <S extends Shape>(shape: S) => optional(object(shape));

const viewDimension = optional(oneOf('1d|2d|2d-array|cube|cube-array|3d'));
const aspect = optional(oneOf('all|stencil-only|depth-only'));
const compare = optional(oneOf('never|less|equal|less-equal|greater|not-equal|greater-equal|always'));
const mipsAndLayers = {
  baseMipLevel: anyWhole,
  mipLevelCount: anyWhole,
  baseArrayLayer: anyWhole,
  arrayLayerCount: anyWhole,
};

/** A view, created and cached by the backend. Without the optional members it covers the whole texture. */
const VIEW = {
  texture: handle('texture'),
  format: optional(textureFormat()),
  dimension: viewDimension,
  aspect,
  ...mipsAndLayers,
};
const view = object(VIEW, '{ texture }, with the texture’s handle');

const binding = whole('the number of a binding');
const BIND_GROUP_ENTRIES = {
  buffer: { binding, buffer: handle('buffer'), byteOffset: anyWhole, byteLength: anyWhole },
  sampler: { binding, sampler: handle('sampler') },
  view: { binding, view },
};
const layoutEntry = gpuObject<GPUBindGroupLayoutEntry>({
  binding,
  visibility: whole('bits of ShaderStage'),
  buffer: anyObject({
    type: optional(oneOf('uniform|storage|read-only-storage')),
    hasDynamicOffset: anySwitch,
    minBindingSize: anyWhole,
  }),
  sampler: anyObject({ type: optional(oneOf('filtering|non-filtering|comparison')) }),
  texture: anyObject({
    sampleType: optional(oneOf('float|unfilterable-float|depth|sint|uint')),
    viewDimension,
    multisampled: anySwitch,
  }),
  storageTexture: anyObject({
    access: optional(oneOf('write-only|read-only|read-write')),
    format: textureFormat(),
    viewDimension,
  }),
  externalTexture: anyObject({}),
});

const bindGroupLayouts = list(
  handle('bindGroupLayout'),
  'the handles of bind group layouts, [] for none; there is no automatic layout',
);
const STAGE = {
  module: handle('shaderModule'),
  entryPoint: text('the name of a function of the module'),
  constants: optional(numbersByName()),
};
const vertexBuffer = gpuObject<GPUVertexBufferLayout>({
  arrayStride: whole('the bytes from one vertex to the next'),
  stepMode: optional(oneOf('vertex|instance')),
  attributes: list(
    object({ format: vertexFormat(), offset: whole(), shaderLocation: whole() }),
    'a list of { format, offset, shaderLocation }, [] for none',
  ),
});
const factor = optional(
  oneOf(
    'zero|one|src|one-minus-src|src-alpha|one-minus-src-alpha|dst|one-minus-dst|dst-alpha|one-minus-dst-alpha|src-alpha-saturated|constant|one-minus-constant|src1|one-minus-src1|src1-alpha|one-minus-src1-alpha',
  ),
);
const blendComponent = object(
  {
    operation: optional(oneOf('add|subtract|reverse-subtract|min|max')),
    srcFactor: factor,
    dstFactor: factor,
  },
  '{ operation, srcFactor, dstFactor }',
);
const target = gpuObject<GPUColorTargetState>({
  format: textureFormat(),
  blend: anyObject({ color: blendComponent, alpha: blendComponent }),
  writeMask: optional(whole('bits of GPUColorWrite')),
});
const stencilOperation = optional(
  oneOf('keep|zero|replace|invert|increment-clamp|decrement-clamp|increment-wrap|decrement-wrap'),
);
const stencilFace = anyObject({
  compare,
  failOp: stencilOperation,
  depthFailOp: stencilOperation,
  passOp: stencilOperation,
});

const loadOp = oneOf('load|clear');
const storeOp = oneOf('store|discard');
const addressMode = optional(oneOf('clamp-to-edge|repeat|mirror-repeat'));
const filter = optional(oneOf('nearest|linear'));
const querySet = handle('querySet');
const TIMESTAMPS = { querySet, beginningOfPassWriteIndex: anyWhole, endOfPassWriteIndex: anyWhole };
const timestampWrites = optional(
  object(TIMESTAMPS, '{ querySet, beginningOfPassWriteIndex, endOfPassWriteIndex }'),
);
const COLOR_ATTACHMENT = {
  view,
  /** Slice of the mip level to draw into, from 0. Required for 3D textures, and only for them. */
  depthSlice: optional(whole('the slice of a 3d texture')),
  resolveTarget: optional(view),
  loadOp,
  storeOp,
  clearValue: optional(fourNumbers('[red, green, blue, alpha]')),
};
const DEPTH_ATTACHMENT = {
  view,
  depthLoadOp: optional(loadOp),
  depthStoreOp: optional(storeOp),
  depthClearValue: anyNumber,
  depthReadOnly: anySwitch,
  stencilLoadOp: optional(loadOp),
  stencilStoreOp: optional(storeOp),
  stencilClearValue: anyWhole,
  stencilReadOnly: anySwitch,
};

/** Shapes that are members of other descriptors. */
export const PARTS = { VIEW, STAGE, COLOR_ATTACHMENT, DEPTH_ATTACHMENT, TIMESTAMPS, BIND_GROUP_ENTRIES };

export const SHAPES = {
  buffer: { label, byteLength: whole('its size in bytes'), usage: whole('bits of BufferUsage') },
  texture: {
    label,
    width: whole('its width in texels; size is given as width, height, depthOrArrayLayers'),
    height: whole('its height in texels, 1 where it has one dimension'),
    /** Depth of a 3D texture, or number of layers. Default 1. */
    depthOrArrayLayers: anyWhole,
    mipLevelCount: anyWhole,
    sampleCount: anyWhole,
    dimension: optional(oneOf('1d|2d|3d')),
    format: textureFormat(),
    usage: whole('bits of TextureUsage'),
    viewFormats: optional(list(textureFormat(), 'a list of texture formats')),
  },
  sampler: {
    label,
    addressModeU: addressMode,
    addressModeV: addressMode,
    addressModeW: addressMode,
    magFilter: filter,
    minFilter: filter,
    mipmapFilter: filter,
    lodMinClamp: anyNumber,
    lodMaxClamp: anyNumber,
    compare,
    maxAnisotropy: anyNumber,
  },
  'shader module': { label, code: text('WGSL') },
  'bind group layout': { label, entries: list(layoutEntry, 'a list of entries, [] for none') },
  'bind group': {
    label,
    layout: handle('bindGroupLayout', 'the handle of a bind group layout'),
    entries: list(either(BIND_GROUP_ENTRIES, '{ binding, … }'), 'a list of entries, [] for none'),
  },
  'graphics pipeline': {
    label,
    bindGroupLayouts,
    vertex: object(
      {
        ...STAGE,
        buffers: optional(
          listWithGaps(vertexBuffer, 'a list with { arrayStride, attributes } of each slot, or null'),
        ),
      },
      '{ module, entryPoint }',
    ),
    fragment: optional(
      object(
        {
          ...STAGE,
          targets: listWithGaps(target, 'a list with { format } of each attachment, or null'),
        },
        '{ module, entryPoint, targets }',
      ),
    ),
    primitive: optional(
      gpuObject<GPUPrimitiveState>({
        topology: optional(oneOf('point-list|line-list|line-strip|triangle-list|triangle-strip')),
        stripIndexFormat: optional(oneOf('uint16|uint32')),
        frontFace: optional(oneOf('ccw|cw')),
        cullMode: optional(oneOf('none|front|back')),
        unclippedDepth: anySwitch,
      }),
    ),
    depthStencil: optional(
      gpuObject<GPUDepthStencilState>({
        format: textureFormat(),
        depthWriteEnabled: anySwitch,
        depthCompare: compare,
        stencilFront: stencilFace,
        stencilBack: stencilFace,
        stencilReadMask: anyWhole,
        stencilWriteMask: anyWhole,
        depthBias: optional(integer()),
        depthBiasSlopeScale: anyNumber,
        depthBiasClamp: anyNumber,
      }),
    ),
    multisample: optional(
      gpuObject<GPUMultisampleState>({ count: anyWhole, mask: anyWhole, alphaToCoverageEnabled: anySwitch }),
    ),
    /** A pipeline with the same layouts that draws use instead if this one can't be created. */
    fallback: optional(handle('graphicsPipeline')),
  },
  'compute pipeline': { label, bindGroupLayouts, compute: object(STAGE, '{ module, entryPoint }') },
  'query set': {
    label,
    type: oneOf('occlusion|timestamp'),
    count: whole('how many queries it has'),
  },
  'render pass': {
    label,
    colorAttachments: listWithGaps(
      object(COLOR_ATTACHMENT),
      'a list with { view, loadOp, storeOp } of each, or null; [] for none',
    ),
    depthStencilAttachment: optional(object(DEPTH_ATTACHMENT, '{ view, … }')),
    occlusionQuerySet: optional(querySet),
    timestampWrites,
  },
  'compute pass': { label, timestampWrites },
  'draw bundle': { label },
  /** A box of texels, for writes and copies. Default: 0 for offsets, 1 for the depth. */
  'texture region': {
    width: whole('its width in texels'),
    height: whole('its height in texels'),
    depthOrArrayLayers: anyWhole,
    mipLevel: anyWhole,
    /** Mip level of the source, for copies between textures. */
    sourceMipLevel: anyWhole,
    sourceOrigin: optional(threeNumbers('[x, y, layer or slice]')),
    /** Origin of the box: x and y in texels from the mip level's top left, then the depth slice or layer. */
    origin: optional(threeNumbers('[x, y, layer or slice]')),
    aspect,
    /** Offset of the first texel in the buffer, or in the bytes that are written. */
    byteOffset: anyWhole,
    /** Bytes from one row of blocks to the next. */
    bytesPerRow: anyWhole,
    /** Rows of blocks from one layer or slice to the next. */
    rowsPerImage: anyWhole,
    /** Whether an external image is flipped; other commands ignore it. */
    flipY: anySwitch,
    /** Whether an external image is written with premultiplied alpha; other commands ignore it. */
    premultipliedAlpha: anySwitch,
  },
  /** The part of a texture that `clearTexture` clears, and the values. Default: the whole texture, zeros. */
  'texture clear': {
    aspect,
    ...mipsAndLayers,
    /** Red, green, blue and alpha, in the format's own range. */
    color: optional(fourNumbers('[red, green, blue, alpha]')),
    /** Depth, from 0 to 1. */
    depth: anyNumber,
    stencil: anyNumber,
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type DescribedKind = keyof typeof SHAPES;

/** Kinds of handles, by the name of the member that holds the handle or a list of handles. */
const HANDLE_KINDS = /* @__PURE__ */ handleKindsOf(Object.values(SHAPES));

function handleKindsOf(shapes: readonly Shape[]): ReadonlyMap<string, ResourceKind> {
  const kinds = new Map<string, ResourceKind>();
  const visit = (name: string, { kind, item, shape = {}, choices = {} }: Member): void => {
    if (kind !== undefined) kinds.set(name, kind as ResourceKind);
    if (item !== undefined) visit(name, item);
    for (const inner of [shape, ...Object.values(choices)])
      for (const [each, member] of Object.entries(inner)) visit(each, member);
  };
  for (const shape of shapes) for (const [name, member] of Object.entries(shape)) visit(name, member);
  return kinds;
}

/** Returns whether members with this name hold a handle or a list of handles. */
export const isHandleField = (name: string): boolean => HANDLE_KINDS.has(name);

/**
 * Calls `visit` with each handle in a descriptor, in the order of the members. Members of WebGPU's own objects can have
 * the same name as a member with a handle, such as `buffer` in an entry of a layout. So only numbers count as handles.
 */
export function visitHandles(
  descriptor: unknown,
  visit: (handle: number, kind: ResourceKind) => void,
  kind?: ResourceKind,
): void {
  if (typeof descriptor === 'number' && kind !== undefined) visit(descriptor, kind);
  if (typeof descriptor !== 'object' || descriptor === null) return;
  if (Array.isArray(descriptor)) {
    for (const item of descriptor) visitHandles(item, visit, kind);
    return;
  }
  for (const [name, value] of Object.entries(descriptor)) visitHandles(value, visit, HANDLE_KINDS.get(name));
}
