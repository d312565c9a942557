/**
 * Renaming gives a buffer's handle other, zeroed memory of the same size (SYSTEMS M1). So a write of new contents need
 * not wait for the draws that read the old contents. A draw uses the memory that the handle had when the draw was
 * recorded.
 *
 *   draw b → memory 1 │ renameBuffer b │ draw b → memory 2          memory 1: released with this list, then pooled
 *
 * Renaming sets the vertex buffers, the index buffer and the bind groups of the open pass again if they use
 * the buffer. Other bind groups with the buffer are created again when they are next set. Steady renaming
 * creates no buffers, because memory circulates: b → release queue → pool → b.
 *
 * Rules of the pool:
 * 1. Memory enters the pool when the last list that may use it has completed. Only memory that this class created
 *    enters the pool. A buffer's first memory is destroyed instead, because its out-of-memory error may arrive after
 *    the renaming.
 * 2. Memory leaves the pool zeroed. If memory that is not zeroed is taken, one submission clears all such memory in the
 *    pool. The submission precedes all commands that can use the memory again.
 * 3. Memory is not pooled if it can't be cleared, because it lacks the usage `copyTarget` or its size is not a multiple
 *    of 4. Memory with the usage `mapRead` or `mapWrite` is not pooled either. Each renaming of such a buffer creates
 *    new memory.
 *
 * `writeBufferUnordered` may go straight to the queue, because the queue keeps writes and submissions in
 * order. The write runs after all submissions so far, which include the clear of rule 2 and all earlier draws
 * that use the memory. It runs before the submission that is being recorded. That is safe, because no command
 * recorded before the renaming uses the new memory. Pooled memory comes from completed lists only.
 */
import { RhiError } from '../../../core/errors.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { inErrorScope } from '../device/in-error-scope.js';
import { INDEX_SLOT, KEPT_OFFSETS } from '../passes/pass-encoder.js';
import type { WebGpuBackend } from '../webgpu-backend.js';
import type { BindGroupResource, BufferResource } from './gpu-resources.js';

/**
 * Number of frames between two checks of the pool. Unused memory is destroyed after one to two such periods.
 */
const IDLE_FRAMES = 64;
const MAPPED = BufferUsage.mapRead | BufferUsage.mapWrite;

/** The bind groups that contain a certain buffer. */
interface Users {
  groups: BindGroupResource[];
  /** Length of `groups` at which destroyed groups are removed: twice the number of live groups, at least 16. */
  pruneAt: number;
}

/** The pooled memory of one size and usage. */
interface Shelf {
  readonly free: Memory[];
  /** Minimum length of `free` since the last check of the pool. This many pieces of memory were not needed. */
  idle: number;
}

/** A buffer that this class created, as memory for handles. */
interface Memory {
  readonly buffer: GPUBuffer;
  isZeroed: boolean;
  /** Whether the GPU had no memory for the buffer. */
  isRefused: boolean;
  /** The object for the release queue, whose `destroy` puts the memory into the pool. */
  readonly gpu: { destroy(): void };
}

