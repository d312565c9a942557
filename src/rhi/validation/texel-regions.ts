/**
 * Boxes of texels in copies and writes, and how their rows lie in bytes:
 *
 *   byteOffset ─► row 0 ····· bytesPerRow ─► row 1 …   rowsPerImage rows ─► the next layer
 */
import type { TextureRegion } from '../commands/descriptors.js';
import { copyBytes } from './formats.js';
import { type BufferModel, nameOf, type TextureModel } from './models.js';
import type { ValidationState } from './state.js';
import { mipSize } from './views.js';

export interface TextureSide {
  readonly mip: number;
  readonly origin: readonly [number, number, number];
  readonly width: number;
  readonly height: number;
  readonly layers: number;
  readonly aspect: GPUTextureAspect;
}

/** Both sides of a copy between textures; a copy with a buffer has only the `target` one. */
export function textureSides(region: TextureRegion): {
  readonly source: TextureSide;
  readonly target: TextureSide;
} {
  const { width, height, depthOrArrayLayers: layers = 1, aspect = 'all' } = region;
  const size = { width, height, layers, aspect };
  return {
    source: { ...size, mip: region.sourceMipLevel ?? 0, origin: region.sourceOrigin ?? [0, 0, 0] },
    target: { ...size, mip: region.mipLevel ?? 0, origin: region.origin ?? [0, 0, 0] },
  };
}

/**
 * The box lies in the texture, in whole blocks, and the aspect can be copied.
 * @param isTarget bytes go in (true), come out (false); null: between textures, where any format goes
 * @param mustBeWhole depth, stencil and multisampled textures are copied by whole mip levels
 */
export function checkTextureSide(
  state: ValidationState,
  texture: TextureModel,
  { mip, origin, width, height, layers, aspect }: TextureSide,
  isTarget: boolean | null,
  mustBeWhole = false,
): boolean {
  const { command } = state;
  const { info } = texture;
  const resource = nameOf(texture);
  if (mip >= texture.mips) {
    const range = { what: 'mip levels', first: mip, last: mip, count: texture.mips };
    return state.report('view-range', { command, resource, ...range });
  }
  if (isTarget !== null && texture.samples > 1) {
    const remedy = 'Resolve it in a pass first';
    return state.report('copy-samples', { command, resource, count: texture.samples, remedy });
  }
  const fault = isTarget === null ? '' : aspectFault(texture, aspect, isTarget);
  if (fault !== '') {
    const named = aspect === 'all' ? 'all aspects' : aspect;
    return state.report('copy-aspect', { command, aspect: named, resource, reason: fault });
  }
  const [blockWidth, blockHeight] = [info?.blockWidth ?? 1, info?.blockHeight ?? 1];
  const block = `${blockWidth} × ${blockHeight}`;
  const [x, y, z] = origin;
  if (x % blockWidth !== 0 || y % blockHeight !== 0) {
    return state.report('texture-block', { command, what: `the origin ${x}, ${y}`, resource, block });
  }
  if (width % blockWidth !== 0 || height % blockHeight !== 0) {
    return state.report('texture-block', { command, what: `the size ${width} × ${height}`, resource, block });
  }
  // A level that is no whole number of blocks has whole blocks in memory.
  const size = [
    Math.ceil(mipSize(texture.width, mip) / blockWidth) * blockWidth,
    Math.ceil(mipSize(texture.height, mip) / blockHeight) * blockHeight,
    texture.dimension === '3d' ? mipSize(texture.layers, mip) : texture.layers,
  ];
  const reach = [x + width, y + height, z + layers];
  const extents = { reach: reach.join(' × '), mip, size: size.join(' × ') };
  if (reach.some((end, i) => end > size[i]))
    return state.report('texture-region', { command, resource, ...extents });
  if (mustBeWhole && (width !== size[0] || height !== size[1])) {
    return state.report('copy-whole', { command, resource, size: extents.size });
  }
  return true;
}

function aspectFault(texture: TextureModel, aspect: GPUTextureAspect, isTarget: boolean): string {
  const { info, format } = texture;
  if (info === undefined) return '';
  if (aspect === 'depth-only' && !info.hasDepth) return 'it has no depth';
  if (aspect === 'stencil-only' && !info.hasStencil) return 'it has no stencil';
  if (aspect === 'all' && info.hasDepth && info.hasStencil) return 'one of depth and stencil must be named';
  if (info.hasDepth && aspect !== 'stencil-only') {
    if (info.blockBytes === 0) return `the depth of ${format} can't be copied to or from bytes`;
    if (isTarget && format !== 'depth16unorm') return `bytes can't be copied into the depth of ${format}`;
  }
  return '';
}

/** Alignments that only copies with buffers have. */
export function checkBufferLayout(
  state: ValidationState,
  buffer: BufferModel,
  texture: TextureModel,
  { aspect }: TextureSide,
  { byteOffset = 0, bytesPerRow }: TextureRegion,
): boolean {
  const { info } = texture;
  if (bytesPerRow !== undefined && !state.checkAlignment(buffer, 'bytesPerRow', bytesPerRow, 256))
    return false;
  if (info === undefined) return true;
  const alignment = info.hasDepth || info.hasStencil ? 4 : copyBytes(info, aspect);
  return state.checkAlignment(buffer, 'offset', byteOffset, alignment);
}

/** Bytes from `byteOffset` to the end of the last row; null when the rows can't lie so, which is reported. */
export function texelBytesNeeded(
  state: ValidationState,
  texture: TextureModel,
  { width, height, layers, aspect }: TextureSide,
  { bytesPerRow, rowsPerImage }: TextureRegion,
): number | null {
  const { info } = texture;
  if (info === undefined) return 0;
  const rowBytes = (width / info.blockWidth) * copyBytes(info, aspect);
  const rows = height / info.blockHeight;
  const fault = (what: string, value: number | undefined, reason: string): null => {
    const names = { command: state.command, resource: nameOf(texture) };
    state.report('texture-rows', { ...names, what, value: value ?? 'undefined', reason });
    return null;
  };
  const needsRows = rows > 1 || layers > 1;
  if (bytesPerRow === undefined && needsRows)
    return fault('bytesPerRow', bytesPerRow, 'there are several rows');
  if (bytesPerRow !== undefined && bytesPerRow < rowBytes) {
    return fault('bytesPerRow', bytesPerRow, `a row has ${rowBytes} bytes`);
  }
  if (rowsPerImage === undefined && layers > 1)
    return fault('rowsPerImage', rowsPerImage, 'there are several layers');
  if (rowsPerImage !== undefined && rowsPerImage < rows) {
    return fault('rowsPerImage', rowsPerImage, `a layer has ${rows} rows`);
  }
  if (width === 0 || height === 0 || layers === 0) return 0;
  const pitch = bytesPerRow ?? 0;
  return pitch * ((rowsPerImage ?? 0) * (layers - 1) + rows - 1) + rowBytes;
}
