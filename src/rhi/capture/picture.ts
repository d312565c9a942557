/**
 * Pictures of textures, for people and for tests. A picture has 8 bits each of red, green, blue and alpha, and row 0 is
 * at the top. A single-sampled texture in an `rgba8unorm` or `bgra8unorm` format is copied. Any other texture is first
 * drawn into an `rgba8unorm` texture. Linear colours become sRGB, samples are averaged, and depth becomes grey.
 */
import { TextureUsage } from '../commands/descriptors.js';
import { boxLayout, type LevelLayout, levelSize } from '../commands/texel-levels.js';
import type { SnapshotBackend } from './staging.js';
import { stage, textureCopy } from './staging.js';

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

interface PictureSource {
  readonly texture: GPUTexture;
  readonly mipLevel?: number;
  /** Layer, or slice of a 3D texture. */
  readonly arrayLayer?: number;
}

/**
 * Reads a texture as it is after all commands recorded so far. Call it outside passes.
 * @throws RhiError `readback-failed`, as a rejection
 */
export async function readPicture(backend: SnapshotBackend, source: PictureSource): Promise<Picture> {
  const { texture, mipLevel = 0, arrayLayer = 0 } = source;
  const isDirect = texture.sampleCount === 1 && /^(rgba|bgra)8unorm/.test(texture.format);
  const width = levelSize(texture.width, mipLevel);
  const height = levelSize(texture.height, mipLevel);
  const target = isDirect ? null : drawInto(backend, source, width, height);
  try {
    const layout = boxLayout('rgba8unorm', { width, height }) as LevelLayout;
    const from = target ? { texture: target } : { texture, mipLevel, origin: [0, 0, arrayLayer] };
    const [bytes] = await stage([textureCopy(from, layout)], backend);
    const data = new Uint8ClampedArray(bytes.buffer);
    if (isDirect && texture.format.startsWith('bgra')) swapRedAndBlue(data);
    return { width, height, data };
  } finally {
    target?.destroy();
  }
}

function swapRedAndBlue(data: Uint8ClampedArray): void {
  for (let at = 0; at < data.length; at += 4) {
    const blue = data[at];
    data[at] = data[at + 2];
    data[at + 2] = blue;
  }
}

function drawInto(
  backend: SnapshotBackend,
  source: PictureSource,
  width: number,
  height: number,
): GPUTexture {
  const { device, list } = backend;
  const { texture, mipLevel: baseMipLevel = 0, arrayLayer = 0 } = source;
  const hasDepth = texture.format.startsWith('depth');
  const isVolume = texture.dimension === '3d';
  const target = device.createTexture({
    label: 'picture',
    size: [width, height],
    format: 'rgba8unorm',
    usage: TextureUsage.renderAttachment | TextureUsage.copySource,
  });
  const module = device.createShaderModule({ label: 'picture', code: shader(texture, arrayLayer) });
  const pipeline = device.createRenderPipeline({
    label: 'picture',
    layout: 'auto',
    vertex: { module, entryPoint: 'corner' },
    fragment: { module, entryPoint: 'texel', targets: [{ format: 'rgba8unorm' }] },
  });
  const view = texture.createView({
    dimension: isVolume ? '3d' : '2d',
    aspect: hasDepth ? 'depth-only' : 'all',
    baseMipLevel,
    mipLevelCount: 1,
    baseArrayLayer: isVolume ? 0 : arrayLayer,
    arrayLayerCount: 1,
  });
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: view }],
  });
  const pass = list.current.beginRenderPass({
    label: 'picture',
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  pass.draw(3);
  pass.end();
  return target;
}

interface PictureFormat {
  readonly format: string;
  readonly sampleCount: number;
  readonly dimension?: GPUTextureDimension;
}

/** Returns a shader that converts the texels of this texture to colours. @param slice slice of a 3D texture */
function shader({ format, sampleCount, dimension }: PictureFormat, slice = 0): string {
  const hasDepth = format.startsWith('depth');
  const integer = /(u|s)int$/.exec(format);
  const type = integer ? (integer[1] === 'u' ? 'u32' : 'i32') : 'f32';
  const isVolume = dimension === '3d';
  const multisampled = sampleCount > 1 ? '_multisampled' : '';
  const texture = hasDepth
    ? `texture_depth${multisampled}_2d`
    : `texture${multisampled}_${isVolume ? '3d' : '2d'}<${type}>`;
  const load = hasDepth
    ? 'vec4f(vec3f(textureLoad(source, at, i)), 1)'
    : `vec4f(textureLoad(source, at, i))${integer ? ' / 255' : ''}`;
  const isLinear = /float|-srgb/.test(format) && !hasDepth;
  return `
@group(0) @binding(0) var source: ${texture};
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2) * 4 - 1, f32(i % 2) * 4 - 1, 0, 1);
}
@fragment fn texel(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let at = ${isVolume ? `vec3u(vec2u(position.xy), ${slice})` : 'vec2u(position.xy)'};
  var sum = vec4f(0);
  for (var i = 0; i < ${sampleCount}; i++) { sum += ${load}; }
  let color = clamp(sum / ${sampleCount}, vec4f(0), vec4f(1));
  ${isLinear ? 'let shown = select(1.055 * pow(color.rgb, vec3f(1 / 2.4)) - 0.055, color.rgb * 12.92, color.rgb <= vec3f(0.0031308));' : 'let shown = color.rgb;'}
  return vec4f(shown, color.a);
}`;
}
