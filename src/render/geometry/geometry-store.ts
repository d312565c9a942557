import { RhiError } from '../../core/errors.js';
import { grow, growIds } from '../../core/memory/grow.js';
import { vertexStride } from '../../proxy/geometry/vertex-format.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import { ReleaseQueue } from '../../rhi/memory/release-queue.js';
import { Suballocator } from '../../rhi/memory/suballocator.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { EdgeIndices } from './edge-indices.js';
import { DEFAULT_ATTRIBUTES } from './vertex-layouts.js';

const FIRST_PAGE_BYTES = 1 << 18;
const LARGEST_PAGE_BYTES = 1 << 24;
/**
 * Size in bytes up to which a geometry is copied into the command stream. Larger geometries are attachments
 * of the stream.
 */
const INLINE_BYTES = 1 << 14;

interface Page {
  readonly stride: number;
  readonly byteLength: number;
  readonly allocator: Suballocator;
  readonly buffer: BufferHandle;
  allocations: number;
}

/** A freed range. `offset` is in units of the page's stride. */
interface FreedRange {
  readonly page: number;
  readonly offset: number;
}

export interface GeometryCreation {
  readonly geometry: number;
  readonly label: string;
  readonly vertexFormat: number;
  readonly topology: number;
  readonly vertexCount: number;
  readonly indexCount: number;
}

/**
 * Geometry shares *pages*: GPU buffers that hold vertices and indices of many meshes. So drawing another mesh
 * mostly changes only numbers of the draw call, not state. A page holds vertices of one stride, and its unit
 * of allocation is a vertex. So a geometry begins at a whole vertex (`baseVertex`) and at a whole index.
 *
 *   page, stride 32   │ v v v v i i i · │ v v i │ free …          v 32 bytes, i 4 bytes, · padding
 *                       ▲ baseVertex 0    ▲ baseVertex 5,  firstIndex = byte offset / 4
 */
export class GeometryStore {
  vertexFormat = new Uint8Array(0);
  topology = new Uint8Array(0);
  vertexCount = new Uint32Array(0);
  /** Number of indices; 0: not indexed. */
  indexCount = new Uint32Array(0);
  baseVertex = new Uint32Array(0);
  firstIndex = new Uint32Array(0);
  /** Index of the page; −1: the geometry does not exist, or its upload is pending. */
  page = new Int32Array(0);
  /** Increases when a geometry's words change. */
  versions = new Uint32Array(0);
  /** Edges of all triangles, while a view shows wireframes. */
  edges: EdgeIndices | undefined;
  /** Boxes of 6 floats, in local space: centre xyz, half extents xyz. */
  bounds = new Float32Array(0);
  #exists = new Uint8Array(0);
  readonly #pages: (Page | undefined)[] = [];
  readonly #pending = new Map<number, ArrayBuffer>();
  /**
   * Four numbers per change in place: geometry, first word within the geometry, first word in
   * `#changedWords`, number of words.
   */
  readonly #changes: number[] = [];
  #changedWords = new Uint32Array(0);
  #changedCount = 0;
  /** Ranges freed since the last frame. */
  readonly #retired: FreedRange[] = [];
  /**
   * Freed ranges, paired with the last frame that may use them. Commands contain the offsets of ranges, and `step` must
   * record the same bytes on every run. So a range is reused a fixed number of frames later, however fast the GPU is.
   */
  readonly #freed = new ReleaseQueue<FreedRange>((range) => this.#releaseRange(range));
  #defaultAttributes: BufferHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #largestBuffer: number;

  /** @param largestBuffer size of the device's largest buffer, in bytes */
  constructor(rhi: ImmediateContext, largestBuffer = Number.POSITIVE_INFINITY) {
    this.#rhi = rhi;
    this.#largestBuffer = largestBuffer;
  }

  has(geometry: number): boolean {
    return this.#exists[geometry] === 1;
  }

  /** Returns whether all vertices lie in a plane along two axes, so that no face is behind another one. */
  isFlat(geometry: number): boolean {
    const { bounds } = this;
    const extents = geometry * 6 + 3;
    return bounds[extents] === 0 || bounds[extents + 1] === 0 || bounds[extents + 2] === 0;
  }

