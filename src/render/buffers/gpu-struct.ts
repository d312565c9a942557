/**
 * Declares structures in TypeScript and generates their WGSL declaration. Offsets follow WGSL's alignment
 * rules, so no layout is counted by hand. Offsets and lengths are in 32-bit words unless a name says bytes.
 */
const scalarBytes = { f32: 4, u32: 4, vec2f: 8, vec3f: 12, vec4f: 16, mat4x4f: 64 } as const;
const alignmentBytes = { f32: 4, u32: 4, vec2f: 8, vec3f: 16, vec4f: 16, mat4x4f: 16 } as const;
/**
 * Distance in bytes between structures that share a uniform buffer: WebGPU's default for
 * `minUniformBufferOffsetAlignment`.
 */
export const UNIFORM_SLOT_BYTES = 256;
type WgslType = keyof typeof scalarBytes;
/** A type, or a type and the length of an array of it. */
type Member = WgslType | readonly [WgslType, number];

export interface GpuStruct<K extends string> {
  readonly name: string;
  /** The WGSL declaration. */
  readonly wgsl: string;
  readonly words: number;
  readonly byteLength: number;
  /** Word offset of each member. */
  readonly at: Readonly<Record<K, number>>;
}

/** Lays out a structure as WGSL does (specification section 14.4.1, "Alignment and Size"). */
export function defineGpuStruct<K extends string>(name: string, members: Record<K, Member>): GpuStruct<K> {
  const at = {} as Record<K, number>;
  let byteOffset = 0;
  let structAlignment = 4;
  let wgsl = `struct ${name} {\n`;
  for (const key of Object.keys(members) as K[]) {
    const member: Member = members[key];
    const [type, count] = typeof member === 'string' ? [member, 0] : member;
    const alignment = alignmentBytes[type];
    byteOffset = roundUp(byteOffset, alignment);
    structAlignment = Math.max(structAlignment, alignment);
    at[key] = byteOffset / 4;
    byteOffset += count ? count * roundUp(scalarBytes[type], alignment) : scalarBytes[type];
    wgsl += `  ${key}: ${count ? `array<${type}, ${count}>` : type},\n`;
  }
  const byteLength = roundUp(byteOffset, structAlignment);
  return { name, wgsl: `${wgsl}}\n`, words: byteLength / 4, byteLength, at };
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
