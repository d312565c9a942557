/**
 * What the live resources hold at one point of the queue: the bytes of buffers, the texels of single-sampled colour
 * textures, level by level. Left out: what is rendered anew anyhow (multisampled, depth, stencil), buffers that can
 * be mapped, and what has failed.
 */
import { type BufferDescriptor, BufferUsage, type TextureDescriptor } from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { jsonAt } from '../commands/record-fields.js';
import { levelLayout } from '../commands/texel-levels.js';
import type { ExecutorParts } from '../webgpu/parts.js';
import type { CapturedContent } from './capture-file.js';
import { bufferCopy, type StagedCopy, stage, textureCopy } from './staging.js';

/** What of an executor a snapshot needs. */
export type SnapshotParts = Pick<ExecutorParts, 'device' | 'list' | 'resources'>;

interface Planned {
  readonly handle: number;
  readonly mipLevel: number;
  readonly copy: StagedCopy;
}

/**
 * Copies are put into the queue before this returns; call it outside passes.
 * @param creations the records that create what is alive
 */
export function takeSnapshot(
  parts: SnapshotParts,
  creations: Iterable<Uint32Array>,
): Promise<CapturedContent[]> {
  const planned: Planned[] = [];
  for (const words of creations) {
    const kind = handleKind(words[1]);
    if (kind === ResourceKind.buffer) planBuffer(parts, words, planned);
    else if (kind === ResourceKind.texture) planTexture(parts, words, planned);
  }
  return stage(
    planned.map(({ copy }) => copy),
    parts,
  ).then((contents) =>
    planned.map(({ handle, mipLevel }, index) => ({ handle, mipLevel, bytes: contents[index] })),
  );
}

function planBuffer({ resources }: SnapshotParts, words: Uint32Array, planned: Planned[]): void {
  const handle = words[1];
  const gpu = resources.buffers.find(handle)?.gpu;
  const { byteLength, usage } = jsonAt<BufferDescriptor>(words, 1, 1);
  // What can be copied, and written by commands.
  const copied = Math.floor(byteLength / 4) * 4;
  if (!gpu || copied === 0 || (usage & (BufferUsage.mapRead | BufferUsage.mapWrite)) !== 0) return;
  planned.push({ handle, mipLevel: 0, copy: bufferCopy(gpu, copied) });
}

function planTexture({ resources }: SnapshotParts, words: Uint32Array, planned: Planned[]): void {
  const handle = words[1];
  const texture = resources.textures.find(handle)?.gpu;
  if (!texture) return;
  const descriptor = jsonAt<TextureDescriptor>(words, 1, 1);
  for (let mipLevel = 0; ; mipLevel++) {
    const layout = levelLayout(descriptor, mipLevel);
    if (layout === null) return;
    planned.push({ handle, mipLevel, copy: textureCopy({ texture, mipLevel }, layout) });
  }
}