  /**
   * Creates a geometry and takes over its bytes. The next frame uploads them.
   * @throws RhiError `limit-exceeded`
   */
  create(creation: GeometryCreation, data: ArrayBuffer): void {
    const { geometry, label } = creation;
    this.destroy(geometry);
    if (data.byteLength > this.#largestBuffer) {
      throw new RhiError(
        'limit-exceeded',
        `Geometry "${label}" takes ${data.byteLength} bytes, and the largest buffer of this device has ${this.#largestBuffer}. Split the geometry into several meshes.`,
      );
    }
    this.#reserve(geometry + 1);
    this.#exists[geometry] = 1;
    this.vertexFormat[geometry] = creation.vertexFormat;
    this.topology[geometry] = creation.topology;
    this.vertexCount[geometry] = creation.vertexCount;
    this.indexCount[geometry] = creation.indexCount;
    this.#pending.set(geometry, data);
  }

  /** Sets the geometry's box. @param corners holds the box's least and largest corner, from `first` on */
  setBounds(geometry: number, corners: Float32Array, first: number): void {
    for (let axis = 0; axis < 3; axis++) {
      const least = corners[first + axis] as number;
      const largest = corners[first + 3 + axis] as number;
      this.bounds[geometry * 6 + axis] = (least + largest) / 2;
      this.bounds[geometry * 6 + 3 + axis] = (largest - least) / 2;
    }
  }

  /** Per change in place: replaces words from `offset` on. The next frame uploads them. */
  update(geometry: number, offset: number, words: Uint32Array, first: number, count: number): void {
    const pending = this.#pending.get(geometry);
    if (pending) {
      const target = new Uint32Array(pending, offset * 4, count);
      for (let index = 0; index < count; index++) target[index] = words[first + index] as number;
      return;
    }
    const begin = this.#changedCount;
    this.#changedWords = grow(this.#changedWords, begin + count);
    for (let index = 0; index < count; index++) {
      this.#changedWords[begin + index] = words[first + index] as number;
    }
    this.#changedCount += count;
    this.#changes.push(geometry, offset, begin, count);
  }

  destroy(geometry: number): void {
    if (!this.has(geometry)) return;
    this.#exists[geometry] = 0;
    this.#pending.delete(geometry);
    const page = this.page[geometry] as number;
    if (page >= 0) {
      this.#retired.push({ page, offset: this.baseVertex[geometry] as number });
    }
    this.page[geometry] = -1;
  }

  /** Returns the buffer of a page, for draws. */
  pageBuffer(page: number): BufferHandle {
    return this.#pageAt(page).buffer;
  }

  pageByteLength(page: number): number {
    return this.#pageAt(page).byteLength;
  }

