/**
 * Environments from ordinary pictures. `world.setEnvironment` takes `.hdr` and `.ktx2` files. Other pictures, such as a
 * panorama in JPEG, are decoded by the browser and written as a `.hdr` file. Their light reaches only from black to
 * white, so a sun in them lights less than in a `.hdr` file.
 */
import { AssetError } from '../index.js';

/** Largest width of a decoded picture, in pixels. */
const MOST_WIDTH = 1024;
/** First bytes of the files that the engine decodes: `#?` of `.hdr`, and `«KTX` of `.ktx2`. */
const NATIVE = [
  [0x23, 0x3f],
  [0xab, 0x4b, 0x54, 0x58],
] as const;

/**
 * Returns a source for `setEnvironment`: the address itself if it ends with `.hdr` or `.ktx2`, or else a file.
 * @throws AssetError `fetch-failed`, `image-undecodable`; the signal's reason
 */
export async function environmentOf(address: string, signal: AbortSignal): Promise<string | File> {
  if (/\.(hdr|ktx2)([?#]|$)/i.test(address)) return address;
  const fail = (code: string, message: string, cause?: unknown): AssetError =>
    new AssetError(code, `"${address}": ${message}`, { cause });
  const response = await fetch(address, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw fail('fetch-failed', 'The environment could not be fetched. Check its address.', error);
  });
  if (!response.ok) {
    throw fail(
      'fetch-failed',
      `The server answered ${response.status}. Check the address of the environment.`,
    );
  }
  const blob = await response.blob();
  const start = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  if (NATIVE.some((bytes) => bytes.every((byte, at) => start[at] === byte))) return new File([blob], address);
  const { data, width, height } = await pixelsOf(blob).catch((error: unknown) => {
    throw fail(
      'image-undecodable',
      'The environment is no picture that the browser can decode. Use .hdr, .ktx2, JPEG, PNG or WebP.',
      error,
    );
  });
  signal.throwIfAborted();
  return new File([encodeRadiance(data, width, height)], address);
}

async function pixelsOf(blob: Blob): Promise<ImageData> {
  const whole = await createImageBitmap(blob);
  const scale = Math.min(1, MOST_WIDTH / whole.width);
  const [width, height] = [whole.width, whole.height].map((size) => Math.max(1, Math.round(size * scale)));
  const context = new OffscreenCanvas(width ?? 1, height ?? 1).getContext('2d');
  if (!context || !width || !height) throw new Error('The browser has no canvas for pictures.');
  context.drawImage(whole, 0, 0, width, height);
  whole.close();
  return context.getImageData(0, 0, width, height);
}

/**
 * Encodes sRGB pixels as a Radiance file without compression.
 * @param data RGBA8, row 0 at the top
 */
export function encodeRadiance(
  data: Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`);
  const file = new Uint8Array(header.length + width * height * 4);
  file.set(header);
  const linear = Float32Array.from({ length: 256 }, (_, value) => linearOf(value / 255));
  for (let at = header.length, from = 0; from < data.length; at += 4, from += 4) {
    const red = linear[data[from] as number] as number;
    const green = linear[data[from + 1] as number] as number;
    const blue = linear[data[from + 2] as number] as number;
    const most = Math.max(red, green, blue);
    if (most === 0) continue;
    // The largest component fills the upper half of a byte.
    const exponent = Math.floor(Math.log2(most)) + 1;
    const scale = 256 / 2 ** exponent;
    file[at] = red * scale;
    file[at + 1] = green * scale;
    file[at + 2] = blue * scale;
    file[at + 3] = exponent + 128;
  }
  return file;
}

/** Converts an sRGB value from 0 to 1 to linear light. */
const linearOf = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
