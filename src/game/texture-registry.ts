/**
 * What a world has sent of textures. An image that is not there yet is fetched; until it arrives materials do
 * without, and are sent again then. The code comes with the first texture: pages without any don't carry it.
 *
 *   first use ─► image there: createTexture          last user gone ─► destroyTexture
 *             └► load … arrived ─► next frame: createTexture, then the materials that show it
 */
import { AssetError, FencepostError } from '../core/errors.js';
import { IdAllocator } from '../core/id-allocator.js';
import type { StreamWriter } from '../core/stream.js';
import { RenderOpcode } from '../proxy/commands.js';
import { TEXTURE_SLOT_COUNT } from '../proxy/material-layout.js';
import type { LoadedImage, Texture } from './texture.js';
import { encodeText, writeText, writeWords } from './write-record.js';

export interface TextureEntry {
  readonly id: number;
  users: number;
  readonly texture: Texture;
  readonly srgb: boolean;
  /** False until `createTexture` was written. */
  isSent: boolean;
}

/** Slots that hold colour: base colour and emissive; the others hold data. */
const COLOR_SLOTS = [0, 4];

export class TextureRegistry {
  readonly #writer: StreamWriter;
  readonly #reportError: (error: unknown) => void;
  /** By whether they are read as linear (0) or sRGB (1). */
  readonly #entries = [new Map<Texture, TextureEntry>(), new Map<Texture, TextureEntry>()] as const;
  readonly #ids = new IdAllocator();
  readonly #arrived: { entry: TextureEntry; image: LoadedImage }[] = [];
  readonly #unused = new Set<TextureEntry>();
  readonly #settled: (() => void)[] = [];
  /** Images that are on their way. */
  pending = 0;

  constructor(writer: StreamWriter, reportError: (error: unknown) => void) {
    this.#writer = writer;
    this.#reportError = reportError;
  }

  /** Counts a user in. */
  use(texture: Texture, srgb: boolean): TextureEntry {
    const entries = this.#entries[srgb ? 1 : 0];
    let entry = entries.get(texture);
    if (!entry) {
      entry = { id: this.#ids.allocate(), users: 0, texture, srgb, isSent: false };
      entries.set(texture, entry);
      const image = texture.takeImage();
      if (image) this.#send(entry, image);
      else this.#load(entry);
    }
    entry.users++;
    return entry;
  }

  release(entry: TextureEntry): void {
    if (--entry.users === 0) this.#unused.add(entry);
  }

  /** Counts in what the slots of a material show from now on, and out what they showed before. */
  exchange(held: (TextureEntry | null)[], wanted: readonly (Texture | null)[]): void {
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const before = held[slot];
      const texture = wanted[slot];
      held[slot] = texture ? this.use(texture, texture.srgb ?? COLOR_SLOTS.includes(slot)) : null;
      if (before) this.release(before);
    }
  }

  /** Per frame: sends the images that have arrived. */
  sendArrived(onSent: (entry: TextureEntry) => void): void {
    for (const { entry, image } of this.#arrived) {
      if (entry.users > 0) {
        this.#send(entry, image);
        onSent(entry);
      } else close(image);
    }
    this.#arrived.length = 0;
  }

  /** Per frame, last: destroys what nobody uses any more. */
  sendReleases(): void {
    for (const entry of this.#unused) {
      if (entry.users > 0) continue;
      if (entry.isSent) writeWords(this.#writer, RenderOpcode.destroyTexture, 1, entry.id);
      this.#entries[entry.srgb ? 1 : 0].delete(entry.texture);
      this.#ids.free(entry.id);
    }
    this.#unused.clear();
  }

  /** Resolves when no image is on its way. */
  whenSettled(): Promise<void> {
    return this.pending ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  async #load(entry: TextureEntry): Promise<void> {
    const { texture } = entry;
    this.pending++;
    try {
      const image = await texture.loadImage();
      // Nobody may wait for it any more, be it that the engine was disposed.
      if (entry.users > 0) this.#arrived.push({ entry, image });
      else close(image);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#reportError(
        error instanceof FencepostError
          ? error
          : new AssetError(
              'texture-load-failed',
              `Texture "${texture.name}" could not be loaded: ${reason}. Materials do without it.`,
              { cause: error },
            ),
      );
    }
    if (--this.pending === 0) for (const resolve of this.#settled.splice(0)) resolve();
  }

  #send(entry: TextureEntry, { image, width, height }: LoadedImage): void {
    const writer = this.#writer;
    const attachment = writer.attach(image);
    const label = encodeText(entry.texture.name);
    const at = writer.reserveWithAttachment(RenderOpcode.createTexture, 7 + ((label.length + 3) >> 2));
    const { words } = writer;
    words[at] = attachment;
    words[at + 1] = entry.id;
    words[at + 2] = width;
    words[at + 3] = height;
    words[at + 4] = entry.srgb ? 1 : 0;
    words[at + 5] = entry.texture.sampler;
    writeText(words, at + 6, label);
    entry.isSent = true;
  }
}

/** Gives its memory back at once. */
function close({ image }: LoadedImage): void {
  if ('close' in image) image.close();
}