  /**
   * Buffer of default values for attributes that a vertex format lacks. The first read creates it,
   * so it must happen outside passes.
   */
  get defaultAttributes(): BufferHandle {
    if (this.#defaultAttributes === undefined) {
      this.#defaultAttributes = this.#rhi.createBuffer({
        label: 'default vertex attributes',
        byteLength: DEFAULT_ATTRIBUTES.byteLength,
        usage: BufferUsage.vertex | BufferUsage.copyTarget,
      });
      this.#rhi.writeBuffer(this.#defaultAttributes, 0, DEFAULT_ATTRIBUTES);
    }
    return this.#defaultAttributes;
  }

  /** Whether freed ranges wait for later frames. */
  get hasDeletes(): boolean {
    return this.#freed.length > 0;
  }

  /**
   * Per frame: releases the ranges of frames that the GPU must have completed, then uploads changed words and new
   * geometry.
   */
  recordUploads(frame: number): void {
    if (this.#retired.length > 0) {
      for (const range of this.#retired) this.#freed.release(range, frame);
      this.#retired.length = 0;
    }
    this.#freed.purge(frame - this.#rhi.maxFramesInFlight - 1);
    this.#recordChanges();
    if (this.#pending.size === 0) return;
    for (const [geometry, data] of this.#pending) this.#upload(geometry, data);
    this.#pending.clear();
  }

  /** Between frames, once the GPU is idle or for a flush: releases all freed ranges. */
  recordDeletes(): void {
    this.#freed.purgeAll();
    for (const range of this.#retired.splice(0)) this.#releaseRange(range);
  }

  #recordChanges(): void {
    const changes = this.#changes;
    for (let index = 0; index < changes.length; index += 4) {
      const geometry = changes[index] as number;
      // The geometry may have been destroyed meanwhile, or replaced by a geometry with words of its own.
      const page = this.has(geometry) ? (this.page[geometry] as number) : -1;
      if (page < 0) continue;
      this.versions[geometry] = (this.versions[geometry] as number) + 1;
      const { buffer, stride } = this.#pageAt(page);
      const byteOffset = (this.baseVertex[geometry] as number) * stride + (changes[index + 1] as number) * 4;
      const begin = changes[index + 2] as number;
      writeWordsUnordered(
        this.#rhi.writer,
        buffer,
        byteOffset,
        this.#changedWords,
        begin,
        begin + (changes[index + 3] as number),
      );
    }
    changes.length = 0;
    this.#changedCount = 0;
  }

  dispose(): void {
    this.edges?.dispose();
    this.edges = undefined;
    for (const page of this.#pages) if (page) this.#rhi.destroy(page.buffer);
    this.#pages.length = 0;
    this.#rhi.destroy(this.#defaultAttributes);
    this.#defaultAttributes = undefined;
  }

  #upload(geometry: number, data: ArrayBuffer): void {
    const stride = vertexStride(this.vertexFormat[geometry] as number);
    const byteLength = data.byteLength & ~3;
    const units = Math.max(1, Math.ceil(byteLength / stride));
    const { page, offset } = this.#allocate(stride, units);
    this.page[geometry] = page;
    this.versions[geometry] = (this.versions[geometry] as number) + 1;
    this.baseVertex[geometry] = offset;
    this.firstIndex[geometry] = (offset * stride + (this.vertexCount[geometry] as number) * stride) / 4;
    if (byteLength === 0) return;
    const { buffer } = this.#pageAt(page);
    const byteOffset = offset * stride;
    if (byteLength <= INLINE_BYTES) {
      this.#rhi.writeBuffer(buffer, byteOffset, new Uint8Array(data, 0, byteLength));
    } else this.#rhi.writeBufferFromAttachment(buffer, byteOffset, data, 0, byteLength);
  }

  /** Allocates a range, in a new page if no page has space. The returned offset is in units of the stride. */
  #allocate(stride: number, units: number): { page: number; offset: number } {
    let largest = FIRST_PAGE_BYTES / 2;
    for (let index = 0; index < this.#pages.length; index++) {
      const page = this.#pages[index];
      if (page?.stride !== stride) continue;
      const offset = page.allocator.allocate(units, 1);
      if (offset !== undefined) {
        page.allocations++;
        return { page: index, offset };
      }
      largest = Math.max(largest, page.byteLength);
    }
    const byteLength = Math.max(Math.min(largest * 2, LARGEST_PAGE_BYTES), units * stride);
    const page: Page = {
      stride,
      byteLength: Math.ceil(byteLength / 4) * 4,
      allocator: new Suballocator(Math.floor(byteLength / stride)),
      buffer: this.#rhi.createBuffer({
        label: `geometry page, stride ${stride}`,
        byteLength: Math.ceil(byteLength / 4) * 4,
        usage: BufferUsage.vertex | BufferUsage.index | BufferUsage.storage | BufferUsage.copyTarget,
      }),
      allocations: 1,
    };
    let index = this.#pages.indexOf(undefined);
    if (index < 0) index = this.#pages.length;
    this.#pages[index] = page;
    return { page: index, offset: page.allocator.allocate(units, 1) ?? 0 };
  }

  /** Frees a range. A page that becomes empty is destroyed. */
  #releaseRange({ page: index, offset }: FreedRange): void {
    const page = this.#pageAt(index);
    page.allocator.free(offset);
    page.allocations--;
    if (page.allocations > 0) return;
    this.#rhi.destroy(page.buffer);
    this.#pages[index] = undefined;
  }

  #pageAt(index: number): Page {
    return this.#pages[index] as Page;
  }

  #reserve(length: number): void {
    if (length <= this.#exists.length) return;
    this.#exists = grow(this.#exists, length);
    const capacity = this.#exists.length;
    this.vertexFormat = grow(this.vertexFormat, capacity);
    this.topology = grow(this.topology, capacity);
    this.vertexCount = grow(this.vertexCount, capacity);
    this.indexCount = grow(this.indexCount, capacity);
    this.baseVertex = grow(this.baseVertex, capacity);
    this.firstIndex = grow(this.firstIndex, capacity);
    this.versions = grow(this.versions, capacity);
    this.bounds = grow(this.bounds, capacity * 6);
    this.page = growIds(this.page, capacity);
  }
}
