/**
 * Decodes the file of a texture by the type of its first bytes. The browser decodes pictures, and a decoder of the
 * library decodes KTX2.
 *
 *   PNG, JPEG, WebP, AVIF ─► decodeImage        KTX2 ─► Basis Universal? ─► decoder-basis.js │ decoders.js
 */

import { isTyped } from '../../core/errors.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import { KTX2 } from '../../proxy/images/ktx2.js';
import { assetError } from '../asset-error.js';
import { isWasmBlocked, type LoadDecoder } from '../decoders/decoders.js';
import { chosenImage, type Ktx2File, orientationOf, readKtx2 } from '../decoders/ktx2-container.js';
import type { ImageDecoder } from './image-decoder.js';

export interface TextureRequest {
  /** Name of the file in messages. */
  readonly file: string;
  readonly decodeImage: ImageDecoder;
  readonly loadDecoder: LoadDecoder;
  /** WebGPU names of the device's features. */
  readonly deviceFeatures: readonly string[];
  /** Whether the texture is read as sRGB. */
  readonly srgb: boolean;
  /** Index of the image in an array or a cube. */
  readonly layer?: number | undefined;
}

/** Decodes a texture. @param encoded file with the type of its bytes (`imageMimeType`) @throws Error, AssetError */
export async function decodeTexture(encoded: Blob, request: TextureRequest): Promise<DecodedImage> {
  const { file, decodeImage, layer } = request;
  if (encoded.type !== KTX2) {
    if (layer === undefined) return decodeImage(encoded);
    throw assetError(
      'ktx2-invalid',
      file,
      '',
      'It is no KTX2 file, so it has no layers. Leave the option layer out.',
    );
  }
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const ktx2 = readKtx2(bytes, file);
  const orientation = orientationOf(ktx2);
  if (orientation === undefined) return decodeKtx2File(ktx2, request);
  // Without device features Basis Universal is transcoded to texels, which can be reordered.
  const isBasis = ktx2.vulkanFormat === 0;
  const decoded = await decodeKtx2File(ktx2, { ...request, ...(isBasis && { deviceFeatures: [] }) });
  const { turnedTexture } = await request.loadDecoder('ktx2');
  return turnedTexture(decoded, orientation, file);
}

async function decodeKtx2File(
  ktx2: Ktx2File,
  { file, loadDecoder, deviceFeatures, srgb, layer }: TextureRequest,
): Promise<DecodedImage> {
  const { bytes } = ktx2;
  if (ktx2.vulkanFormat !== 0) {
    const { decodeKtx2 } = await loadDecoder('ktx2');
    return decodeKtx2(bytes, { file, deviceFeatures, srgb, layer });
  }
  const image = chosenImage(ktx2, layer);
  const faces = Math.max(1, ktx2.faces);
  const { decodeBasis } = await loadDecoder('basis');
  try {
    return await decodeBasis(bytes, deviceFeatures, [Math.floor(image / faces), image % faces]);
  } catch (error) {
    if (isTyped(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (isWasmBlocked(error)) throw assetError('decoder-blocked', file, '', reason, error);
    throw assetError(
      'ktx2-invalid',
      file,
      '',
      `It cannot be decoded as Basis Universal: ${reason} Export it again.`,
      error,
    );
  }
}

/** The colour space of a texture, and the index of its image in the file. */
export type TextureUse = Pick<TextureRequest, 'srgb' | 'layer'>;
