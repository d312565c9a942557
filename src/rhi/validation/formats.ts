/**
 * What WebGPU says about texture and vertex formats, as far as the checks ask: the tables "texture format
 * capabilities" of its specification. A format that is not here is newer than this list, and is not judged.
 */

export interface FormatInfo {
  readonly format: string;
  /** Bytes of one texel or block; 0 where copies are undefined (`depth24plus`). */
  readonly blockBytes: number;
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** What a binding's `sampleType` may be: `depth` also as `unfilterable-float`. */
  readonly sampleType: 'float' | 'unfilterable-float' | 'sint' | 'uint' | 'depth';
  readonly isRenderable: boolean;
  readonly isBlendable: boolean;
  readonly isMultisampled: boolean;
  readonly isResolvable: boolean;
  readonly isStorage: boolean;
  readonly hasDepth: boolean;
  readonly hasStencil: boolean;
  /** Feature needed to use it at all. */
  readonly feature: string | null;
  /** Feature needed to render into it. */
  readonly renderFeature: string | null;
}

// name, bytes, sample type, flags: r renderable, b blendable, m multisampled, v resolvable, w storage.
const COLORS = `
r8unorm 1 float rbmv|r8snorm 1 float|r8uint 1 uint rm|r8sint 1 sint rm
r16uint 2 uint rm|r16sint 2 sint rm|r16float 2 float rbmv
rg8unorm 2 float rbmv|rg8snorm 2 float|rg8uint 2 uint rm|rg8sint 2 sint rm
r32uint 4 uint rw|r32sint 4 sint rw|r32float 4 unfilterable-float rmw
rg16uint 4 uint rm|rg16sint 4 sint rm|rg16float 4 float rbmv
rgba8unorm 4 float rbmvw|rgba8unorm-srgb 4 float rbmv|rgba8snorm 4 float w|rgba8uint 4 uint rmw|rgba8sint 4 sint rmw
bgra8unorm 4 float rbmv|bgra8unorm-srgb 4 float rbmv
rgb9e5ufloat 4 float|rgb10a2uint 4 uint rm|rgb10a2unorm 4 float rbmv|rg11b10ufloat 4 float rbmv
rg32uint 8 uint rw|rg32sint 8 sint rw|rg32float 8 unfilterable-float rw
rgba16uint 8 uint rmw|rgba16sint 8 sint rmw|rgba16float 8 float rbmvw
rgba32uint 16 uint rw|rgba32sint 16 sint rw|rgba32float 16 unfilterable-float rw`;

const formats = new Map<string, FormatInfo>();

function add(format: string, blockBytes: number, sampleType: string, flags: string, more: object = {}): void {
  formats.set(format, {
    format,
    blockBytes,
    blockWidth: 1,
    blockHeight: 1,
    sampleType: sampleType as FormatInfo['sampleType'],
    isRenderable: flags.includes('r'),
    isBlendable: flags.includes('b'),
    isMultisampled: flags.includes('m'),
    isResolvable: flags.includes('v'),
    isStorage: flags.includes('w'),
    hasDepth: false,
    hasStencil: false,
    feature: null,
    renderFeature: format === 'rg11b10ufloat' ? 'rg11b10ufloat-renderable' : null,
    ...more,
  });
}

