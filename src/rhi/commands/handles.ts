/**
 * A handle names a resource before it exists: the recorder returns it at once, and the executor creates the resource
 * when the list runs. A handle is one 32-bit number. A handle with a low index is a small number, which V8 stores
 * unboxed in arrays:
 *
 *   bits 31……14 index (18)   13……4 generation (10)   3…0 kind (4)        0 is not a handle
 *
 * An index selects a slot in the table of its kind. `record/handle-allocator.ts` decides when a slot is reused.
 *
 * A context that checks its calls adds a mark above these 32 bits. The mark identifies the context. It is needed
 * because two RHIs allocate equal 32-bit handles. Records hold no mark: storing a number as a word drops the bits above
 * 31.
 *
 *   bits 52……32 mark (21), 0: none   31……0 the handle
 */

export const ResourceKind = {
  buffer: 1,
  texture: 2,
  sampler: 3,
  shaderModule: 4,
  bindGroupLayout: 5,
  bindGroup: 6,
  graphicsPipeline: 7,
  computePipeline: 8,
  querySet: 9,
  fence: 10,
  drawBundle: 11,
} as const;
export type ResourceKind = (typeof ResourceKind)[keyof typeof ResourceKind];

export type ResourceKindName = keyof typeof ResourceKind;

/** Returns a kind's name as separate words: `bindGroupLayout` becomes `bind group layout`. */
export const kindName = (kind: ResourceKindName): string =>
  kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Names of kinds in words, by kind. */
export const KIND_NAMES: readonly string[] = /* @__PURE__ */ ['none', ...Object.keys(ResourceKind)].map(
  (kind) => kindName(kind as ResourceKindName),
);

const KIND_BITS = 4;
const GENERATION_BITS = 10;
export const INDEX_SHIFT = KIND_BITS + GENERATION_BITS;
export const MAXIMUM_GENERATION = (1 << GENERATION_BITS) - 1;
/** The largest index of a handle. */
export const MAXIMUM_INDEX = (1 << (32 - INDEX_SHIFT)) - 1;

const WORD = 2 ** 32;
const MARKS = 2 ** 21;

/** Returns the mark that a context with this random id adds to its handles. */
export const markOfOwner = (id: number): number => (1 + (id % (MARKS - 1))) * WORD;
/** Returns whether the handle has the mark of another context. A handle without a mark is accepted. Called per draw. */
export const isForeign = (handle: number, mark: number): boolean =>
  handle >= WORD && handle - (handle >>> 0) !== mark;

export const handleKind = (handle: number): number => handle & 0xf;
export const handleIndex = (handle: number): number => handle >>> INDEX_SHIFT;
export const handleGeneration = (handle: number): number => (handle >>> KIND_BITS) & MAXIMUM_GENERATION;
export const makeHandle = (kind: number, generation: number, index: number): number =>
  ((index << INDEX_SHIFT) | (generation << KIND_BITS) | kind) >>> 0;

/** Returns a handle as text for messages: `buffer 12.3` has index 12 and generation 3. */
export function describeHandle(handle: number, label?: string): string {
  const kind = KIND_NAMES[handleKind(handle)] ?? 'unknown';
  const slot = `${kind} ${handleIndex(handle)}.${handleGeneration(handle)}`;
  return label ? `${kind} "${label}" (${slot})` : slot;
}
