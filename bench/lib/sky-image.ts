/**
 * Returns a Radiance file (.hdr) without run-length encoding: a sky from horizon to zenith, a sun at least
 * 900 times as bright, and dark ground.
 */
export function skyImage(width: number, height: number): Buffer {
  const header = `#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`;
  const texels = Buffer.alloc(width * height * 4);
  const sun = direction(0.3, 0.9);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const seen = direction((x + 0.5) / width, 1 - (2 * (y + 0.5)) / height);
      const up = seen[1];
      const isSun = seen[0] * sun[0] + up * sun[1] + seen[2] * sun[2] > 0.9995;
      const day = isSun ? 600 : up > 0 ? 0.35 + 0.3 * (1 - up) : 0.05;
      setTexel(texels, (y * width + x) * 4, day, day * (isSun ? 0.9 : 1.05), day * (isSun ? 0.7 : 1.3));
    }
  }
  return Buffer.concat([Buffer.from(header, 'latin1'), texels]);
}

/**
 * Returns a direction as a unit vector.
 * @param turn angle around the vertical, 0 to 1
 * @param up sine of the elevation, −1 to 1
 */
function direction(turn: number, up: number): [x: number, y: number, z: number] {
  const across = Math.sqrt(1 - up * up);
  return [across * Math.cos(turn * 2 * Math.PI), up, across * Math.sin(turn * 2 * Math.PI)];
}

/** Writes three mantissas and their common exponent, whose bias is 128. */
function setTexel(texels: Buffer, at: number, red: number, green: number, blue: number): void {
  const exponent = Math.floor(Math.log2(Math.max(red, green, blue))) + 1;
  const scale = 256 / 2 ** exponent;
  texels.set([red * scale, green * scale, blue * scale, exponent + 128], at);
}
