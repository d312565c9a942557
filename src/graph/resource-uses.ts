import { BufferUsage, TextureUsage } from '../rhi/commands/descriptors.js';

/**
 * A way in which a pass can use a texture or buffer: its WebGPU usage, and whether it reads or writes. Declarations of
 * the graph refer to a use by its `index`.
 */
export interface ResourceUse {
  readonly name: string;
  readonly index: number;
  /** Bits of `TextureUsage` or `BufferUsage`. */
  readonly usage: number;
  readonly access: 'read' | 'write' | 'either';
}

export type TextureUse = 'sampled' | 'storage' | 'copy-source' | 'copy-target';
export type BufferUse =
  | 'uniform'
  | 'storage'
  | 'vertex'
  | 'index'
  | 'indirect'
  | 'copy-source'
  | 'copy-target';

const textures: readonly ResourceUse[] = [
  { index: 0, name: 'sampled', usage: TextureUsage.textureBinding, access: 'read' },
  { index: 1, name: 'storage', usage: TextureUsage.storageBinding, access: 'either' },
  { index: 2, name: 'copy-source', usage: TextureUsage.copySource, access: 'read' },
  { index: 3, name: 'copy-target', usage: TextureUsage.copyTarget, access: 'write' },
  { index: 4, name: 'color', usage: TextureUsage.renderAttachment, access: 'write' },
  { index: 5, name: 'resolve', usage: TextureUsage.renderAttachment, access: 'write' },
  { index: 6, name: 'depth', usage: TextureUsage.renderAttachment, access: 'write' },
  { index: 7, name: 'depth-read', usage: TextureUsage.renderAttachment, access: 'read' },
];
const buffers: readonly ResourceUse[] = [
  { index: 8, name: 'uniform', usage: BufferUsage.uniform, access: 'read' },
  { index: 9, name: 'storage', usage: BufferUsage.storage, access: 'either' },
  { index: 10, name: 'vertex', usage: BufferUsage.vertex, access: 'read' },
  { index: 11, name: 'index', usage: BufferUsage.index, access: 'read' },
  { index: 12, name: 'indirect', usage: BufferUsage.indirect, access: 'read' },
  { index: 13, name: 'copy-source', usage: BufferUsage.copySource, access: 'read' },
  { index: 14, name: 'copy-target', usage: BufferUsage.copyTarget, access: 'write' },
];

/** Uses by index. */
export const resourceUses: readonly ResourceUse[] = [...textures, ...buffers];

/** Index of the first use as an attachment. */
const FIRST_ATTACHMENT = 4;
/** Index of the first use after the attachments. */
const ATTACHMENTS_END = 8;

export function isAttachment(use: number): boolean {
  return use >= FIRST_ATTACHMENT && use < ATTACHMENTS_END;
}

export enum Attachment {
  color = 4,
  resolve = 5,
  depth = 6,
  depthRead = 7,
}

/** Returns a use by its name; undefined if it is unknown, or if `color()` or `depth()` declares it. */
export function findUse(isTexture: boolean, name: string): ResourceUse | undefined {
  const uses = isTexture ? textures : buffers;
  for (const use of uses) {
    if (use.name === name && !isAttachment(use.index)) return use;
  }
  return undefined;
}

export function useNames(isTexture: boolean): string {
  const uses = isTexture ? textures : buffers;
  return uses
    .filter(({ index }) => !isAttachment(index))
    .map(({ name }) => `"${name}"`)
    .join(', ');
}
