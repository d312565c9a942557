/**
 * Textures that a world has sent. A missing image is fetched as soon as something that shows it is in the world. Until it
 * arrives its materials do without it; then they are sent again.
 *
 *   shown ─► request(): load … arrived ─► next update: createTexture, then the materials that show it
 *         └► next update: use() ─► image there: createTexture              last user gone ─► destroyTexture
 *
 * An image is handed over when it is sent. For another stream each is decoded again beforehand, from what its
 * texture has kept:
 *
 *   prepareResend() ─► reloadImage … again        resend() ─► again becomes what arrived ─► createTexture
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
  /** The image for the next stream, made ready by `prepareResend`. */
  again: LoadedImage | null;
  /** How many of its image's changes the stream has. */
  changes: number;
  /** It was sent once and could not be had again. The next `prepareResend` tries anew. */
  isLost: boolean;
}

/** What an image is decoded from again: its file, or its pixels. */
export type RetainedImage = Blob | ImageBitmap | PixelData | RetainedTexels;

/** Of textures in no world. */
export const noDecoder: DecodeFile = async () => {
  throw new Error('there is no decoder for KTX2 here');
};

/** Texels that came without a file. */
export interface RetainedTexels {
  readonly data: Uint8Array;
}

/** @param slot its number: it tells colours from data where the texture does not */
const isColor = (texture: Texture, slot: number): boolean =>
  texture.srgb ?? TEXTURE_SLOT_DECLARATIONS[TEXTURE_SLOTS[slot] as TextureSlot].isColor === true;

export class TextureRegistry {
  readonly #outlet: Outlet;
  /** By whether they are read as linear (0) or sRGB (1). */
  readonly #entries = [new Map<Texture, TextureEntry>(), new Map<Texture, TextureEntry>()] as const;
  readonly #ids = new IdAllocator();
  /** What has an image to be sent. */
  readonly #arrived = new Set<TextureEntry>();
  readonly #unused = new Set<TextureEntry>();
  /** Whose images change. */
  readonly #changing = new Map<TextureEntry, ImageChanges>();
  readonly #settled: (() => void)[] = [];
  /** Images that are on their way. */
  pending = 0;
  /** Images that have arrived later than their textures were used, ever: the next update sends them. */
  arrivals = 0;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Begins to load an image that the next update will use; where that doesn't use it after all, it is let go of. */
  request(texture: Texture, slot: number): void {
    if (!texture.isLoadedLater) return;
    const srgb = isColor(texture, slot);
    if (!this.#entries[srgb ? 1 : 0].has(texture)) this.release(this.use(texture, srgb));
  }

  /** Counts a user in. Sends nothing: that is done in the frame's update. */
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

  release(entry: TextureEntry): void {
    if (--entry.users === 0) this.#unused.add(entry);
  }

  /**
   * Per changed material, within the frame's update: counts in what its slots show from now on, and out what
   * they showed before. What can be sent is sent, so that the material's own record can name it.
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

  /** Per frame: sends the images that have arrived, in the order in which they were asked for. Returns whose, if any. */
  sendArrived(): ReadonlySet<TextureEntry> | null {
    for (const [entry, changes] of this.#changing) this.#sendChanges(entry, changes);
    if (!this.#arrived.size) return null;
    const sent = new Set<TextureEntry>();
    const arrived = [...this.#arrived].sort((a, b) => a.id - b.id);
    for (const entry of arrived) if (entry.users > 0 && this.#send(entry)) sent.add(entry);
    this.#arrived.clear();
    return sent;
  }

  /** Per frame, last: destroys what nobody uses any more. */
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

  /** Decodes again what was sent. */
  async prepareResend(): Promise<void> {
    const wanted = this.#all().filter((entry) => (entry.isSent || entry.isLost) && !entry.again);
    await Promise.all(wanted.map((entry) => this.#load(entry, true)));
  }

  /** What was sent is to be sent again, to another stream. */
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

  /** Resolves when no image is on its way. */
  whenSettled(): Promise<void> {
    return this.pending ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  /** In the order of their ids. */
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
    const isTold = error instanceof FencepostError && !isRefused(error);
    // What browsers say is a sentence, what fetching says is none.
    const reason = messageOf(error).replace(/\.$/, '');
    this.#outlet.reportError(
      isTold
        ? error
        : new AssetError(
            'texture-load-failed',
            `Texture "${texture.name}" could not be loaded${isAgain ? ' again' : ''}: ${reason}. Materials do without it.`,
            { cause: error },
          ),
    );
  }

  #arrive(entry: TextureEntry, image: LoadedImage): void {
    const isForNextStream = entry.isSent || entry.isLost;
    // Nobody may wait for it any more, be it that the engine was disposed.
    const isGone = this.#entries[entry.srgb ? 1 : 0].get(entry.texture) !== entry;
    if (isGone || (isForNextStream ? entry.again : entry.image)) closeImage(image);
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

  /** What of the image is another one than what the stream has. */
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

  /** Sends the image if there is one to send. Returns whether. */
  #send(entry: TextureEntry): boolean {
    if (!entry.image) return false;
    const { image, width, height, texels = 0, changes = 0 } = entry.image;
    const { writer } = this.#outlet;
    // From here on it is not ours, also where the stream fails in the middle of the record.
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

/** Gives its memory back at once. */
export function closeImage(loaded: LoadedImage | null): void {
  if (loaded?.image && 'close' in loaded.image) loaded.image.close();
}