export class Renaming {
  readonly #backend: WebGpuBackend;
  readonly #shelves = new Map<string, Shelf>();
  /** Memory objects, by their buffers. */
  readonly #memories = new WeakMap<GPUBuffer, Memory>();
  /** Users of the buffers that were renamed at least once. */
  readonly #users = new WeakMap<BufferResource, Users>();
  #hasRenamed = false;
  #isDisposed = false;
  #frames = 0;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
  }

  /** Destroys memory that was not needed since the last check of the pool. Called per frame. */
  frameSubmitted(): void {
    if (++this.#frames % IDLE_FRAMES !== 0) return;
    for (const [key, shelf] of this.#shelves) {
      for (const { buffer } of shelf.free.splice(0, shelf.idle)) this.#destroy(buffer);
      shelf.idle = shelf.free.length;
      if (shelf.idle === 0) this.#shelves.delete(key);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const { free } of this.#shelves.values()) for (const { buffer } of free) this.#destroy(buffer);
    this.#shelves.clear();
  }

  /** Gives the buffer other memory. @throws RhiError `stale-handle` */
  rename(handle: number): void {
    const { resources, host, pass } = this.#backend;
    const resource = resources.buffers.get(handle);
    const old = resource.gpu;
    // The buffer has failed, so it has no memory to replace. The failure was reported.
    if (old === null) return;
    resource.gpu = this.#take(resource, old);
    resource.whyStale = null;
    host.release(this.#memories.get(old) ?? { gpu: old });
    this.#invalidateGroups(resource);
    if (pass.isOpen) this.#setAgain(handle, resource.gpu);
  }

  /** Adds a new bind group to the users of its buffers, as far as these buffers have been renamed before. */
  noteUses(group: BindGroupResource): void {
    if (!this.#hasRenamed) return;
    const { resources } = this.#backend;
    const { buffers, bindGroups } = resources;
    for (const entry of resources.bindGroupDescriptor(group).entries) {
      const buffer = 'buffer' in entry ? buffers.find(entry.buffer) : undefined;
      const users = buffer && this.#users.get(buffer);
      if (users === undefined) continue;
      if (users.groups.length >= users.pruneAt) {
        users.groups = users.groups.filter((other) => bindGroups.find(other.handle) === other);
        users.pruneAt = Math.max(16, users.groups.length * 2);
      }
      users.groups.push(group);
    }
  }

  /** Returns zeroed memory of the same size and usage, from the pool or new. */
  #take(resource: BufferResource, { size, usage }: GPUBuffer): GPUBuffer {
    const shelf = this.#shelves.get(`${size} ${usage}`);
    const pooled = shelf?.free.pop();
    if (shelf === undefined || pooled === undefined) return this.#create(resource, size, usage);
    shelf.idle = Math.min(shelf.idle, shelf.free.length);
    if (!pooled.isZeroed) this.#zero(pooled);
    pooled.isZeroed = false;
    return pooled.buffer;
  }

  #create(resource: BufferResource, size: number, usage: number): GPUBuffer {
    const { device, resources } = this.#backend;
    const { label } = resource;
    const create = (): GPUBuffer => resources.memory.createBuffer({ label, size, usage });
    const buffer = inErrorScope(device, 'out-of-memory', create, (error, refused) => {
      if (refused === undefined) return;
      memory.isRefused = true;
      resources.memory.forget(refused);
      if (resource.gpu === refused) {
        resource.gpu = null;
        this.#invalidateGroups(resource);
      }
      this.#backend.host.report(
        new RhiError(
          'out-of-memory',
          `The buffer "${label}" could not be renamed: ${error.message} Commands that use it are left out.`,
          { cause: error },
        ),
      );
    });
    const gpu = { destroy: () => this.#pool(memory) };
    const memory: Memory = { buffer, isZeroed: false, isRefused: false, gpu };
    this.#memories.set(buffer, memory);
    return buffer;
  }

  /** Puts memory whose last list has completed into the pool, or destroys it. */
  #pool(memory: Memory): void {
    const { buffer } = memory;
    const { size, usage } = buffer;
    const isUseful = (usage & BufferUsage.copyTarget) !== 0 && (usage & MAPPED) === 0 && size % 4 === 0;
    if (!isUseful || memory.isRefused || this.#isDisposed) {
      this.#destroy(buffer);
      return;
    }
    const key = `${size} ${usage}`;
    let shelf = this.#shelves.get(key);
    if (shelf === undefined) {
      shelf = { free: [], idle: 0 };
      this.#shelves.set(key, shelf);
    }
    shelf.free.push(memory);
  }

  #destroy(buffer: GPUBuffer): void {
    this.#backend.resources.memory.destroy(buffer);
  }

  /** Clears this memory and all unzeroed memory in the pool, in a submission of its own. */
  #zero({ buffer: first }: Memory): void {
    const { device } = this.#backend;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(first);
    for (const { free } of this.#shelves.values()) {
      for (const memory of free) {
        if (!memory.isZeroed) encoder.clearBuffer(memory.buffer);
        memory.isZeroed = true;
      }
    }
    device.queue.submit([encoder.finish()]);
  }

  /** Sets the vertex buffers, the index buffer and the bind groups of the open pass again if they use the buffer. */
  #setAgain(handle: number, gpu: GPUBuffer): void {
    const { pass, resources } = this.#backend;
    const { encoder, render } = pass;
    for (let index = 0; index < pass.groups.length; index++) {
      const group = resources.bindGroups.find(pass.groups[index] as number);
      if (!group?.isOutdated) continue;
      const renewed = resources.bindGroupOf(group);
      const count = pass.offsetCounts[index] as number;
      if (renewed === null || count > KEPT_OFFSETS) pass.forgetBindGroup(index);
      else encoder?.setBindGroup(index, renewed, pass.offsets, index * KEPT_OFFSETS, count);
    }
    for (let slot = 0; slot < pass.buffers.length; slot++) {
      if (pass.buffers[slot] !== handle) continue;
      const [byteOffset, byteLength] = [pass.bufferOffsets[slot], pass.bufferLengths[slot]];
      if (slot === INDEX_SLOT) render?.setIndexBuffer(gpu, pass.indexFormat, byteOffset, byteLength);
      else render?.setVertexBuffer(slot, gpu, byteOffset, byteLength);
    }
  }

  /** Marks the bind groups with this buffer as outdated. Each is created again when it is next set. */
  #invalidateGroups(resource: BufferResource): void {
    this.#backend.resources.epoch++;
    for (const group of this.#usersOf(resource).groups) {
      if (group.gpu === null) continue;
      group.gpu = null;
      group.isOutdated = true;
    }
  }

  /** Returns the bind groups with this buffer. The first call for a buffer searches all groups. */
  #usersOf(resource: BufferResource): Users {
    let users = this.#users.get(resource);
    if (users === undefined) {
      users = { groups: [], pruneAt: 16 };
      this.#users.set(resource, users);
      this.#hasRenamed = true;
      for (const group of this.#backend.resources.bindGroups.values()) {
        const { entries } = this.#backend.resources.bindGroupDescriptor(group);
        const names = entries.some((entry) => 'buffer' in entry && entry.buffer === resource.handle);
        if (names) users.groups.push(group);
      }
    }
    return users;
  }
}
