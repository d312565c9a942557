import { AssetError } from '../../core/errors.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { featureOf, levelSizeOf } from '../../proxy/images/texels.js';
import { type TextureHandle, type TextureRegion, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { type MipmapChain, MipmapGenerator } from './mipmaps.js';
import { drawsMipmaps, formatOf, mipLevels, readCreation, type TextureCreation } from './texture-creation.js';
import { renderTextureTooLarge, textureTooLarge } from './texture-too-large.js';

interface Arrival {
  readonly creation: TextureCreation;
  /** null: views draw into the texture. */
  readonly image: ImageBitmap | ArrayBuffer | null;
}

/** A changed part of an image, in texels. */
interface Change {
  readonly texture: number;
  readonly data: ArrayBuffer;
  readonly region: TextureRegion;
}

export interface Texture {
  readonly creation: TextureCreation;
  handle: TextureHandle | undefined;
  readonly samplerWord: number;
  /** Set together with `handle` if views draw into the texture. Null until then, and for a texture with an image. */
  target: TextureTarget | null;
}

/** A texture that views draw into. */
export interface TextureTarget {
  readonly width: number;
  readonly height: number;
  readonly mipmaps: MipmapChain;
}

/**
 * Textures with images, and textures that views draw into. An image arrives with a record and is uploaded with the next
 * frame, including its mip levels. The levels are part of the image, or are drawn from level 0.
 *
 *   create ─► pending ─► recordUploads: createTexture, copy, mip passes ─► handle
 *   update ─► changes: copied after new images, mip levels drawn again
 *   destroy ─► retired ─► releaseRetired: destroy (after bind groups have been created again)
 */
export class ImageTextures {
  /**
   * Ids of textures that were created or destroyed since the last frame. Texture sets that name such a
   * texture are stale.
   */
  readonly changed = new Set<number>();
  readonly #textures = new Map<number, Texture>();
  readonly #pending = new Map<number, Arrival>();
  readonly #changes: Change[] = [];
  readonly #retired: TextureHandle[] = [];
  readonly #mipmaps: MipmapGenerator;
  readonly #rhi: ImmediateContext;
  readonly #largestSize: number;
  readonly #deviceFeatures: readonly string[];

  /**
   * @param largestSize maximum width and height of a texture, in texels
   * @param deviceFeatures names of WebGPU features
   */
  constructor(rhi: ImmediateContext, largestSize: number, deviceFeatures: readonly string[]) {
    this.#deviceFeatures = deviceFeatures;
    this.#rhi = rhi;
    this.#largestSize = largestSize;
    this.#mipmaps = new MipmapGenerator(rhi);
  }

  /**
   * Takes the image of a `createTexture`, the reader's current record.
   * @throws AssetError `texture-too-large`, `texture-format-unsupported`
   */
  create(reader: StreamReader): void {
    const creation = readCreation(reader, 1);
    const { words, fields: at } = reader;
    const image = reader.attachment(words[at] as number) as ImageBitmap | ArrayBuffer;
    const { texture } = creation;
    try {
      this.#checkSize(creation);
      this.#checkFormat(creation);
    } catch (error) {
      close(image);
      throw error;
    }
    this.destroy(texture);
    this.#textures.set(texture, { creation, handle: undefined, samplerWord: creation.sampler, target: null });
    this.#pending.set(texture, { creation, image });
    this.changed.add(texture);
  }

  /**
   * Executes a `createRenderTexture`, the reader's current record: creates a texture that views draw into.
   * @throws AssetError `texture-too-large`
   */
  createTarget(reader: StreamReader): void {
    const creation = readCreation(reader, 0);
    const { texture } = creation;
    const { width, height, label } = creation;
    if (!this.#fits(creation)) throw renderTextureTooLarge(label, width, height, this.#largestSize);
    this.destroy(texture);
    this.#textures.set(texture, { creation, handle: undefined, samplerWord: creation.sampler, target: null });
    this.#pending.set(texture, { creation, image: null });
    this.changed.add(texture);
  }

  /** Takes the changed part of an image from an `updateTexture`, the reader's current record. */
  update(reader: StreamReader): void {
    const { words, fields: at } = reader;
    const data = reader.attachment(words[at] as number) as ArrayBuffer;
    const [texture, x, y, width, height] = words.subarray(at + 1, at + 6) as unknown as number[] as [
      number,
      number,
      number,
      number,
      number,
    ];
    const region = { origin: [x, y, 0] as const, width, height, bytesPerRow: width * 4 };
    this.#changes.push({ texture, data, region });
  }

  /** Draws the mip levels of a texture that a view has been drawn into. Call it outside passes. */
  drawMipmaps({ mipmaps }: TextureTarget): void {
    this.#mipmaps.draw(mipmaps);
  }

  destroy(texture: number): void {
    const entry = this.#textures.get(texture);
    if (entry === undefined) return;
    if (entry.target) this.#mipmaps.destroyChain(entry.target.mipmaps);
    if (entry.handle !== undefined) this.#retired.push(entry.handle);
    const waiting = this.#pending.get(texture);
    close(waiting?.image);
    this.#pending.delete(texture);
    this.#textures.delete(texture);
    this.changed.add(texture);
  }

  /** Returns a texture. It has a handle from the next `recordUploads` on. */
  find(texture: number): Texture | undefined {
    return this.#textures.get(texture);
  }

  /** Whether the next `recordUploads` may draw mip levels. */
  get hasPendingMipmaps(): boolean {
    if (this.#changes.length > 0) return true;
    for (const { creation, image } of this.#pending.values()) {
      if (image && drawsMipmaps(creation)) return true;
    }
    return false;
  }

  /** Per frame: creates pending textures, uploads images and changes, and draws missing mip levels. */
  recordUploads(): void {
    if (this.#pending.size === 0 && this.#changes.length === 0) return;
    const uploaded = new Map<TextureHandle, TextureCreation>();
    for (const [texture, { creation, image }] of this.#pending) {
      const entry = this.#textures.get(texture);
      if (entry === undefined) continue;
      if (image === null) {
        this.#createTarget(entry, creation);
        continue;
      }
      entry.handle = this.#upload(creation, image);
      uploaded.set(entry.handle, creation);
    }
    this.#pending.clear();
    for (const { texture, data, region } of this.#changes.splice(0)) {
      const entry = this.#textures.get(texture);
      // There is no handle if the image was rejected or the texture was destroyed.
      if (!entry?.handle) continue;
      this.#rhi.writeTextureFromAttachment(entry.handle, region, data);
      uploaded.set(entry.handle, entry.creation);
    }
    // All images are copied before mip passes. An image cannot be copied in the middle of a command list, so
    // a copy after mip passes would submit the list early.
    for (const [handle, creation] of uploaded) {
      if (drawsMipmaps(creation))
        this.#mipmaps.record(handle, formatOf(creation), mipLevels(creation), creation.label);
    }
  }

  /** Per frame, after bind groups have stopped naming retired textures: destroys these textures. */
  releaseRetired(): void {
    if (this.changed.size === 0) return;
    for (const handle of this.#retired) this.#rhi.destroy(handle);
    this.#retired.length = 0;
    this.changed.clear();
  }

  dispose(): void {
    for (const { image } of this.#pending.values()) close(image);
    this.#pending.clear();
    for (const handle of this.#retired) this.#rhi.destroy(handle);
    this.#retired.length = 0;
    for (const { handle, target } of this.#textures.values()) {
      if (target) this.#mipmaps.destroyChain(target.mipmaps);
      this.#rhi.destroy(handle);
    }
    this.#textures.clear();
    this.#mipmaps.dispose();
  }

  #createTarget(entry: Texture, creation: TextureCreation): void {
    const { width, height, label } = creation;
    const format = formatOf(creation);
    const mipLevelCount = mipLevels(creation);
    const usage = TextureUsage.textureBinding | TextureUsage.renderAttachment | TextureUsage.copySource;
    // Colours that are already sRGB are written unchanged through this view format.
    const viewFormats = [format.replace('-srgb', '') as GPUTextureFormat];
    const handle = this.#rhi.createTexture({
      label,
      width,
      height,
      mipLevelCount,
      format,
      usage,
      viewFormats,
    });
    const mipmaps = this.#mipmaps.createChain(handle, format, mipLevelCount, label);
    entry.handle = handle;
    entry.target = { width, height, mipmaps };
  }

  #fits({ width, height }: TextureCreation): boolean {
    return width <= this.#largestSize && height <= this.#largestSize;
  }

  #checkSize(creation: TextureCreation): void {
    if (this.#fits(creation)) return;
    const { width, height, label } = creation;
    const remedy = 'Scale the image down.';
    throw textureTooLarge(`Texture "${label}"`, width, height, this.#largestSize, remedy);
  }

  #upload(creation: TextureCreation, image: ImageBitmap | ArrayBuffer): TextureHandle {
    const rhi = this.#rhi;
    const { width, height, label, texels } = creation;
    const isDrawn = texels.levelCount === 0;
    const handle = rhi.createTexture({
      label,
      width,
      height,
      mipLevelCount: mipLevels(creation),
      format: formatOf(creation),
      // Both mip passes and copies of external images render into the texture.
      usage:
        TextureUsage.textureBinding | TextureUsage.copyTarget | (isDrawn ? TextureUsage.renderAttachment : 0),
    });
    if (image instanceof ArrayBuffer) this.#writeLevels(handle, creation, image);
    else rhi.copyExternalImage(image, handle, { width, height });
    return handle;
  }

  #writeLevels(handle: TextureHandle, { width, height, texels }: TextureCreation, image: ArrayBuffer): void {
    const { format, levelCount } = texels;
    let byteOffset = 0;
    for (let mipLevel = 0; mipLevel < Math.max(1, levelCount); mipLevel++) {
      const { byteLength, ...region } = levelSizeOf(format, width, height, mipLevel);
      const isAll = byteOffset === 0 && byteLength === image.byteLength;
      // Each level is sent as a separate buffer.
      const bytes = isAll ? image : image.slice(byteOffset, byteOffset + byteLength);
      byteOffset += byteLength;
      this.#rhi.writeTextureFromAttachment(handle, { ...region, mipLevel }, bytes);
    }
  }

  /** Checks the format, because the image may have been made for another device. */
  #checkFormat({ texels: { format }, label }: TextureCreation): void {
    const feature = featureOf(format);
    if (feature === null || this.#deviceFeatures.includes(feature)) return;
    throw new AssetError(
      'texture-format-unsupported',
      `Texture "${label}" is in the format ${format}, which this device doesn't read: it lacks ${feature}. Load its file again.`,
    );
  }
}

function close(image: ImageBitmap | ArrayBuffer | null | undefined): void {
  if (image && 'close' in image) image.close();
}
