/** Returns linear red, green and blue at a column and a row. */
type Radiance = (x: number, y: number) => readonly number[];

/** Returns an .hdr file of uncompressed texels as a Node buffer. */
export const hdrFile = (width: number, height: number, radiance: Radiance): Buffer =>
  Buffer.from(hdrBytes(width, height, radiance));

/** Returns the bytes of an .hdr file of uncompressed texels. Works without Node. */
export function hdrBytes(width: number, height: number, radiance: Radiance): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`);
  const bytes = new Uint8Array(header.length + width * height * 4);
  bytes.set(header);
  const texels = bytes.subarray(header.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0] = radiance(x, y);
      // A mantissa of 128 means 0.5 × 2^exponent. The stored exponent has a bias of 128.
      const exponent = Math.max(1, Math.floor(Math.log2(Math.max(red, green, blue))) + 1);
      const scale = 256 / 2 ** exponent;
      texels.set([red * scale, green * scale, blue * scale, exponent + 128], (y * width + x) * 4);
    }
  }
  return bytes;
}
