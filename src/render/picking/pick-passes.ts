import type { FrameGraph, ImportOptions } from '../../graph/frame-graph.js';
import type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import { PICK_BYTES, PICK_ROW_BYTES, pickRowBytes } from '../../proxy/picking.js';
import type { Scene } from '../scene/scene.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { PickTargets } from './pick-targets.js';

const SCRATCH: ImportOptions = { hasContents: false, isResult: false };
const ANSWER: ImportOptions = { hasContents: false };
const CLEARED = { clear: [0, 0, 0, 0] } as const;
const CLEARED_DEPTH = { clear: 0 };

/** One pick of a frame. */
export interface Pick {
  readonly scene: Scene;
  readonly state: SceneViewState;
  request: number;
  columns: number;
  rows: number;
  targets: PickTargets | undefined;
  /** Whether the view can draw anything. */
  canLook: boolean;
  /** Primitives that the pick may hit, one bit each. */
  candidates: Uint32Array;
}

/** A pick in the graph. One pass draws into the pick's targets, and another pass reads them back. */
export class PickPasses {
  readonly #draw: DrawPick;
  readonly #read: ReadPick;

  /**
   * @param suffix distinguishes the names of passes of several picks in one frame
   * @param release is called after the copy of the targets
   */
  constructor(pick: Pick, suffix: string, release: () => void) {
    this.#draw = new DrawPick(pick, `pick${suffix}`);
    this.#read = new ReadPick(pick, `pick${suffix}, read back`, this.#draw, release);
  }

  /** Adds the passes. Called per frame with a pick, after the pick's targets have been created. */
  addTo(graph: FrameGraph): void {
    this.#draw.importTo(graph);
    graph.addPass(this.#draw);
    this.#read.importTo(graph);
    graph.addPass(this.#read);
  }
}

class DrawPick implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** The newest versions in this frame: places (primitive, distance, texture coordinates), normals, depth. */
  readonly textures: GraphTexture[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  readonly #pick: Pick;

  constructor(pick: Pick, name: string) {
    this.#pick = pick;
    this.name = name;
  }

  importTo(graph: FrameGraph): void {
    const { targets, columns, rows } = this.#pick;
    const [first] = this.#descriptors;
    if (first?.width !== columns || first.height !== rows) {
      this.#descriptors = (targets?.formats ?? []).map((format, index) => ({
        name: `${this.name}: ${NAMES[index]}`,
        width: columns,
        height: rows,
        format,
      }));
    }
    targets?.textures.forEach((texture, index) => {
      const descriptor = this.#descriptors[index] as GraphTextureDescriptor;
      this.textures[index] = graph.importTexture(descriptor, texture, SCRATCH);
    });
  }

  setup(builder: PassBuilder): void {
    const { textures } = this;
    this.#pick.state.declareReads(builder);
    for (let index = 0; index < 2; index++) {
      textures[index] = builder.color(textures[index] as GraphTexture, CLEARED);
    }
    textures[2] = builder.depth(textures[2] as GraphTexture, CLEARED_DEPTH);
  }

  prepare(context: PassContext): void {
    const { scene, state, canLook, candidates } = this.#pick;
    if (!canLook) return;
    state.cull(candidates);
    // Primitives that no other view sees have not been uploaded yet.
    scene.gpuScene.upload(context.rhi);
    // Picking needs no lights.
    state.prepare(0);
    state.bind(context);
  }

  execute(context: PassContext): void {
    if (this.#pick.canLook) this.#pick.state.record(context);
  }
}

const NAMES = ['places', 'normals', 'depth'] as const;

class ReadPick implements GraphPass {
  readonly kind = 'copy';
  /** Later passes of the frame don't wait for the copy. */
  readonly queue = 'copy';
  readonly name: string;
  #buffer!: GraphBuffer;
  #descriptor: GraphBufferDescriptor = { name: '', byteLength: 0 };
  readonly #pick: Pick;
  readonly #drawn: DrawPick;
  readonly #release: () => void;

  /** @param release is called after everything has been copied, when the targets may be destroyed */
  constructor(pick: Pick, name: string, drawn: DrawPick, release: () => void) {
    this.#pick = pick;
    this.name = name;
    this.#drawn = drawn;
    this.#release = release;
  }

  importTo(graph: FrameGraph): void {
    const { buffer, byteLength } = this.#pick.targets as PickTargets;
    if (this.#descriptor.byteLength !== byteLength) this.#descriptor = { name: this.name, byteLength };
    this.#buffer = graph.importBuffer(this.#descriptor, buffer, ANSWER);
  }

  setup(builder: PassBuilder): void {
    for (let index = 0; index < this.#copied; index++) {
      builder.read(this.#drawn.textures[index] as GraphTexture, 'copy-source');
    }
    builder.write(this.#buffer, 'copy-target');
  }

  execute(context: PassContext): void {
    const { request, columns, rows } = this.#pick;
    const { rhi } = context;
    const buffer = context.buffer(this.#buffer);
    const bytesPerRow = pickRowBytes(columns);
    for (let index = 0; index < this.#copied; index++) {
      const texture = context.texture(this.#drawn.textures[index] as GraphTexture);
      const region = { width: columns, height: rows, byteOffset: index * PICK_ROW_BYTES, bytesPerRow };
      rhi.copyTextureToBuffer(texture, buffer, region);
    }
    rhi.readBuffer(request, buffer, 0, columns * rows === 1 ? PICK_BYTES : bytesPerRow * rows);
    this.#release();
  }

  /**
   * Number of textures that are copied. A pick of a rectangle needs only the first texture, which identifies
   * primitives.
   */
  get #copied(): number {
    return this.#pick.columns * this.#pick.rows === 1 ? 2 : 1;
  }
}
