/**
 * The textures that the worlds of an engine have sent. A missing image is loaded once an object in a world
 * uses it. Materials are drawn without the image until it arrives, and are then sent again.
 *
 *   in use ─► request(): load … arrived ─► next update: createTexture, then the materials that use it
 *           └► next update: use() ─► image available: createTexture              last user gone ─► destroyTexture
 *
 * An image is transferred when it is sent. Before a resend, each image is decoded again from the file or pixels that
 * its texture keeps:
 *
 *   prepareResend() ─► reloadImage … again        resend() ─► `again` becomes the arrived image ─► createTexture
 */
import { AssetError, FencepostError, messageOf } from '../../core/errors.js';
import { IdAllocator } from '../../core/id-allocator.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  TEXTURE_SLOT_COUNT,
  TEXTURE_SLOT_DECLARATIONS,
  TEXTURE_SLOTS,
  type TextureSlot,
} from '../../proxy/materials/material-layout.js';
import { encodeText, isRefused, type Outlet, writeText, writeWords } from '../updates/write-record.js';
import type { DecodeFile, ImageChanges, ImageRectangle, LoadedImage, PixelData, Texture } from './texture.js';

export interface TextureEntry {
  readonly id: number;
  users: number;
  readonly texture: Texture;
  readonly srgb: boolean;
  /** Whether the stream has its `createTexture`. */
  isSent: boolean;
  /** The image, from its arrival until it is sent. */
  image: LoadedImage | null;
  /** The image for the next stream, decoded by `prepareResend`. */
  again: LoadedImage | null;
  /** Number of the image's changes that the stream has. */
  changes: number;
  /** Set if the image was sent once and could not be loaded again. The next `prepareResend` retries. */
  isLost: boolean;
}

/** The source from which an image is decoded again: its file, or its pixels. */
export type RetainedImage = Blob | ImageBitmap | PixelData | RetainedTexels;

/** A decoder that always fails. It is used where the outlet has no decoder. */
export const noDecoder: DecodeFile = async () => {
  throw new Error('no decoder for KTX2 is available');
};

/** Texels without a file. */
export interface RetainedTexels {
  readonly data: Uint8Array;
}

/** Returns whether a texture holds colours rather than data. For a texture without a colour space, the slot decides. */
const isColor = (texture: Texture, slot: number): boolean =>
  texture.srgb ?? TEXTURE_SLOT_DECLARATIONS[TEXTURE_SLOTS[slot] as TextureSlot].isColor === true;

export class TextureRegistry {
  readonly #outlet: Outlet;
  /** Entries of linear (0) and sRGB (1) textures. */
  readonly #entries = [new Map<Texture, TextureEntry>(), new Map<Texture, TextureEntry>()] as const;
  readonly #ids = new IdAllocator();
  /** Entries with an image to be sent. */
  readonly #arrived = new Set<TextureEntry>();
  readonly #unused = new Set<TextureEntry>();
  /** Entries whose images change. */
  readonly #changing = new Map<TextureEntry, ImageChanges>();
  readonly #settled: (() => void)[] = [];
  /** Number of pending images. */
  pending = 0;
  /** Total number of images that have arrived after their first use. An image counts again at each resend. */
  arrivals = 0;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Starts to load an image that the next update will use. If the update does not use it, the image is released. */
  request(texture: Texture, slot: number): void {
    if (!texture.isLoadedLater) return;
    const srgb = isColor(texture, slot);
    if (!this.#entries[srgb ? 1 : 0].has(texture)) this.release(this.use(texture, srgb));
  }

  /** Adds a user. The image is sent with the frame's update. */
  use(texture: Texture, srgb: boolean): TextureEntry {
    const entries = this.#entries[srgb ? 1 : 0];
    let entry = entries.get(texture);
    if (!entry) {
      const image = texture.takeImage();
      const id = this.#ids.allocate();
      entry = { id, users: 0, texture, srgb, isSent: false, image, again: null, changes: 0, isLost: false };
      entries.set(texture, entry);
      if (texture.changes) this.#changing.set(entry, texture.changes);
      if (image) this.#arrived.add(entry);
      else this.#load(entry, false);
    }
    entry.users++;
    return entry;
  }

  /**
   * Sends an available image at once, for a texture with a single user. If the texture has more users, its image waits
   * for `sendArrived`, which returns the entry so that its materials are sent again.
   */
  sendNow(entry: TextureEntry): void {
    if (entry.users === 1) this.#send(entry);
  }

  release(entry: TextureEntry): void {
    if (--entry.users === 0) this.#unused.add(entry);
  }

  /**
   * Per changed material, within the frame's update: adds users for the textures in its slots, and removes users
   * from the old textures. Available images are sent at once, so that the material's own record can refer to them.
   */
  exchange(held: (TextureEntry | null)[], wanted: readonly (Texture | null)[]): void {
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const before = held[slot];
      const texture = wanted[slot];
      const entry = texture ? this.use(texture, isColor(texture, slot)) : null;
      held[slot] = entry;
      if (before) this.release(before);
      if (entry) this.#send(entry);
    }
  }

