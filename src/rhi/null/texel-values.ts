/** A colour, depth or stencil value as the bytes of one texel, for clears; as a GPU would write it. */

type Write = (view: DataView, at: number, value: number) => void;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Of one channel, by its type and bits. */
const writers: Readonly<Record<string, Write>> = {
  unorm8: (view, at, value) => view.setUint8(at, Math.round(clamp(value, 0, 1) * 255)),
  unorm16: (view, at, value) => view.setUint16(at, Math.round(clamp(value, 0, 1) * 65535), true),
  uint8: (view, at, value) => view.setUint8(at, clamp(value, 0, 255)),
  uint16: (view, at, value) => view.setUint16(at, clamp(value, 0, 65535), true),
  uint32: (view, at, value) => view.setUint32(at, clamp(value, 0, 0xffffffff), true),
  sint8: (view, at, value) => view.setInt8(at, clamp(value, -128, 127)),
  sint16: (view, at, value) => view.setInt16(at, clamp(value, -32768, 32767), true),
  sint32: (view, at, value) => view.setInt32(at, clamp(value, -(2 ** 31), 2 ** 31 - 1), true),
  float32: (view, at, value) => view.setFloat32(at, value, true),
};

/** Undefined for formats whose texels are not written here: packed ones, half floats, compressed ones. */
export function colorTexel(format: string, color: readonly number[]): Uint8Array | undefined {
  const match = /^(rgba|bgra|rg|r)(8|16|32)(unorm|uint|sint|float)(-srgb)?$/.exec(format);
  const [, channels = '', bits = '', type = '', srgb] = match ?? [];
  const write = writers[type + bits];
  if (write === undefined) return undefined;
  const bytesPerChannel = Number(bits) / 8;
  const texel = new Uint8Array(channels.length * bytesPerChannel);
  const view = new DataView(texel.buffer);
  for (const [place, channel] of [...channels].entries()) {
    const value = color['rgba'.indexOf(channel)] ?? 0;
    write(view, place * bytesPerChannel, srgb && channel !== 'a' ? encodedSrgb(value) : value);
  }
  return texel;
}

export function depthTexel(format: string, depth: number): Uint8Array | undefined {
  if (format === 'depth16unorm') return colorTexel('r16unorm', [depth]);
  return format.startsWith('depth32float') ? colorTexel('r32float', [depth]) : undefined;
}

/** IEC 61966-2-1. */
const encodedSrgb = (value: number): number =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
