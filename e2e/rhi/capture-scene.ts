/**
 * A scene with everything that a capture must transfer to another page. It has a pipeline whose shader module
 * and bind group layout are destroyed, a mip chain, multisampling and depth. Its targets and a storage buffer
 * depend on earlier frames, and its lists contain writes of every kind. It draws the same picture on every
 * device.
 *
 *   frame 0 ─► 'far' and 'near' (depth, never drawn again)
 *   frame   compute moves the boxes ─► 'trail' (16-bit floats, cleared once) ─► boxes, 4 samples, depth ─► viewport
 */
import {
  BufferUsage,
  FrameFlag,
  type Rhi,
  ShaderStage,
  type TextureHandle,
  TextureUsage,
  type TextureViewDescriptor,
} from 'fencepost/rhi';

export const WIDTH = 96;
export const HEIGHT = 64;
/** Bytes per row of a copy to a buffer. */
const BYTES_PER_ROW = 512;

const boxes = /* wgsl */ `
struct Varying { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) shade: f32 }
@group(0) @binding(0) var<uniform> settings: vec4f;
@group(0) @binding(1) var<storage, read> angles: array<f32>;
@group(0) @binding(2) var pattern: texture_2d<f32>;
@group(0) @binding(3) var smooth_: sampler;

@vertex fn vertex(@location(0) corner: vec3f, @builtin(instance_index) instance: u32) -> Varying {
  let angle = angles[instance];
  let across = cos(angle) * corner.x + sin(angle) * corner.z;
  let depth = cos(angle) * corner.z - sin(angle) * corner.x;
  let center = vec2f(f32(instance) * 0.5 - 0.5, settings.x);
  var out: Varying;
  out.position = vec4f(vec2f(across, corner.y) * 0.45 + center, 0.5 + depth * 0.2, 1);
  out.uv = corner.xy * settings.y;
  out.shade = 0.6 + 0.4 * corner.z;
  return out;
}
@fragment fn fragment(in: Varying) -> @location(0) vec4f {
  return vec4f(textureSample(pattern, smooth_, in.uv).rgb * in.shade, 1);
}`;