  /**
   * Per frame: sends the changed parts of images, then the arrived images in the order of their ids.
   * @returns entries of the images that were sent; null if none has arrived
   */
  sendArrived(): ReadonlySet<TextureEntry> | null {
    for (const [entry, changes] of this.#changing) this.#sendChanges(entry, changes);
    if (!this.#arrived.size) return null;
    const sent = new Set<TextureEntry>();
    const arrived = [...this.#arrived].sort((a, b) => a.id - b.id);
    for (const entry of arrived) if (entry.users > 0 && this.#send(entry)) sent.add(entry);
    this.#arrived.clear();
    return sent;
  }

  /** Per frame, last: destroys unused textures. */
  sendReleases(): void {
    for (const entry of this.#unused) {
      this.#unused.delete(entry);
      if (entry.users > 0) continue;
      if (entry.isSent) writeWords(this.#outlet.writer, RenderOpcode.destroyTexture, 1, entry.id);
      closeImage(entry.image);
      closeImage(entry.again);
      entry.image = entry.again = null;
      this.#entries[entry.srgb ? 1 : 0].delete(entry.texture);
      this.#changing.delete(entry);
      this.#ids.free(entry.id);
    }
  }

  /** Decodes all sent images again. */
  async prepareResend(): Promise<void> {
    const wanted = this.#all().filter((entry) => (entry.isSent || entry.isLost) && !entry.again);
    await Promise.all(wanted.map((entry) => this.#load(entry, true)));
  }

  /** Marks all sent images to be sent again, to another stream. */
  resend(): void {
    for (const entry of this.#all()) {
      if (entry.again) {
        entry.image = entry.again;
        entry.again = null;
        entry.isLost = false;
        this.#addArrived(entry);
      } else if (entry.isSent && !entry.isLost) this.#load(entry, true);
      entry.isSent = false;
    }
  }

  get retainedBytes(): number {
    const kept = new Set(this.#all().map(({ texture }) => texture.retained));
    let bytes = 0;
    for (const each of kept) {
      if (!each) continue;
      if ('data' in each) bytes += each.data.length;
      else bytes += 'size' in each ? each.size : each.width * each.height * 4;
    }
    return bytes;
  }

  /** Resolves when no images are pending. */
  whenSettled(): Promise<void> {
    return this.pending ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  /** Returns all entries, ordered by id. */
  #all(): TextureEntry[] {
    return this.#entries.flatMap((entries) => [...entries.values()]).sort((a, b) => a.id - b.id);
  }

  async #load(entry: TextureEntry, isAgain: boolean): Promise<void> {
    const { texture } = entry;
    this.pending++;
    try {
      const { decodeTexture } = this.#outlet;
      const { name } = texture;
      const decode: DecodeFile | undefined =
        decodeTexture && ((file, layer) => decodeTexture(file, name, { srgb: entry.srgb, layer }));
      this.#arrive(entry, await (isAgain ? texture.reloadImage(decode) : texture.loadImage(decode)));
    } catch (error) {
      entry.isLost = isAgain;
      this.#reportFailure(entry, error, isAgain);
    }
    if (--this.pending === 0) for (const resolve of this.#settled.splice(0)) resolve();
  }

  #reportFailure({ texture }: TextureEntry, error: unknown, isAgain: boolean): void {
    const isDescribed = error instanceof FencepostError && !isRefused(error);
    // Only some messages end with a period.
    const reason = messageOf(error).replace(/\.$/, '');
    this.#outlet.reportError(
      isDescribed
        ? error
        : new AssetError(
            'texture-load-failed',
            `Texture "${texture.name}" could not be loaded${isAgain ? ' again' : ''}: ${reason}. Materials are drawn without it.`,
            { cause: error },
          ),
    );
  }

  #arrive(entry: TextureEntry, image: LoadedImage): void {
    const isForNextStream = entry.isSent || entry.isLost;
    // The entry may have lost its last user meanwhile, for example because the engine was disposed.
    const isUnused = this.#entries[entry.srgb ? 1 : 0].get(entry.texture) !== entry;
    if (isUnused || (isForNextStream ? entry.again : entry.image)) closeImage(image);
    else if (isForNextStream) entry.again = image;
    else {
      entry.image = image;
      this.#addArrived(entry);
    }
  }

  #addArrived(entry: TextureEntry): void {
    this.#arrived.add(entry);
    this.arrivals++;
    this.#outlet.onChange();
  }

  /** Sends the changed parts of an image that the stream does not have yet. */
  #sendChanges(entry: TextureEntry, { rectangles, pixelsIn }: ImageChanges): void {
    const { writer } = this.#outlet;
    while (entry.isSent && entry.changes < rectangles.length) {
      const rectangle = rectangles[entry.changes++] as ImageRectangle;
      const attachment = writer.attach(pixelsIn(rectangle));
      const at = writer.reserveWithAttachment(RenderOpcode.updateTexture, 6);
      const { x, y, width, height } = rectangle;
      writer.words.set([attachment, entry.id, x, y, width, height], at);
    }
  }

  /** Sends the image if there is one. Returns whether it was sent. */
  #send(entry: TextureEntry): boolean {
    if (!entry.image) return false;
    const { image, width, height, texels = 0, changes = 0 } = entry.image;
    const { writer } = this.#outlet;
    // The image is transferred from here on, even if the stream fails in the middle of the record.
    entry.image = null;
    entry.isSent = true;
    entry.changes = changes;
    const label = encodeText(entry.texture.name);
    const fieldWords = 6 + ((label.length + 3) >> 2);
    let at: number;
    if (image === null) at = writer.reserve(RenderOpcode.createRenderTexture, fieldWords);
    else {
      let attachment: number;
      try {
        attachment = writer.attach(image);
      } catch (error) {
        if (!isRefused(error)) throw error;
        entry.isSent = false;
        closeImage({ image, width, height });
        this.#reportFailure(entry, error, false);
        return false;
      }
      at = writer.reserveWithAttachment(RenderOpcode.createTexture, 1 + fieldWords);
      writer.words[at++] = attachment;
    }
    const { words } = writer;
    words[at] = entry.id;
    words[at + 1] = width;
    words[at + 2] = height;
    words[at + 3] = texels | (entry.srgb ? 1 : 0);
    words[at + 4] = entry.texture.sampler;
    writeText(words, at + 5, label);
    return true;
  }
}

/** Frees an image's memory at once. */
export function closeImage(loaded: LoadedImage | null): void {
  if (loaded?.image && 'close' in loaded.image) loaded.image.close();
}
