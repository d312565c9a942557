/**
 * Tracks buffers and textures with stale contents, because commands that should have written them were left out. A read
 * of such a buffer is refused, with the cause, instead of returning old bytes.
 *
 *   dispatch left out ─► its storage buffers ─┐
 *   draw left out ─► the pass's attachments ──┴─ copied ─► the copy as well ─── read ─► refused: `readback-failed`
 *
 * Contents of a buffer are current again after a write, a clear or a copy of all its bytes; those of an attachment after
 * a pass that begins with a clear. Writes of textures, and storage that a draw's shaders would have written, are not
 * tracked.
 */
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  RenderPassDescriptor,
} from '../../commands/descriptors.js';
import { descriptorAt } from '../../commands/resource-fields.js';
import type { BindGroupResource } from './gpu-resources.js';
import type { Resources } from './resources.js';

/** A buffer or texture. */
export interface MayBeStale {
  /** Reason why the contents are stale, worded to be appended after a colon; null if they are current. */
  whyStale: string | null;
}

export class StaleContents {
  readonly #resources: Resources;
  /** Whether nothing was ever left out, so that nothing has to be tracked. */
  #isClean = true;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  /** Marks the attachments that a pass clears as current. Called per pass. */
  passBegan(source: RenderPassDescriptor): void {
    if (this.#isClean) return;
    this.#setAttachments(source, null, (loadOp) => loadOp === 'clear');
  }

  drawSkipped(source: RenderPassDescriptor, why: string): void {
    this.#isClean = false;
    const cause = `a draw of the pass "${source.label}" was left out, because ${why}`;
    this.#setAttachments(source, cause, () => true);
  }

  /** @param groups handles of the current bind groups */
  dispatchSkipped(groups: Uint32Array, why: string): void {
    this.#isClean = false;
    const cause = `a dispatch was left out, because ${why}`;
    for (const handle of groups) {
      const group = this.#resources.bindGroups.find(handle);
      if (group !== undefined) this.#setStorage(group, cause);
    }
  }

  /** Tracks an encoded copy. @param isWhole whether it overwrites all of the target */
  copied(source: MayBeStale, target: MayBeStale, isWhole: boolean): void {
    if (source.whyStale !== null || isWhole) target.whyStale = source.whyStale;
  }

  /** Marks attachments. Resolve targets are always written completely. */
  #setAttachments(
    { colorAttachments, depthStencilAttachment: depth }: RenderPassDescriptor,
    cause: string | null,
    isMeant: (loadOp: string | undefined) => boolean,
  ): void {
    for (const color of colorAttachments) {
      if (color && isMeant(color.loadOp)) this.#setTexture(color.view.texture, cause);
      if (color?.resolveTarget) this.#setTexture(color.resolveTarget.texture, cause);
    }
    if (depth && isMeant(depth.depthLoadOp)) this.#setTexture(depth.view.texture, cause);
  }

  #setTexture(handle: number, cause: string | null): void {
    const texture = this.#resources.textures.find(handle);
    if (texture !== undefined) texture.whyStale = cause;
  }

  /** Marks the storage that the group's shaders may write. */
  #setStorage(group: BindGroupResource, cause: string): void {
    const { buffers, layouts } = this.#resources;
    const { layout, entries }: BindGroupDescriptor = this.#resources.bindGroupDescriptor(group);
    const found = layouts.find(layout);
    const words = found && this.#resources.creationOf(found);
    if (!words) return;
    const described = descriptorAt<BindGroupLayoutDescriptor>(words, 1);
    const written = new Set(
      described.entries
        .filter(({ buffer, storageTexture }) => buffer?.type === 'storage' || storageTexture)
        .map(({ binding }) => binding),
    );
    for (const entry of entries) {
      if (!written.has(entry.binding)) continue;
      const buffer = 'buffer' in entry ? buffers.find(entry.buffer) : undefined;
      if (buffer !== undefined) buffer.whyStale = cause;
      if ('view' in entry) this.#setTexture(entry.view.texture, cause);
    }
  }
}
