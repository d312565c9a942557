/**
 * What each descriptor may hold, down to its last field: names, what they may be, and which must be there. The names of
 * WebGPU's own parts are in it too, because the browser passes over one that it does not know, and finds a wrong word
 * only when the list runs. Data alone; `descriptor-checks.ts` reads it.
 *
 *   'byteOffset?: a whole number = where it begins'      name, `?` where it may be left out, what it is, what to give
 *   ['primitive?: an object', PRIMITIVE]                 what it holds in turn
 *
 * The compiler's lists stand beside these in the tests. No name is a text by itself: see `core/option-names.ts`.
 */

/** Fields of an object. */
export type Shape = readonly (string | readonly [string, Shape])[];

export type DescribedKind =
  | 'buffer'
  | 'texture'
  | 'sampler'
  | 'shader module'
  | 'bind group layout'
  | 'bind group'
  | 'graphics pipeline'
  | 'compute pipeline'
  | 'query set'
  | 'render pass'
  | 'compute pass'
  | 'draw bundle'
  | 'texture region'
  | 'texture clear';

const LABEL = 'label: a string = a string, which errors name it by';
const VIEW_DIMENSIONS = '1d|2d|2d-array|cube|cube-array|3d';
const COMPARE = 'never|less|equal|less-equal|greater|not-equal|greater-equal|always';

const VIEW: Shape = [
  'texture: a handle = a texture’s handle',
  'format?: a texture format',
  `dimension?: ${VIEW_DIMENSIONS}`,
  'aspect?: all|stencil-only|depth-only',
  'baseMipLevel?: a whole number',
  'mipLevelCount?: a whole number',
  'baseArrayLayer?: a whole number',
  'arrayLayerCount?: a whole number',
];
const VIEW_REMEDY = 'an object = { texture }, with the texture’s handle';

/** Bind group entries: which of the three it is, its other fields say. */
export const ENTRY_OF_VIEW: Shape = [
  'binding: a whole number = the number of a binding',
  [`view: ${VIEW_REMEDY}`, VIEW],
];
export const ENTRY_OF_BUFFER: Shape = [
  'binding: a whole number = the number of a binding',
  'buffer: a handle = a buffer’s handle',
  'byteOffset?: a whole number',
  'byteLength?: a whole number',
];
export const ENTRY_OF_SAMPLER: Shape = [
  'binding: a whole number = the number of a binding',
  'sampler: a handle = a sampler’s handle',
];

const LAYOUT_ENTRY: Shape = [
  'binding: a whole number = the number of a binding',
  'visibility: a whole number = bits of ShaderStage',
  [
    'buffer?: an object',
    [
      'type?: uniform|storage|read-only-storage',
      'hasDynamicOffset?: true or false',
      'minBindingSize?: a whole number',
    ],
  ],
  ['sampler?: an object', ['type?: filtering|non-filtering|comparison']],
  [
    'texture?: an object',
    [
      'sampleType?: float|unfilterable-float|depth|sint|uint',
      `viewDimension?: ${VIEW_DIMENSIONS}`,
      'multisampled?: true or false',
    ],
  ],
  [
    'storageTexture?: an object',
    [
      'access?: write-only|read-only|read-write',
      'format: a texture format',
      `viewDimension?: ${VIEW_DIMENSIONS}`,
    ],
  ],
  ['externalTexture?: an object', []],
];

const LAYOUTS =
  'bindGroupLayouts: a list of handles = the handles of bind group layouts, [] for none; there is no automatic layout';
const STAGE: Shape = [
  'module: a handle = a shader module’s handle',
  'entryPoint: a string = the name of a function of the module',
  'constants?: numbers by name',
];
const VERTEX_BUFFER: Shape = [
  'arrayStride: a whole number = the bytes from one vertex to the next',
  'stepMode?: vertex|instance',
  [
    'attributes: a list = a list of { format, offset, shaderLocation }, [] for none',
    ['format: a vertex format', 'offset: a whole number', 'shaderLocation: a whole number'],
  ],
];
const FACTORS =
  'zero|one|src|one-minus-src|src-alpha|one-minus-src-alpha|dst|one-minus-dst|dst-alpha|one-minus-dst-alpha|src-alpha-saturated|constant|one-minus-constant|src1|one-minus-src1|src1-alpha|one-minus-src1-alpha';
const BLEND_COMPONENT: Shape = [
  'operation?: add|subtract|reverse-subtract|min|max',
  `srcFactor?: ${FACTORS}`,
  `dstFactor?: ${FACTORS}`,
];
const TARGET: Shape = [
  'format: a texture format',
  [
    'blend?: an object',
    [
      ['color: an object = { operation, srcFactor, dstFactor }', BLEND_COMPONENT],
      ['alpha: an object = { operation, srcFactor, dstFactor }', BLEND_COMPONENT],
    ],
  ],
  'writeMask?: a whole number = bits of GPUColorWrite',
];
const STENCIL_OPERATIONS =
  'keep|zero|replace|invert|increment-clamp|decrement-clamp|increment-wrap|decrement-wrap';
const STENCIL_FACE: Shape = [
  `compare?: ${COMPARE}`,
  `failOp?: ${STENCIL_OPERATIONS}`,
  `depthFailOp?: ${STENCIL_OPERATIONS}`,
  `passOp?: ${STENCIL_OPERATIONS}`,
];
const DEPTH_STENCIL: Shape = [
  'format: a texture format',
  'depthWriteEnabled?: true or false',
  `depthCompare?: ${COMPARE}`,
  ['stencilFront?: an object', STENCIL_FACE],
  ['stencilBack?: an object', STENCIL_FACE],
  'stencilReadMask?: a whole number',
  'stencilWriteMask?: a whole number',
  'depthBias?: an integer',
  'depthBiasSlopeScale?: a number',
  'depthBiasClamp?: a number',
];

