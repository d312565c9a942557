import { PICK_BYTES, pickRowBytes } from '../../proxy/picking.js';
import {
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PICK_DEPTH_FORMAT, PICK_FORMAT } from './pick-pipelines.js';

/** Textures into which a pick of one size is drawn, and the buffer from which it is read back. */
export interface PickTargets {
  /** Primitive, distance and texture coordinates; normal; depth. */
  readonly textures: readonly TextureHandle[];
  readonly formats: readonly GPUTextureFormat[];
  readonly buffer: BufferHandle;
  readonly byteLength: number;
}

const FORMATS = [PICK_FORMAT, PICK_FORMAT, PICK_DEPTH_FORMAT] as const;

/** Creates targets. Call it outside passes. */
export function makePickTargets(rhi: ImmediateContext, width: number, height: number): PickTargets {
  const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
  const byteLength = Math.max(pickRowBytes(width) * height, PICK_BYTES);
  return {
    textures: FORMATS.map((format) => rhi.createTexture({ label: 'pick', width, height, format, usage })),
    formats: FORMATS,
    buffer: rhi.createBuffer({
      label: 'pick',
      byteLength,
      usage: BufferUsage.copyTarget | BufferUsage.copySource,
    }),
    byteLength,
  };
}

export function destroyPickTargets(rhi: ImmediateContext, { textures, buffer }: PickTargets): void {
  for (const texture of textures) rhi.destroy(texture);
  rhi.destroy(buffer);
}
