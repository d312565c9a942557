import type { StreamReader } from '../../core/stream.js';
import { PICK_BYTES, PICK_ROW_BYTES, pickRowBytes } from '../../proxy/picking.js';
import {
  type BufferHandle,
  BufferUsage,
  type RenderPassDescriptor,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { Renderer } from '../renderer.js';
import type { SceneViewState } from '../scene-view-state.js';
import { type Crop, createViewParameters, readLens, type ViewParameters } from '../view.js';
import { LayerFilter } from '../views/layer-filter.js';
import { PICK_DEPTH_FORMAT, PICK_FORMAT, PickPipelines } from './pick-pipelines.js';

/** What picking is made with, of the renderer it belongs to. */
export type PickingHost = Pick<Renderer, 'rhi' | 'scene' | 'sceneRenderer'>;

/** A view of one pixel, or of a rectangle. Picks of one frame have one each. */
interface PickView {
  readonly parameters: ViewParameters & { readonly crop: Crop };
  readonly filter: LayerFilter;
  readonly state: SceneViewState;
  request: number;
  columns: number;
  rows: number;
}

/** What picks of a size are drawn into. */
interface PickTargets {
  readonly textures: readonly TextureHandle[];
  readonly pass: RenderPassDescriptor;
  readonly buffer: BufferHandle;
}

/**
 * Which primitive is seen in a pixel: it is drawn once more, that pixel alone, with what it is instead of how it looks. Skins and
 * cut-outs count as they are seen; what the pixel can't show is culled.
 *
 *   pick ─► view of one pixel ─► cull ─► 1 × 1 targets: primitive, distance, texture coordinates │ normal ─► buffer ─► request
 *   rectangle ─► view of it ─► cull ─► targets of so many columns and rows: primitives ─► buffer ─► request
 */
export class Picking {
  readonly #host: PickingHost;
  readonly #pipelines: PickPipelines;
  readonly #views: PickView[] = [];
  /** How many of them this frame has. */
  #count = 0;
  /** Of one pixel, for good; those of a rectangle go with its frame. */
  #targets: PickTargets | undefined;

  constructor(host: PickingHost) {
    this.#host = host;
    this.#pipelines = new PickPipelines(host.rhi, host.scene, host.sceneRenderer.layout);
  }

  /** Whether the next frame picks: it must skip no draw then. */
  get isPending(): boolean {
    return this.#count > 0;
  }

  /** Executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const view = this.#viewAt(this.#count++);
    const { parameters } = view;
    const { crop } = parameters;
    view.request = words[at] as number;
    view.filter.layers = words[at + 1] as number;
    view.columns = words[at + 2] as number;
    view.rows = words[at + 3] as number;
    const width = floats[at + 4] as number;
    const height = floats[at + 5] as number;
    crop.x = floats[at + 6] as number;
    crop.y = floats[at + 7] as number;
    crop.width = floats[at + 8] as number;
    crop.height = floats[at + 9] as number;
    view.state.aspect = width / height;
    view.state.view.setViewport(width * crop.width, height * crop.height);
    readLens(reader, at + 10, parameters);
  }

  /** Per frame, outside passes. @param isDrawn whether anything was prepared to be drawn: without it nothing is there */
  record(isDrawn: boolean): void {
    if (this.#count === 0) return;
    const { rhi, scene } = this.#host;
    for (let index = 0; index < this.#count; index++) {
      const { parameters, state, filter, request, columns, rows } = this.#views[index] as PickView;
      const isPixel = columns * rows === 1;
      if (isPixel) this.#targets ??= this.#makeTargets(1, 1);
      const targets = (isPixel && this.#targets) || this.#makeTargets(columns, rows);
      const canLook = isDrawn && scene.canLookFrom(parameters);
      if (canLook) {
        state.cull(this.#candidates(filter.select(scene)));
        state.prepare(scene.lights.count);
        scene.gpuScene.upload(rhi);
      }
      rhi.beginRenderPass(targets.pass);
      if (canLook) state.meshes.record();
      rhi.endRenderPass();
      const bytesPerRow = pickRowBytes(columns);
      // Of a rectangle, only which primitives are there.
      for (let target = 0; target < (isPixel ? 2 : 1); target++) {
        const region = { width: columns, height: rows, byteOffset: target * PICK_ROW_BYTES, bytesPerRow };
        rhi.copyTextureToBuffer(targets.textures[target] as TextureHandle, targets.buffer, region);
      }
      rhi.readBuffer(request, targets.buffer, 0, isPixel ? PICK_BYTES : bytesPerRow * rows);
      if (!isPixel) this.#destroy(targets);
    }
    this.#count = 0;
  }

  /** Of two levels of detail that fade into each other, the finer one is seen. */
  #candidates(drawable: Uint32Array): Uint32Array {
    const { lods } = this.#host.scene;
    if (!lods?.hasPartners) return drawable;
    const bits = drawable.slice();
    lods.clearPartners(bits);
    return bits;
  }

  dispose(): void {
    for (const { state } of this.#views) state.dispose();
    this.#views.length = 0;
    this.#pipelines.dispose();
    if (this.#targets) this.#destroy(this.#targets);
    this.#targets = undefined;
  }

  #destroy({ textures, buffer }: PickTargets): void {
    const { rhi } = this.#host;
    for (const texture of textures) rhi.destroy(texture);
    rhi.destroy(buffer);
  }

  #viewAt(index: number): PickView {
    let view = this.#views[index];
    if (!view) {
      const crop = { x: 0, y: 0, width: 1, height: 1 };
      const parameters = { ...createViewParameters(), crop };
      const state = this.#host.sceneRenderer.createView(parameters, '', this.#pipelines);
      view = { parameters, filter: new LayerFilter(), state, request: 0, columns: 1, rows: 1 };
      this.#views[index] = view;
    }
    return view;
  }

  #makeTargets(width: number, height: number): PickTargets {
    const { rhi } = this.#host;
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    const [place, normal, depth] = [PICK_FORMAT, PICK_FORMAT, PICK_DEPTH_FORMAT].map((format) =>
      rhi.createTexture({ label: 'pick', width, height, format: format as GPUTextureFormat, usage }),
    ) as [TextureHandle, TextureHandle, TextureHandle];
    const buffer = rhi.createBuffer({
      label: 'pick',
      byteLength: Math.max(pickRowBytes(width) * height, PICK_BYTES),
      usage: BufferUsage.copyTarget | BufferUsage.copySource,
    });
    const clear = { loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] } as const;
    const pass: RenderPassDescriptor = {
      label: 'pick',
      colorAttachments: [place, normal].map((texture) => ({ view: { texture }, ...clear })),
      depthStencilAttachment: {
        view: { texture: depth },
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 0,
      },
    };
    return { textures: [place, normal, depth], pass, buffer };
  }
}
