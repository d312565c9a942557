/** Texture views: settles the fields that were left out, as WebGPU does, and checks what is named. */
import type { TextureViewDescriptor } from '../commands/descriptors.js';
import { formatInfo, withoutSrgb } from './formats.js';
import { nameOf, type TextureModel, type TextureView } from './models.js';
import type { ValidationState } from './state.js';

/** Null: the texture is missing or failed, or the view can't be; reported where it wasn't before. */
export function resolveView(state: ValidationState, view: TextureViewDescriptor): TextureView | null {
  const texture = state.find(state.models.textures, view.texture);
  if (texture === null) return null;
  const { command } = state;
  const dimension = view.dimension ?? defaultDimension(texture);
  const aspect = view.aspect ?? 'all';
  const firstMip = view.baseMipLevel ?? 0;
  const firstLayer = view.baseArrayLayer ?? 0;
  const mips = view.mipLevelCount ?? texture.mips - firstMip;
  const layers = view.arrayLayerCount ?? defaultLayers(dimension, texture, firstLayer);
  const resource = nameOf(texture);
  const range = (what: string, first: number, count: number, available: number): boolean =>
    (count >= 1 && first + count <= available) ||
    state.report('view-range', { command, what, first, last: first + count - 1, resource, count: available });
  const available = texture.dimension === '3d' ? 1 : texture.layers;
  if (!range('mip levels', firstMip, mips, texture.mips)) return null;
  if (!range('layers', firstLayer, layers, available)) return null;
  const dimensionFault = faultOfDimension(texture, dimension, layers);
  if (dimensionFault !== '') {
    state.report('view-dimension', { command, resource, dimension, reason: dimensionFault });
    return null;
  }
  const format = view.format ?? texture.format;
  const formatFault = faultOfFormat(texture, format, aspect);
  if (formatFault !== '') {
    state.report('view-format', { command, resource, format, reason: formatFault });
    return null;
  }
  const info = format === texture.format ? texture.info : formatInfo(format);
  return { texture, format, info, dimension, aspect, firstMip, mips, firstLayer, layers };
}

/** Size of a mip level. */
export const mipSize = (size: number, mip: number): number => Math.max(1, size >> mip);

function defaultDimension({ dimension, layers }: TextureModel): GPUTextureViewDimension {
  if (dimension !== '2d') return dimension;
  return layers === 1 ? '2d' : '2d-array';
}

function defaultLayers(dimension: GPUTextureViewDimension, texture: TextureModel, first: number): number {
  if (dimension === 'cube') return 6;
  return dimension === '2d-array' || dimension === 'cube-array' ? texture.layers - first : 1;
}

function faultOfDimension(texture: TextureModel, dimension: GPUTextureViewDimension, layers: number): string {
  const own = dimension === '1d' || dimension === '3d' ? dimension : '2d';
  if (own !== texture.dimension) return `the texture is ${texture.dimension}`;
  if (dimension === '2d' && layers !== 1) return `${layers} layers are named`;
  if (dimension === 'cube' && layers !== 6) return `${layers} layers are named, and a cube has 6`;
  if (dimension === 'cube-array' && layers % 6 !== 0) return `${layers} layers are no whole number of cubes`;
  if (dimension.startsWith('cube') && texture.width !== texture.height) return 'it is not square';
  if (texture.samples > 1 && dimension !== '2d') return 'it is multisampled';
  return '';
}

function faultOfFormat(texture: TextureModel, format: string, aspect: GPUTextureAspect): string {
  const { info } = texture;
  // A texture of the surface may be seen with and without sRGB.
  const isSurface = texture.isViewport && withoutSrgb(format) === withoutSrgb(texture.format);
  if (info === undefined || isSurface) return '';
  if (aspect === 'depth-only' && !info.hasDepth) return 'the texture has no depth';
  if (aspect === 'stencil-only' && !info.hasStencil) return 'the texture has no stencil';
  const isAspect = aspect !== 'all' && formatInfo(format) !== undefined && info.hasDepth === true;
  if (format === texture.format || isAspect || texture.viewFormats.includes(format)) return '';
  return `the texture has ${texture.format}`;
}
