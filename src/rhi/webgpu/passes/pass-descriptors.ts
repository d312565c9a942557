/**
 * Translates descriptors of render passes. Descriptors arrive as JSON in every frame, and mostly equal the descriptors
 * of the previous frame. So translations are cached by the pass's index in its frame. If a record has the same words as
 * the cached record, only texture views and the occlusion query set are set again, because these may have changed.
 *
 *   pass   0: shadow   1: main   2: tone map          frame N
 *          0: shadow   1: main   2: tone map          frame N + 1: same words, translations reused
 */

import { jsonAt } from '../../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../../commands/descriptors.js';
import { viewKey, viewOf } from '../resources/gpu-resources.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

/** A member of WebGPU's descriptor that is set to a texture view in each frame. */
interface TextureViewSlot {
  readonly target: { view?: GPUTextureView | GPUTexture; resolveTarget?: GPUTextureView | GPUTexture };
  readonly property: 'view' | 'resolveTarget';
  readonly descriptor: TextureViewDescriptor;
  readonly key: string;
}

interface TranslatedPass {
  readonly gpu: GPURenderPassDescriptor;
  /** The recorded descriptor. It stays the same object as long as the words are equal. */
  readonly source: RenderPassDescriptor;
  /** Words of the pass's record, header included. */
  readonly words: Uint32Array;
  readonly slots: TextureViewSlot[];
}

export class PassDescriptors {
  readonly #backend: WebGpuBackend;
  readonly #passes: TranslatedPass[] = [];
  #next = 0;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
  }

  beginFrame(): void {
    // Drops translations that the last frame did not use. Otherwise a frame with unusually many passes, such as for a
    // texture upload, would leave them in the cache.
    this.#passes.length = Math.min(this.#passes.length, this.#next);
    this.#next = 0;
  }

  /**
   * Returns the translation of a `beginRenderPass` record; null if an attachment or query set has failed.
   * @throws RhiError `stale-handle`, `surface-unavailable`, `surface-lost`
   */
  renderPass(words: Uint32Array, fields: number): TranslatedPass | null {
    const index = fields - 1;
    const length = (words[index] as number) >>> HEADER_LENGTH_SHIFT;
    const place = this.#next++;
    let pass = this.#passes[place];
    if (pass === undefined || !isEqual(pass.words, words, index, length)) {
      pass = translate(words.slice(index, index + length));
      this.#passes[place] = pass;
    }
    for (const slot of pass.slots) {
      const texture = this.#backend.texture(slot.descriptor.texture);
      if (texture === null) return null;
      slot.target[slot.property] = viewOf(texture, slot.descriptor, slot.key);
    }
    const { occlusionQuerySet } = pass.source;
    if (occlusionQuerySet !== undefined) {
      const { gpu } = this.#backend.resources.querySets.get(occlusionQuerySet);
      if (gpu === null) return null;
      pass.gpu.occlusionQuerySet = gpu;
    }
    return pass;
  }
}

function isEqual(cached: Uint32Array, words: Uint32Array, index: number, length: number): boolean {
  if (cached.length !== length) return false;
  for (let i = 0; i < length; i++) if (cached[i] !== words[index + i]) return false;
  return true;
}

function translate(words: Uint32Array): TranslatedPass {
  const source = jsonAt<RenderPassDescriptor>(words, 1);
  const slots: TextureViewSlot[] = [];
  const slot = (
    target: TextureViewSlot['target'],
    property: TextureViewSlot['property'],
    descriptor: TextureViewDescriptor | undefined,
  ): void => {
    if (descriptor !== undefined) slots.push({ target, property, descriptor, key: viewKey(descriptor) });
  };
  const colorAttachments = source.colorAttachments.map((attachment) => {
    if (attachment === null) return null;
    const { view, resolveTarget, ...rest } = attachment;
    const target = rest as unknown as GPURenderPassColorAttachment;
    slot(target, 'view', view);
    slot(target, 'resolveTarget', resolveTarget);
    return target;
  });
  const gpu: GPURenderPassDescriptor = { label: source.label, colorAttachments };
  if (source.depthStencilAttachment !== undefined) {
    const { view, ...rest } = source.depthStencilAttachment;
    const target = rest as unknown as GPURenderPassDepthStencilAttachment;
    slot(target, 'view', view);
    gpu.depthStencilAttachment = target;
  }
  return { words, gpu, slots, source };
}
