/**
 * Tracks buffers and textures whose contents are stale because a command that should have written them was left out. A
 * read of such a buffer fails with an error that contains the cause, instead of returning old bytes.
 *
 *   dispatch left out ─► its storage buffers ─┐
 *   draw left out ─► the pass's attachments ──┴─ copied ─► the copy as well ─── read ─► refused: `readback-failed`
 *
 * The contents of a buffer are current again after a renaming, and after a write, a clear or a copy of all its bytes.
 * An attachment is current again after a pass that clears it or resolves to it. Two effects are not tracked: writes of
 * textures, and storage that a skipped draw's shaders would have written.
 */
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  RenderPassDescriptor,
} from '../../commands/descriptors.js';
import { descriptorAt } from '../../commands/resource-fields.js';
import type { BindGroupResource } from './gpu-resources.js';
import type { Resources } from './resources.js';

/** The part of a buffer or texture that tracks stale contents. */
export interface MayBeStale {
  /** Reason why the contents are stale, as a text that follows a colon in an error; null if they are current. */
  whyStale: string | null;
}

export class StaleContents {
  readonly #resources: Resources;
  /** Whether no command was left out so far, so that `passBegan` has nothing to do. */
  #isClean = true;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  /** Marks the attachments that a pass clears or resolves to as current. Called per pass. */
  passBegan(source: RenderPassDescriptor): void {
    if (this.#isClean) return;
    this.#setAttachments(source, null, (loadOp) => loadOp === 'clear');
  }

  /** Marks the attachments of the pass as stale. @param why completes "a draw was left out, because …" */
  drawSkipped(source: RenderPassDescriptor, why: string): void {
    this.#isClean = false;
    const cause = `a draw of the pass "${source.label}" was left out, because ${why}`;
    this.#setAttachments(source, cause, () => true);
  }

  /**
   * Marks the storage of the current bind groups as stale.
   * @param groups handles of the bind groups; 0 for an empty slot
   * @param why completes "a dispatch was left out, because …"
   */
  dispatchSkipped(groups: Uint32Array, why: string): void {
    this.#isClean = false;
    const cause = `a dispatch was left out, because ${why}`;
    for (const handle of groups) {
      const group = this.#resources.bindGroups.find(handle);
      if (group !== undefined) this.#setStorage(group, cause);
    }
  }

  /**
   * Marks the target of a copy as stale if the source is stale.
   * @param isWhole whether the copy overwrites all of the target
   */
  copied(source: MayBeStale, target: MayBeStale, isWhole: boolean): void {
    if (source.whyStale !== null || isWhole) target.whyStale = source.whyStale;
  }

  /**
   * Marks attachments as stale with a cause, or as current with null. `isMeant` selects attachments by their load op.
   * Resolve targets are always included, because passes overwrite them.
   */
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

  /** Marks the buffers and textures that shaders may write through the group. */
  #setStorage(group: BindGroupResource, cause: string): void {
    const { buffers } = this.#resources;
    const { layout, entries }: BindGroupDescriptor = this.#resources.bindGroupDescriptor(group);
    // The layout may have been destroyed since the group was created.
    const found = group.madeOf?.find(({ handle }) => handle === layout);
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