const ADDRESS_MODES = 'clamp-to-edge|repeat|mirror-repeat';
const TIMESTAMPS: readonly [string, Shape] = [
  'timestampWrites?: an object = { querySet, beginningOfPassWriteIndex, endOfPassWriteIndex }',
  [
    'querySet: a handle = a query set’s handle',
    'beginningOfPassWriteIndex?: a whole number',
    'endOfPassWriteIndex?: a whole number',
  ],
];
const COLOR_ATTACHMENT: Shape = [
  [`view: ${VIEW_REMEDY}`, VIEW],
  'depthSlice?: a whole number = the slice of a 3d texture',
  [`resolveTarget?: ${VIEW_REMEDY}`, VIEW],
  'loadOp: load|clear',
  'storeOp: store|discard',
  'clearValue?: four numbers = [red, green, blue, alpha]',
];
const DEPTH_ATTACHMENT: Shape = [
  [`view: ${VIEW_REMEDY}`, VIEW],
  'depthLoadOp?: load|clear',
  'depthStoreOp?: store|discard',
  'depthClearValue?: a number',
  'depthReadOnly?: true or false',
  'stencilLoadOp?: load|clear',
  'stencilStoreOp?: store|discard',
  'stencilClearValue?: a whole number',
  'stencilReadOnly?: true or false',
];

export const SHAPES: Readonly<Record<DescribedKind, Shape>> = {
  buffer: [
    LABEL,
    'byteLength: a whole number = its size in bytes',
    'usage: a whole number = bits of BufferUsage',
  ],
  texture: [
    LABEL,
    'width: a whole number = its width in texels; size is given as width, height, depthOrArrayLayers',
    'height: a whole number = its height in texels, 1 where it has one dimension',
    'depthOrArrayLayers?: a whole number',
    'mipLevelCount?: a whole number',
    'sampleCount?: a whole number',
    'dimension?: 1d|2d|3d',
    'format: a texture format',
    'usage: a whole number = bits of TextureUsage',
    'viewFormats?: a list of texture formats',
  ],
  sampler: [
    LABEL,
    `addressModeU?: ${ADDRESS_MODES}`,
    `addressModeV?: ${ADDRESS_MODES}`,
    `addressModeW?: ${ADDRESS_MODES}`,
    'magFilter?: nearest|linear',
    'minFilter?: nearest|linear',
    'mipmapFilter?: nearest|linear',
    'lodMinClamp?: a number',
    'lodMaxClamp?: a number',
    `compare?: ${COMPARE}`,
    'maxAnisotropy?: a number',
  ],
  'shader module': [LABEL, 'code: a string = WGSL'],
  'bind group layout': [LABEL, ['entries: a list = a list of entries, [] for none', LAYOUT_ENTRY]],
  'bind group': [
    LABEL,
    'layout: a handle = the handle of a bind group layout',
    'entries: a list of { binding, … } = a list of entries, [] for none',
  ],
  'graphics pipeline': [
    LABEL,
    LAYOUTS,
    [
      'vertex: an object = { module, entryPoint }',
      [
        ...STAGE,
        [
          'buffers?: a list with gaps = a list with { arrayStride, attributes } of each slot, or null',
          VERTEX_BUFFER,
        ],
      ],
    ],
    [
      'fragment?: an object = { module, entryPoint, targets }',
      [...STAGE, ['targets: a list with gaps = a list with { format } of each attachment, or null', TARGET]],
    ],
    [
      'primitive?: an object',
      [
        'topology?: point-list|line-list|line-strip|triangle-list|triangle-strip',
        'stripIndexFormat?: uint16|uint32',
        'frontFace?: ccw|cw',
        'cullMode?: none|front|back',
        'unclippedDepth?: true or false',
      ],
    ],
    ['depthStencil?: an object', DEPTH_STENCIL],
    [
      'multisample?: an object',
      ['count?: a whole number', 'mask?: a whole number', 'alphaToCoverageEnabled?: true or false'],
    ],
  ],
  'compute pipeline': [LABEL, LAYOUTS, ['compute: an object = { module, entryPoint }', STAGE]],
  'query set': [LABEL, 'type: occlusion|timestamp', 'count: a whole number = how many queries it has'],
  'render pass': [
    LABEL,
    [
      'colorAttachments: a list with gaps = a list with { view, loadOp, storeOp } of each, or null; [] for none',
      COLOR_ATTACHMENT,
    ],
    ['depthStencilAttachment?: an object = { view, … }', DEPTH_ATTACHMENT],
    'occlusionQuerySet?: a handle = a query set’s handle',
    TIMESTAMPS,
  ],
  'compute pass': [LABEL, TIMESTAMPS],
  'draw bundle': [LABEL],
  'texture region': [
    'width: a whole number = its width in texels',
    'height: a whole number = its height in texels',
    'depthOrArrayLayers?: a whole number',
    'mipLevel?: a whole number',
    'sourceMipLevel?: a whole number',
    'sourceOrigin?: three numbers = [x, y, layer or slice]',
    'origin?: three numbers = [x, y, layer or slice]',
    'aspect?: all|stencil-only|depth-only',
    'byteOffset?: a whole number',
    'bytesPerRow?: a whole number',
    'rowsPerImage?: a whole number',
    'flipY?: true or false',
    'premultipliedAlpha?: true or false',
  ],
  'texture clear': [
    'aspect?: all|stencil-only|depth-only',
    'baseMipLevel?: a whole number',
    'mipLevelCount?: a whole number',
    'baseArrayLayer?: a whole number',
    'arrayLayerCount?: a whole number',
    'color?: four numbers = [red, green, blue, alpha]',
    'depth?: a number',
    'stencil?: a number',
  ],
};
