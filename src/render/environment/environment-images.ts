import { AssetError } from '../../core/errors.js';
import { stringAt } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { EnvironmentKind } from '../../proxy/commands.js';
import {
  ENVIRONMENT_FORMATS,
  type EnvironmentFormat,
  type EnvironmentImage,
} from '../../proxy/scene-description.js';
import { TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CUBE_FORMAT } from './cube-format.js';
import type { Rotation } from './face-passes.js';
import type { EnvironmentSource } from './make-environment.js';

/** One environment of a weighted sum: its kind and weight. */
export interface WeightedSource {
  readonly kind: number;
  readonly weight: number;
}

/** An image of radiance that waits for its upload. */
interface WaitingImage extends EnvironmentImage {
  readonly label: string;
  /** Quaternion xyzw. */
  readonly rotation: Rotation;
  /** Whether the device does not support the image. */
  readonly isRefused: boolean;
}

/**
 * Receives images of environments in records, and uploads them to textures. Passes then draw cubes from the
 * textures.
 *
 *   setEnvironmentImage ─► take ─► waiting, in the order of the image sources ─► upload
 */
export class EnvironmentImages {
  readonly #waiting: WaitingImage[] = [];
  readonly #rhi: ImmediateContext;
  readonly #largestSize: number;
  readonly #hasBlocks: boolean;

  /**
   * @param largestSize maximum width and height of textures, in texels
   * @param hasBlocks whether the device reads BC6H blocks
   */
  constructor(rhi: ImmediateContext, largestSize: number, hasBlocks: boolean) {
    this.#rhi = rhi;
    this.#largestSize = largestSize;
    this.#hasBlocks = hasBlocks;
  }

  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Takes the image of a `setEnvironmentImage`, the reader's current record. An image that the device does
   * not support is omitted from the sum.
   * @throws AssetError `texture-too-large`, `texture-format-unsupported`
   */
  take(reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const data = reader.attachment(words[at] as number) as ArrayBuffer;
    const [width, height, faces] = [words[at + 1], words[at + 2], words[at + 3]] as [number, number, 1 | 6];
    const format = ENVIRONMENT_FORMATS[words[at + 4] as number] as EnvironmentFormat;
    const rotation = [floats[at + 5], floats[at + 6], floats[at + 7], floats[at + 8]] as unknown as Rotation;
    const label = stringAt(words, at, 9);
    const isTooLarge = Math.max(width, height) > this.#largestSize;
    const isUnknown = format !== CUBE_FORMAT && !this.#hasBlocks;
    const isRefused = isTooLarge || isUnknown;
    this.#waiting.push({ data, width, height, faces, format, label, rotation, isRefused });
    if (isTooLarge) {
      throw new AssetError(
        'texture-too-large',
        `The environment "${label}" is ${width} × ${height}; this device takes at most ${this.#largestSize} in each direction. Scale the image down.`,
      );
    }
    if (isUnknown) {
      throw new AssetError(
        'texture-format-unsupported',
        `The environment "${label}" holds blocks of BC6H, which this device does not read. Provide an image in half floats for such devices.`,
      );
    }
  }

  /**
   * Uploads the waiting images and returns the sources of the sum. Called in a frame, outside passes. Images
   * without a source are dropped.
   */
  upload(weighted: readonly WeightedSource[]): EnvironmentSource[] {
    const images = this.#waiting.splice(0);
    const sources: EnvironmentSource[] = [];
    for (const { kind, weight } of weighted) {
      const image = kind === EnvironmentKind.image ? images.shift() : undefined;
      if (kind === EnvironmentKind.image && (!image || image.isRefused)) continue;
      sources.push({ kind, weight, image: image && this.#upload(image) });
    }
    return sources;
  }

  #upload({ data, width, height, faces, format, label, rotation }: WaitingImage): EnvironmentSource['image'] {
    const handle = this.#rhi.createTexture({
      label,
      width,
      height,
      depthOrArrayLayers: faces,
      format,
      usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
    });
    const isBlocks = format !== CUBE_FORMAT;
    this.#rhi.writeTextureFromAttachment(
      handle,
      {
        width,
        height,
        depthOrArrayLayers: faces,
        bytesPerRow: isBlocks ? (width / 4) * 16 : width * 8,
        rowsPerImage: isBlocks ? height / 4 : height,
      },
      data,
    );
    return { handle, rotation, descriptor: { name: label, width, height, layers: faces, format } };
  }
}