for (const line of COLORS.trim().split(/[\n|]/)) {
  const [format, bytes, type, flags = ''] = line.split(' ');
  add(format, Number(bytes), type, flags);
}
add('stencil8', 1, 'uint', 'rm', { hasStencil: true });
add('depth16unorm', 2, 'depth', 'rm', { hasDepth: true });
add('depth24plus', 0, 'depth', 'rm', { hasDepth: true });
add('depth32float', 4, 'depth', 'rm', { hasDepth: true });
add('depth24plus-stencil8', 0, 'depth', 'rm', { hasDepth: true, hasStencil: true });
add('depth32float-stencil8', 4, 'depth', 'rm', {
  hasDepth: true,
  hasStencil: true,
  feature: 'depth32float-stencil8',
});
for (const [kinds, bytes] of [
  ['bc1-rgba-unorm bc1-rgba-unorm-srgb bc4-r-unorm bc4-r-snorm', 8],
  ['bc2-rgba-unorm bc2-rgba-unorm-srgb bc3-rgba-unorm bc3-rgba-unorm-srgb bc5-rg-unorm bc5-rg-snorm', 16],
  ['bc6h-rgb-ufloat bc6h-rgb-float bc7-rgba-unorm bc7-rgba-unorm-srgb', 16],
] as const) {
  for (const format of kinds.split(' ')) {
    add(format, bytes, 'float', '', { blockWidth: 4, blockHeight: 4, feature: 'texture-compression-bc' });
  }
}
for (const [kinds, bytes] of [
  ['etc2-rgb8unorm etc2-rgb8unorm-srgb etc2-rgb8a1unorm etc2-rgb8a1unorm-srgb eac-r11unorm eac-r11snorm', 8],
  ['etc2-rgba8unorm etc2-rgba8unorm-srgb eac-rg11unorm eac-rg11snorm', 16],
] as const) {
  for (const format of kinds.split(' ')) {
    add(format, bytes, 'float', '', { blockWidth: 4, blockHeight: 4, feature: 'texture-compression-etc2' });
  }
}
for (const block of '4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12'.split(' ')) {
  const [blockWidth, blockHeight] = block.split('x').map(Number);
  for (const suffix of ['unorm', 'unorm-srgb']) {
    const more = { blockWidth, blockHeight, feature: 'texture-compression-astc' };
    add(`astc-${block}-${suffix}`, 16, 'float', '', more);
  }
}

export const formatInfo = (format: string): FormatInfo | undefined => formats.get(format);

export const withoutSrgb = (format: string): string => format.replace(/-srgb$/, '');

/**
 * Why it can't be used as storage; empty when it can, or may.
 * @param access `texture`: what a texture's usage allows, whatever the shader does with it
 */
export function storageFault(
  { format, isStorage, blockWidth, hasDepth, hasStencil }: FormatInfo,
  access: GPUStorageTextureAccess | 'texture',
  hasFeature: (name: string) => boolean,
): string {
  const isNone = blockWidth > 1 || hasDepth || hasStencil || /-srgb$|^rgb9e5/.test(format);
  const hasMore = hasFeature('texture-formats-tier1');
  const isBgra = format === 'bgra8unorm';
  if (isBgra && hasFeature('bgra8unorm-storage')) {
    return access === 'write-only' || access === 'texture' ? '' : `${format} can only be written`;
  }
  if (isNone || isBgra || !(isStorage || hasMore)) return `${format} can't be storage`;
  if (access !== 'read-write' || format.startsWith('r32') || hasFeature('texture-formats-tier2')) return '';
  return `${format} can't be read and written at once`;
}

/**
 * Bytes per sample of colour attachments together, as WebGPU counts them: each begins at a multiple of its components'
 * size, and 8-bit colours with alpha count twice. What is not known counts as nothing.
 */
export function attachmentBytes(formats: readonly string[]): number {
  let bytes = 0;
  for (const format of formats) {
    const plain = /^(r|rg|rgba|bgra)(8|16|32)(\w+)/.exec(format);
    const isPacked = /^(rgb10a2|rg11b10)/.test(format);
    if (plain === null && !isPacked) continue;
    const alignment = plain === null ? 4 : Number(plain[2]) / 8;
    const own = plain === null ? 8 : plain[1].length * alignment;
    const isDoubled = plain !== null && own === 4 && alignment === 1 && plain[3].includes('norm');
    bytes = Math.ceil(bytes / alignment) * alignment + (isDoubled ? 8 : own);
  }
  return bytes;
}

const WITH_ALPHA = /^(rgba|bgra|rgb10a2)/;

/** Alpha of such a target can be turned into coverage. */
export const hasAlpha = ({ format, isBlendable }: FormatInfo): boolean =>
  isBlendable && WITH_ALPHA.test(format);

/** Bytes of the texels of one aspect in a copy; 0 where it can't be copied. */
export function copyBytes(info: FormatInfo, aspect: string): number {
  if (aspect === 'stencil-only') return info.hasStencil ? 1 : 0;
  return info.blockBytes;
}

/** Bytes of a vertex attribute: `float32x3` has 12. */
export function vertexFormatBytes(format: string): number {
  if (format.includes('10-10-10-2')) return 4;
  const match = /(\d+)(?:x(\d))?/.exec(format);
  return match === null ? 0 : (Number(match[1]) / 8) * Number(match[2] ?? 1);
}