const compute = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> angles: array<f32>;
@compute @workgroup_size(3) fn turn(@builtin(local_invocation_index) i: u32) {
  angles[i] += 0.25 + f32(i) * 0.125;
}`;

const screen = /* wgsl */ `
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var far: texture_depth_2d;
@group(0) @binding(2) var near: texture_depth_2d_array;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
}
@fragment fn copy(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let size = vec2f(textureDimensions(source));
  let color = textureLoad(source, vec2u(at.xy / vec2f(${WIDTH}, ${HEIGHT}) * size), 0);
  let texel = vec2u(at.xy) % vec2u(8, 4);
  let layer = u32(at.x) / 8 % 2;
  return color + vec4f(0, textureLoad(far, texel, 0), textureLoad(near, texel, layer, 0), 0) * 0.4;
}
@fragment fn depth(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
  return fract((at.x + 9 * at.y) * 0.137);
}
@fragment fn glow(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let middle = vec2f(${WIDTH}, ${HEIGHT}) * 0.5;
  return vec4f(0.09, 0.03, 0.05, 1) * (1 - distance(at.xy * 2, middle) / 60);
}`;

/** Returns the sRGB texels of a mip level. Each level has another colour. */
function mipTexels(level: number, size: number): Uint8Array {
  const texels = new Uint8Array(size * size * 4);
  for (let i = 0; i < size * size; i++) {
    const isLit = (i + Math.floor(i / size)) % 2 === 0;
    texels.set(isLit ? [250, 200 - level * 50, 90, 255] : [30 + level * 60, 60, 120, 255], i * 4);
  }
  return texels;
}

export interface CaptureScene {
  /** Draws one frame and returns its picture: RGBA, row 0 at the top. */
  draw(frame: number): Promise<Uint8Array>;
  dispose(): void;
}

export interface CaptureSceneOptions {
  /** The image to copy, or `null` on platforms without ImageBitmap. Then a texture write replaces the copy. */
  readonly image: ImageBitmap | null;
}

export function createCaptureScene(rhi: Rhi, { image }: CaptureSceneOptions): CaptureScene {
  const { context } = rhi;
  const format = rhi.capabilities.surfaceFormat;
  const viewport = context.createViewportTarget('canvas');
  const texture = (label: string, options: object): TextureHandle =>
    context.createTexture({
      label,
      width: WIDTH,
      height: HEIGHT,
      format,
      usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
      ...options,
    });
  const samples = texture('samples', { sampleCount: 4, usage: TextureUsage.renderAttachment });
  const depth = texture('depth', {
    sampleCount: 4,
    format: 'depth24plus',
    usage: TextureUsage.renderAttachment,
  });
  const trail = texture('trail', { width: WIDTH / 2, height: HEIGHT / 2, format: 'rgba16float' });
  const small = { width: 8, height: 4 };
  const far = texture('far', { ...small, format: 'depth16unorm' });
  const near = texture('near', { ...small, format: 'depth32float', depthOrArrayLayers: 2 });
  const pattern = texture('pattern', {
    width: 16,
    height: 16,
    mipLevelCount: 3,
    format: 'rgba8unorm-srgb',
    usage: TextureUsage.textureBinding | TextureUsage.copyTarget | TextureUsage.renderAttachment,
  });
  for (const level of [0, 1, 2]) {
    const size = 16 >> level;
    const region = { width: size, height: size, mipLevel: level, bytesPerRow: size * 4 };
    context.writeTexture(pattern, region, mipTexels(level, size));
  }
  const buffer = (label: string, byteLength: number, usage: number) =>
    context.createBuffer({ label, byteLength, usage: usage | BufferUsage.copyTarget });
  const corners = buffer('corners', 6 * 4 * 12, BufferUsage.vertex);
  const indices = buffer('indices', 72, BufferUsage.index);
  const settings = buffer('settings', 16, BufferUsage.uniform);
  const angles = buffer('angles', 16, BufferUsage.storage);
  const readback = buffer('picture', BYTES_PER_ROW * HEIGHT, 0);
  context.writeBuffer(corners, 0, boxCorners());
  const faces = Array.from({ length: 6 }, (_, face) => [0, 1, 2, 2, 1, 3].map((corner) => face * 4 + corner));
  context.writeBuffer(indices, 0, Uint16Array.from(faces.flat()));
  context.writeBuffer(settings, 0, Float32Array.of(0, 0.7, 0, 0));
  context.writeBuffer(angles, 0, Float32Array.of(0.2, 0.9, 1.7, 0));
  const smooth = context.createSampler({ label: 'smooth', minFilter: 'linear', mipmapFilter: 'linear' });

  const { vertex, fragment } = ShaderStage;
  const layout = context.createBindGroupLayout({
    label: 'boxes',
    entries: [
      { binding: 0, visibility: vertex, buffer: { type: 'uniform' } },
      { binding: 1, visibility: vertex, buffer: { type: 'read-only-storage' } },
      { binding: 2, visibility: fragment, texture: {} },
      { binding: 3, visibility: fragment, sampler: {} },
    ],
  });
  const module = context.createShaderModule({ label: 'boxes', code: boxes });
  const boxPipeline = context.createGraphicsPipeline({
    label: 'boxes',
    bindGroupLayouts: [layout],
    vertex: {
      module,
      entryPoint: 'vertex',
      buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
    },
    fragment: { module, entryPoint: 'fragment', targets: [{ format }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
    multisample: { count: 4 },
  });
  const boxGroup = context.createBindGroup({
    label: 'boxes',
    layout,
    entries: [
      { binding: 0, buffer: settings },
      { binding: 1, buffer: angles },
      { binding: 2, view: { texture: pattern } },
      { binding: 3, sampler: smooth },
    ],
  });
  // The pipeline and the group outlive these objects, and later objects reuse the freed slots.
  for (const handle of [module, layout, smooth]) context.destroy(handle);

  const computeModule = context.createShaderModule({ label: 'turn', code: compute });
  const computeLayout = context.createBindGroupLayout({
    label: 'turn',
    entries: [{ binding: 0, visibility: ShaderStage.compute, buffer: { type: 'storage' } }],
  });
  const turn = context.createComputePipeline({
    label: 'turn',
    bindGroupLayouts: [computeLayout],
    compute: { module: computeModule, entryPoint: 'turn' },
  });
  const turnGroup = context.createBindGroup({
    label: 'turn',
    layout: computeLayout,
    entries: [{ binding: 0, buffer: angles }],
  });

  const screenModule = context.createShaderModule({ label: 'screen', code: screen });
  const screenLayout = context.createBindGroupLayout({
    label: 'screen',
    entries: [
      { binding: 0, visibility: fragment, texture: { sampleType: 'unfilterable-float' } },
      { binding: 1, visibility: fragment, texture: { sampleType: 'depth' } },
      { binding: 2, visibility: fragment, texture: { sampleType: 'depth', viewDimension: '2d-array' } },
    ],
  });
  const screenPipeline = (
    label: string,
    entryPoint: string,
    target: GPUColorTargetState,
    sampleCount: number,
  ) =>
    context.createGraphicsPipeline({
      label,
      bindGroupLayouts: [screenLayout],
      vertex: { module: screenModule, entryPoint: 'corner' },
      fragment: { module: screenModule, entryPoint, targets: [target] },
      multisample: { count: sampleCount },
      depthStencil:
        sampleCount > 1
          ? { format: 'depth24plus', depthWriteEnabled: false, depthCompare: 'always' }
          : undefined,
    });
  const add = { srcFactor: 'one', dstFactor: 'one' } as const;
  const glow = screenPipeline(
    'glow',
    'glow',
    { format: 'rgba16float', blend: { color: add, alpha: add } },
    1,
  );
  const showTrail = screenPipeline('show trail', 'copy', { format }, 4);
  const group = (label: string, view: TextureViewDescriptor) =>
    context.createBindGroup({
      label,
      layout: screenLayout,
      entries: [
        { binding: 0, view },
        { binding: 1, view: { texture: far } },
        { binding: 2, view: { texture: near, dimension: '2d-array' } },
      ],
    });
  const trailGroup = group('trail', { texture: trail });
  const patternGroup = group('pattern', { texture: pattern });

  const depthPipeline = (format: 'depth16unorm' | 'depth32float') =>
    context.createGraphicsPipeline({
      label: format,
      bindGroupLayouts: [],
      vertex: { module: screenModule, entryPoint: 'corner' },
      fragment: { module: screenModule, entryPoint: 'depth', targets: [] },
      depthStencil: { format, depthWriteEnabled: true, depthCompare: 'always' },
    });
  const farPipeline = depthPipeline('depth16unorm');
  const nearPipeline = depthPipeline('depth32float');

  // The bundle is recorded once, before any capture begins.
  const trailBundle = context.createDrawBundle({ label: 'trail' }, (draws) => {
    draws.setGraphicsPipeline(showTrail);
    draws.setBindGroup(0, trailGroup);
    draws.draw(3);
  });

  return {
    draw: async (frame) => {
      context.beginFrame(frame, FrameFlag.waitForPipelines);
      if (frame === 0) {
        const maps = [
          { pipeline: farPipeline, view: { texture: far } },
          { pipeline: nearPipeline, view: { texture: near, baseArrayLayer: 0, arrayLayerCount: 1 } },
          { pipeline: nearPipeline, view: { texture: near, baseArrayLayer: 1, arrayLayerCount: 1 } },
        ];
        for (const [index, { pipeline, view }] of maps.entries()) {
          context.beginRenderPass({
            label: 'depth',
            colorAttachments: [],
            depthStencilAttachment: {
              view: { ...view, dimension: '2d' },
              depthLoadOp: 'clear',
              depthStoreOp: 'store',
              depthClearValue: 0.5,
            },
          });
          context.setScissorRect(index, 0, 6, 4);
          context.setGraphicsPipeline(pipeline);
          context.draw(3);
          context.endRenderPass();
        }
      }
      if (frame === 4) {
        // Attachments, which are bytes outside the command stream, are written to a buffer and to one layer of
        // a mip level.
        context.writeBufferFromAttachment(settings, 0, Float32Array.of(0.15, 0.9, 0, 0).buffer);
        const region = { width: 4, height: 4, mipLevel: 2, bytesPerRow: 16 };
        context.writeTextureFromAttachment(pattern, region, mipTexels(5, 4).buffer as ArrayBuffer);
      }
      if (frame === 5) {
        const region = { width: 8, height: 8, origin: [4, 4, 0], flipY: true } as const;
        if (image) context.copyExternalImage(image, pattern, region);
        else context.writeTexture(pattern, { ...region, bytesPerRow: 32 }, imageTexels());
      }
      context.beginComputePass({ label: 'turn' });
      context.setComputePipeline(turn);
      context.setBindGroup(0, turnGroup);
      context.dispatch(1);
      context.endComputePass();

      context.beginRenderPass({
        label: 'glow',
        colorAttachments: [
          { view: { texture: trail }, loadOp: frame === 0 ? 'clear' : 'load', storeOp: 'store' },
        ],
      });
      context.setGraphicsPipeline(glow);
      context.setBindGroup(0, patternGroup);
      context.draw(3);
      context.endRenderPass();

      context.beginDrawingViewport(viewport, WIDTH, HEIGHT);
      context.beginRenderPass({
        label: 'main',
        colorAttachments: [
          {
            view: { texture: samples },
            resolveTarget: { texture: viewport },
            loadOp: 'clear',
            storeOp: 'discard',
            clearValue: [0.1, 0.2, 0.3, 1],
          },
        ],
        depthStencilAttachment: {
          view: { texture: depth },
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
          depthClearValue: 1,
        },
      });
      context.executeDrawBundle(trailBundle);
      context.setGraphicsPipeline(boxPipeline);
      context.setBindGroup(0, boxGroup);
      context.setVertexBuffer(0, corners, 0, 6 * 4 * 12);
      context.setIndexBuffer(indices, 'uint16', 0, 72);
      for (let box = 0; box < 3; box++) context.drawIndexed(36, 1, 0, 0, box);
      context.endRenderPass();
      context.copyTextureToBuffer(viewport, readback, {
        width: WIDTH,
        height: HEIGHT,
        bytesPerRow: BYTES_PER_ROW,
        rowsPerImage: HEIGHT,
      });
      context.endDrawingViewport(viewport);
      const bytes = rhi.read(readback, 0, BYTES_PER_ROW * HEIGHT);
      context.endFrame();
      context.publish();
      return pictureOf(new Uint8Array(await bytes), format);
    },
    dispose: () => rhi.dispose(),
  };
}

/** Returns 8 × 8 texels with one marked corner, so that flipping shows. */
export function imageTexels(): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(8 * 8 * 4);
  for (let i = 0; i < 64; i++)
    texels.set(i < 20 && i % 8 < 4 ? [255, 255, 255, 255] : [200, 20, 160, 255], i * 4);
  return texels;
}

function boxCorners(): Float32Array {
  const corners: number[] = [];
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      for (const [u, v] of [
        [-1, -1],
        [1, -1],
        [-1, 1],
        [1, 1],
      ]) {
        const corner = [0, 0, 0];
        corner[axis] = side;
        corner[(axis + 1) % 3] = u;
        corner[(axis + 2) % 3] = v;
        corners.push(...corner);
      }
    }
  }
  return Float32Array.from(corners);
}

/** Returns the picture without row padding, as RGBA. */
function pictureOf(bytes: Uint8Array, format: GPUTextureFormat): Uint8Array {
  const picture = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let row = 0; row < HEIGHT; row++) {
    const from = row * BYTES_PER_ROW;
    picture.set(bytes.subarray(from, from + WIDTH * 4), row * WIDTH * 4);
  }
  if (format.startsWith('rgba')) return picture;
  for (let at = 0; at < picture.length; at += 4) {
    const blue = picture[at] as number;
    picture[at] = picture[at + 2] as number;
    picture[at + 2] = blue;
  }
  return picture;
}
