import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';
import { type Crop, createViewParameters, readLens, type ViewParameters } from '../scene/view-parameters.js';
import type { DrawnView } from '../views/drawn-view.js';
import { LayerFilter } from '../views/layer-filter.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { type Pick as OnePick, PickPasses } from './pick-passes.js';
import { PickPipelines } from './pick-pipelines.js';
import { destroyPickTargets, makePickTargets, type PickTargets } from './pick-targets.js';

/** Parts of the world that picking uses. */
interface PickingHost {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly layout: FrameLayout;
  createView(parameters: ViewParameters, suffix: string, policy: PassPolicy): SceneViewState;
}

/** A view of one pixel, or of a rectangle. Each pick of a frame has a view. */
interface PickView extends OnePick {
  readonly parameters: ViewParameters & { readonly crop: Crop };
  readonly filter: LayerFilter;
}

/**
 * Finds the primitive that is visible in a pixel, or all that are visible in a rectangle. The pixels are drawn
 * again, with the identity of primitives instead of their colours. Skins and cut-outs count as in the picture.
 * Primitives outside the pixels are culled. Each pick is two passes of the frame graph (`pick-passes.ts`).
 *
 *   pick ─► view of one pixel ─► cull ─► 1 × 1 targets: primitive, distance, texture coordinates │ normal ─► buffer ─► request
 *   rectangle ─► view of it ─► cull ─► targets of its columns and rows: primitives ─► buffer ─► request
 */
export class Picking {
  readonly #host: PickingHost;
  readonly #pipelines: PickPipelines;
  readonly #views: PickView[] = [];
  /** Passes of each view. */
  readonly #passes: PickPasses[] = [];
  /** Number of picks in this frame. */
  #count = 0;
  /** Targets for picks of one pixel, which are kept. Targets of a rectangle are destroyed in the frame of its pick. */
  #targets: PickTargets | undefined;

  constructor(host: PickingHost) {
    this.#host = host;
    this.#pipelines = new PickPipelines(host.rhi, host.scene, host.layout);
  }

  /** Whether the next frame has a pick. That frame must not skip a draw. */
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
    view.filter.layers = ((words[at + 1] as number) & parameters.layers) >>> 0;
  }

  /**
   * Per frame, after all views have been prepared: adds the passes of all picks.
   * @param views views that draw the scene in this frame; if there are none, picks hit nothing
   */
  addPasses(graph: FrameGraph, views: readonly DrawnView[]): void {
    const { rhi, scene } = this.#host;
    for (let index = 0; index < this.#count; index++) {
      const view = this.#views[index] as PickView;
      const { parameters, filter, columns, rows } = view;
      const isPixel = columns * rows === 1;
      if (isPixel) this.#targets ??= makePickTargets(rhi, 1, 1);
      view.targets = (isPixel && this.#targets) || makePickTargets(rhi, columns, rows);
      view.canLook = views.length > 0 && scene.canLookFrom(parameters);
      view.state.view.setTime(views[0]?.state.view.packed[GpuView.at.timeSeconds] ?? 0);
      if (view.canLook) view.candidates = this.#candidates(filter.select(scene));
      this.#passes[index]?.addTo(graph);
    }
    this.#count = 0;
  }

  /**
   * Returns the primitives that can be hit: all but those with `PrimitiveFlag.notPicked`. While two levels of detail
   * fade into each other, only the finer level can be hit.
   */
  #candidates(drawable: Uint32Array): Uint32Array {
    const { lods, primitives } = this.#host.scene;
    const hasPartners = lods?.hasPartners ?? false;
    if (!hasPartners && !primitives.hasUnpicked) return drawable;
    const bits = drawable.slice();
    if (hasPartners) lods?.clearPartners(bits);
    if (primitives.hasUnpicked) {
      for (let word = 0; word < bits.length; word++) {
        bits[word] = (bits[word] as number) & ~(primitives.unpickedBits[word] as number);
      }
    }
    return bits;
  }

  dispose(): void {
    for (const { state } of this.#views) state.dispose();
    this.#views.length = 0;
    this.#pipelines.dispose();
    if (this.#targets) destroyPickTargets(this.#host.rhi, this.#targets);
    this.#targets = undefined;
  }

  /** Destroys the targets of a rectangle, which last for one frame. */
  #release({ targets }: PickView): void {
    if (targets && targets !== this.#targets) destroyPickTargets(this.#host.rhi, targets);
  }

  #viewAt(index: number): PickView {
    let view = this.#views[index];
    if (!view) {
      const crop = { x: 0, y: 0, width: 1, height: 1 };
      const parameters = { ...createViewParameters(), crop };
      const state = this.#host.createView(parameters, '', this.#pipelines);
      const made: PickView = {
        scene: this.#host.scene,
        parameters,
        filter: new LayerFilter(),
        state,
        request: 0,
        columns: 1,
        rows: 1,
        targets: undefined,
        canLook: false,
        candidates: new Uint32Array(0),
      };
      this.#passes[index] = new PickPasses(made, index > 0 ? ` ${index + 1}` : '', () => this.#release(made));
      view = made;
      this.#views[index] = view;
    }
    return view;
  }
}
