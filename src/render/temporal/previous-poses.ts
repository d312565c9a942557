import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, PassBuilder } from '../../graph/graph-pass.js';
import { BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import type { StorageBuffer } from '../buffers/storage-buffer.js';
import type { Scene } from '../scene/scene.js';

/** Bytes of a row. Places in the buffer are counted in rows. */
const ROW_BYTES = 16;
const PRIMITIVE_BYTES = 64;

/**
 * Poses of a world in the last frame: copies of the buffers that place the vertices of all primitives. The GPU copies
 * them at the end of each frame in which a view needs motion, after all draws have read the former copies. A primitive
 * that no pass of the last frame has seen may have an older pose, because its transform was not uploaded.
 *
 *   │ header │ GPU scene │ palettes of joints │ morph records │      rows of 16 bytes; see `shaders/motion.wgsl`
 *
 * A header of zeros means that the poses of the last frame are unknown. Shaders then use the poses of this frame, so
 * primitives count as still.
 */
export class PreviousPoses implements GraphPass {
  readonly kind = 'copy';
  readonly name = 'poses for the next frame';
  readonly #buffer = new GrowingBuffer('previous poses', BufferUsage.storage | BufferUsage.copyTarget);
  /** Header of the poses that this frame copies. */
  readonly #header = new Uint32Array(4);
  /** Header that the buffer holds. */
  readonly #written = new Uint32Array(4);
  /** The buffers to copy, in the order of their copies. */
  readonly #all: StorageBuffer[] = [];
  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  /** Whether a view of this frame needs the poses. */
  #isUsed = false;
  /** Whether the last frame has copied its poses. From `addTo` on: whether this frame copies them. */
  #isKnown = false;

  constructor(rhi: ImmediateContext, scene: Scene) {
    this.#rhi = rhi;
    this.#scene = scene;
  }

  get handle() {
    return this.#buffer.handle;
  }

  get version(): number {
    return this.#buffer.version;
  }

  /**
   * Reserves the buffer, and clears its header if it holds no poses of the last frame. Called per frame and view that
   * needs the poses, outside passes, after the scene has been uploaded.
   */
  use(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    const header = this.#header;
    let rows = 1;
    const sources = this.#sources;
    for (let index = 0; index < sources.length; index++) {
      if (index > 0) header[index - 1] = rows;
      rows += (sources[index] as StorageBuffer).byteLength / ROW_BYTES;
    }
    header[2] = (sources[0] as StorageBuffer).byteLength / PRIMITIVE_BYTES;
    const isNew = this.#buffer.reserve(this.#rhi, rows * ROW_BYTES);
    if (isNew || !this.#isKnown) this.#write(NO_HEADER);
  }

  /**
   * Per frame, after the passes of all views: adds the pass if a view needs the poses. Captures do not call this
   * method, because they draw the poses of the last frame again.
   */
  addTo(graph: FrameGraph): void {
    if (this.#isUsed) graph.addPass(this);
    this.#isKnown = this.#isUsed;
  }

  /** Ends the use of the poses. Called at the end of each frame and of each list of a capture. */
  endList(): void {
    this.#isUsed = false;
  }

  setup(builder: PassBuilder): void {
    builder.keep();
  }

  execute(): void {
    const { handle } = this.#buffer;
    this.#write(this.#header);
    let row = 1;
    const sources = this.#sources;
    for (let index = 0; index < sources.length; index++) {
      const { handle: source, byteLength } = sources[index] as StorageBuffer;
      this.#rhi.copyBufferToBuffer(source, 0, handle, row * ROW_BYTES, byteLength);
      row += byteLength / ROW_BYTES;
    }
  }

  dispose(): void {
    this.#buffer.dispose(this.#rhi);
  }

  /** Writes the header, unless the buffer holds it already. */
  #write(header: Uint32Array): void {
    const written = this.#written;
    let isSame = this.#isKnown;
    for (let word = 0; word < 4; word++) isSame &&= header[word] === written[word];
    if (isSame) return;
    written.set(header);
    this.#rhi.writeBuffer(this.#buffer.handle, 0, header);
  }

  get #sources(): readonly StorageBuffer[] {
    const { deformers, gpuScene } = this.#scene;
    this.#all[0] = gpuScene.storage;
    if (deformers)
      for (let index = 0; index < 2; index++) this.#all[1 + index] = deformers.poses[index] as StorageBuffer;
    return this.#all;
  }
}

const NO_HEADER = new Uint32Array(4);
