/**
 * How many bytes the texels of a format take in a buffer: per block, which is one texel except for compressed
 * formats. Formats with depth or stencil are not here, because their aspects are copied by rules of their own.
 */
export interface TexelBlock {
  readonly bytes: number;
  /** In texels. */
  readonly width: number;
  readonly height: number;
}

const FOUR_BY_FOUR_IN_8_BYTES = /^(bc[14]-|etc2-rgb8unorm|etc2-rgb8a1|eac-r11)/;
const FOUR_BY_FOUR_IN_16_BYTES = /^(bc|etc2|eac)/;

/** Undefined for depth, stencil and unknown formats. */
export function texelBlock(format: string): TexelBlock | undefined {
  const plain = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)/.exec(format);
  if (plain) return { bytes: ((plain[1]?.length ?? 0) * Number(plain[2])) / 8, width: 1, height: 1 };
  if (/^(rgb9e5|rgb10a2|rg11b10)u/.test(format)) return { bytes: 4, width: 1, height: 1 };
  if (FOUR_BY_FOUR_IN_8_BYTES.test(format)) return { bytes: 8, width: 4, height: 4 };
  if (FOUR_BY_FOUR_IN_16_BYTES.test(format)) return { bytes: 16, width: 4, height: 4 };
  const astc = /^astc-(\d+)x(\d+)/.exec(format);
  return astc ? { bytes: 16, width: Number(astc[1]), height: Number(astc[2]) } : undefined;
}
