/**
 * Decodes textures of KTX2 files except Basis Universal. Supported blocks and uncompressed texels are uploaded
 * unchanged, with the file's levels. A few formats that WebGPU lacks are converted.
 *
 *   level ─► unpacked (Zstandard, ZLIB) ─► the requested image ─► unchanged │ converted ─► one buffer of all levels
 */
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import {
  blockOf,
  featureOf,
  isDrawable,
  levelSizeOf,
  packTexels,
  type TexelFormat,
} from '../../proxy/images/texels.js';
import { assetError } from '../asset-error.js';
import { chosenImage, invalidKtx2, type Ktx2File, readKtx2, readLevel } from './ktx2-container.js';
import { asRgba8, ktx2Format } from './ktx2-formats.js';
import { swizzled, swizzleOf } from './ktx2-swizzle.js';
import { unpackZstandard } from './zstandard.js';

export { turnedRadiance, turnedTexture } from './ktx2-orientation.js';
export { unpackZstandard } from './zstandard.js';

/** The largest texture size that every WebGPU device supports. */
const MAXIMUM_SIZE = 8192;

export interface Ktx2Request {
  /** Name of the file in messages. */
  readonly file: string;
  /** WebGPU names of the device's features. */
  readonly deviceFeatures: readonly string[];
  /** Whether the texture is read as sRGB. */
  readonly srgb: boolean;
  /** Index of the image in an array or a cube. */
  readonly layer: number | undefined;
}

/**
 * Decodes one image of a file with all its levels.
 * @throws AssetError `ktx2-invalid`, `ktx2-truncated`, `texture-format-unsupported`, `decoder-blocked`
 */
export async function decodeKtx2(
  bytes: Uint8Array<ArrayBuffer>,
  { file, deviceFeatures, srgb, layer }: Ktx2Request,
): Promise<DecodedImage> {
  const ktx2 = readKtx2(bytes, file);
  const { width, height } = ktx2;
  checkSizes(ktx2);
  const stored = ktx2Format(ktx2.vulkanFormat);
  if (!stored) {
    throw invalidKtx2(
      file,
      `Its format is Vulkan's ${ktx2.vulkanFormat}, which is not supported for textures. Export it as RGBA8, as blocks, or as Basis Universal.`,
    );
  }
  const plain = (srgb && asRgba8(stored.format)) || stored;
  const swizzle = swizzleOf(ktx2);
  const { format, bytes: texelBytes, convert } = swizzle ? swizzled(plain, swizzle, file) : plain;
  checkBlocks(ktx2, format, deviceFeatures);
  const image = chosenImage(ktx2, layer);
  const imageCount = Math.max(1, ktx2.layers) * Math.max(1, ktx2.faces);
  const levelCount = ktx2.levels.length;
  const sizes = ktx2.levels.map((_, level) => levelSizeOf(format, width, height, level).byteLength);
  const whole = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [level, size] of sizes.entries()) {
    const count = Math.max(1, width >> level) * Math.max(1, height >> level);
    const storedSize = convert && texelBytes ? count * texelBytes : size;
    const content = await readLevel(ktx2, level, storedSize * imageCount, unpackZstandard);
    const from = content.subarray(image * storedSize, (image + 1) * storedSize);
    const to = whole.subarray(at, at + size);
    if (convert) convert(viewOf(from), viewOf(to), count);
    else to.set(from);
    at += size;
  }
  // For a single level of a renderable format, a count of 0 lets the GPU generate the smaller levels.
  const texels = packTexels(format, levelCount === 1 && isDrawable(format) ? 0 : levelCount);
  return { image: whole.buffer, width, height, texels };
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function checkSizes({ width, height, faces, levels, file }: Ktx2File): void {
  if (width < 1 || height < 1)
    throw invalidKtx2(file, `It has ${width} × ${height} pixels; a texture has two dimensions.`);
  if (Math.max(width, height) > MAXIMUM_SIZE)
    throw invalidKtx2(
      file,
      `It has ${width} × ${height} pixels, and each side may have ${MAXIMUM_SIZE} at most.`,
    );
  if (faces !== 1 && faces !== 6)
    throw invalidKtx2(file, `It claims ${faces} faces; an image has 1, a cube 6.`);
  if (levels.length > 1 + Math.floor(Math.log2(Math.max(width, height))))
    throw invalidKtx2(
      file,
      `It has ${levels.length} levels, which are too many for ${width} × ${height} pixels.`,
    );
}

/** Checks that the device reads the format, and that the size is a multiple of the block size. */
function checkBlocks(
  { width, height, file }: Ktx2File,
  format: TexelFormat,
  deviceFeatures: readonly string[],
): void {
  const feature = featureOf(format);
  if (feature !== null && !deviceFeatures.includes(feature)) {
    throw assetError(
      'texture-format-unsupported',
      file,
      '',
      `Its format ${format} is not read by this device, which lacks ${feature}. Export it as Basis Universal, which every device reads.`,
    );
  }
  const block = blockOf(format);
  if (width % block.width === 0 && height % block.height === 0) return;
  throw invalidKtx2(
    file,
    `Its blocks have ${block.width} × ${block.height} texels, and its size of ${width} × ${height} is not a multiple of that, as WebGPU requires. Scale the image, or export it as Basis Universal.`,
  );
}
