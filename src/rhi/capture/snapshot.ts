/**
 * What the live resources hold at one point of the queue: the bytes of buffers, the texels of single-sampled colour
 * textures, level by level. Left out: what is rendered anew anyhow (multisampled, depth, stencil), buffers that can
 * be mapped, and what has failed.
 */
import { BufferUsage } from '../commands/descriptors.js';
import { levelLayout } from '../commands/texel-levels.js';
import type { ExecutorParts } from '../webgpu/parts.js';
import type { CapturedContent } from './capture-file.js';
import { bufferCopy, type StagedCopy, stage, textureCopy } from './staging.js';

/** What of an executor a snapshot needs. */
export type SnapshotParts = Pick<ExecutorParts, 'device' | 'list' | 'resources'>;

const MAPPED = BufferUsage.mapRead | BufferUsage.mapWrite;

/** Copies are put into the queue before this returns; call it outside passes. */
export async function takeSnapshot(parts: SnapshotParts): Promise<CapturedContent[]> {
  const { buffers, textures } = parts.resources;
  const planned: Omit<CapturedContent, 'bytes'>[] = [];
  const copies: StagedCopy[] = [];
  for (const { handle, gpu, byteLength, usage } of buffers.values()) {
    // What can be copied, and written by commands.
    const copied = Math.floor(byteLength / 4) * 4;
    if (!gpu || copied === 0 || (usage & MAPPED) !== 0) continue;
    planned.push({ handle, mipLevel: 0 });
    copies.push(bufferCopy(gpu, copied));
  }
  for (const { handle, gpu: texture, isViewport } of textures.values()) {
    for (let mipLevel = 0; texture && !isViewport; mipLevel++) {
      const layout = levelLayout(texture, mipLevel);
      if (layout === null) break;
      planned.push({ handle, mipLevel });
      copies.push(textureCopy({ texture, mipLevel }, layout));
    }
  }
  const contents = await stage(copies, parts);
  return planned.map((content, index) => ({ ...content, bytes: contents[index] }));
}
