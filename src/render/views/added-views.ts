import type { StreamReader } from '../../core/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { RenderPassDescriptor, TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CaptureReadback } from '../capture-readback.js';
import type { ImageTextures, TextureTarget } from '../image-textures.js';
import type { Scene } from '../scene.js';
import { describeOutputPass, type OutputSettings, type ToneMapPipelines } from '../tone-map-pass.js';
import { createViewParameters, readLens, type ViewParameters } from '../view.js';
import type { CreateViewOutput, ViewOutput } from '../view-output.js';
import { isCoveredBy, type ShareRectangle } from './cover.js';
import { LayerFilter } from './layer-filter.js';

/** Of render textures: how their tone mapping sees them. */
const TEXTURE_FORMAT = 'rgba8unorm-srgb';

/** What the views are made with, of the renderer they belong to. */
export interface AddedViewsHost {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly toneMaps: ToneMapPipelines;
  readonly createOutput: CreateViewOutput;
  /** Where the textures are that views draw into; there are none before the first. */
  images(): ImageTextures | undefined;
}

interface AddedView {
  readonly output: ViewOutput;
  readonly parameters: ViewParameters;
  readonly filter: LayerFilter;
  readonly rectangle: ShareRectangle;
  order: number;
  /** A texture's id; NO_ID: the surface. */
  texture: number;
  /** In this frame. */
  isDrawn: boolean;
  pass: RenderPassDescriptor | undefined;
  /** What the pass was described for. */
  handle: TextureHandle | undefined;
}

interface ReadRequest {
  readonly texture: number;
  readonly request: number;
}

/**
 * Views besides that of the active camera: in rectangles of the surface, over it, or in textures.
 *
 *   setAddedView ─► views, by order ─┬─ in textures: drawn first, so that what shows them is of the same frame
 *                                    └─ on the surface: over the active camera's, which is left out where they cover it
 */
export class AddedViews {
  /** Of this frame. */
  readonly onTextures: ViewOutput[] = [];
  readonly onSurface: ViewOutput[] = [];
  /** Whether they leave nothing of the surface to the active camera. */
  isSurfaceCovered = false;
  readonly #byId = new Map<number, AddedView>();
  /** In the order in which they are drawn. */
  #sorted: AddedView[] = [];
  readonly #requests: ReadRequest[] = [];
  readonly #readback: CaptureReadback;
  #isCoverStale = false;
  /** Red, green, blue, alpha that the passes of textures were described with. */
  readonly #background = [-1, -1, -1, -1];
  readonly #host: AddedViewsHost;

  constructor(host: AddedViewsHost) {
    this.#host = host;
    this.#readback = new CaptureReadback(host.rhi);
  }

  /** Executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { words, fields: at, opcode } = reader;
    const id = words[at] as number;
    if (opcode === RenderOpcode.setAddedView) this.#set(id, reader);
    else if (opcode === RenderOpcode.removeAddedView) this.#remove(id);
    else this.#requests.push({ texture: id, request: words[at + 1] as number });
  }

  /** Per frame, when textures were uploaded: which views are drawn, and where. */
  place(surfaceWidth: number, surfaceHeight: number): void {
    const { scene } = this.#host;
    this.onTextures.length = this.onSurface.length = 0;
    for (const view of this.#sorted) {
      const { output } = view;
      const isOnSurface = view.texture === NO_ID;
      const target = isOnSurface ? undefined : this.#targetOf(view);
      const width = isOnSurface ? surfaceWidth : (target?.width ?? 0);
      const height = isOnSurface ? surfaceHeight : (target?.height ?? 0);
      placeShare(output, view.rectangle, width, height);
      const isDrawn = scene.canLookFrom(view.parameters) && output.width > 0 && output.height > 0;
      if (isDrawn !== view.isDrawn) this.#isCoverStale = true;
      view.isDrawn = isDrawn;
      if (!isDrawn) continue;
      output.candidates = view.filter.select(scene);
      (isOnSurface ? this.onSurface : this.onTextures).push(output);
    }
    if (this.#isCoverStale) this.#findCover();
  }

  /** Per frame, outside passes. */
  prepare(settings: OutputSettings): void {
    const { images, toneMaps } = this.#host;
    if (this.onTextures.length === 0) return;
    const isSameBackground = this.#isSameBackground(settings);
    for (const view of this.#sorted) {
      if (!view.isDrawn || view.texture === NO_ID) continue;
      const handle = images()?.find(view.texture)?.handle as TextureHandle;
      if (handle === view.handle && isSameBackground) continue;
      view.handle = handle;
      view.pass = describeOutputPass(handle, TEXTURE_FORMAT, settings);
    }
    toneMaps.pipeline(TEXTURE_FORMAT);
  }

  /** Per frame, outside passes: the views in textures. @param recordScene draws a view's scene pass */
  recordTextures(recordScene: (output: ViewOutput) => void): void {
    const { rhi } = this.#host;
    for (const view of this.#sorted) {
      const { output, pass } = view;
      if (!pass || !view.isDrawn || view.texture === NO_ID) continue;
      recordScene(output);
      rhi.beginRenderPass(pass);
      output.recordPicture(TEXTURE_FORMAT);
      rhi.endRenderPass();
      const target = this.#targetOf(view);
      if (target) this.#host.images()?.drawMipmaps(target);
    }
    this.#answerRequests();
  }

  dispose(): void {
    for (const id of [...this.#byId.keys()]) this.#remove(id);
    this.#readback.dispose();
  }

  #findCover(): void {
    this.#isCoverStale = false;
    const shown = this.#sorted.filter(({ isDrawn, texture }) => isDrawn && texture === NO_ID);
    this.isSurfaceCovered = isCoveredBy(shown.map(({ rectangle }) => rectangle));
  }

  #isSameBackground({ red, green, blue, alpha }: OutputSettings): boolean {
    const background = this.#background;
    const isSame =
      background[0] === red && background[1] === green && background[2] === blue && background[3] === alpha;
    background[0] = red;
    background[1] = green;
    background[2] = blue;
    background[3] = alpha;
    return isSame;
  }

  #targetOf(view: AddedView): TextureTarget | null | undefined {
    return this.#host.images()?.find(view.texture)?.target;
  }

  /** A texture that is gone is answered with bytes of no meaning. */
  #answerRequests(): void {
    for (const { texture, request } of this.#requests) {
      const found = this.#host.images()?.find(texture);
      if (found?.handle !== undefined && found.target) {
        this.#readback.prepare(found.target.width, found.target.height);
        this.#readback.record(request, found.handle);
      } else this.#readback.recordEmpty(request);
    }
    this.#requests.length = 0;
  }

  #set(id: number, reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const view = this.#byId.get(id) ?? this.#create(id);
    const { rectangle, parameters } = view;
    view.order = words[at + 1] as number;
    view.filter.layers = words[at + 2] as number;
    view.texture = words[at + 3] as number;
    rectangle.x = floats[at + 4] as number;
    rectangle.y = floats[at + 5] as number;
    rectangle.width = floats[at + 6] as number;
    rectangle.height = floats[at + 7] as number;
    readLens(reader, at + 8, parameters);
    this.#sorted = [...this.#byId.values()].sort((a, b) => a.order - b.order);
    this.#isCoverStale = true;
  }

  #create(id: number): AddedView {
    const { createOutput, scene } = this.#host;
    const parameters = createViewParameters();
    const view: AddedView = {
      output: createOutput(parameters),
      parameters,
      filter: new LayerFilter(),
      rectangle: { x: 0, y: 0, width: 1, height: 1 },
      order: 0,
      texture: NO_ID,
      isDrawn: false,
      pass: undefined,
      handle: undefined,
    };
    this.#byId.set(id, view);
    scene.addedViews.push(parameters);
    return view;
  }

  #remove(id: number): void {
    const view = this.#byId.get(id);
    if (!view) return;
    const { addedViews } = this.#host.scene;
    addedViews.splice(addedViews.indexOf(view.parameters), 1);
    this.#byId.delete(id);
    this.#sorted.splice(this.#sorted.indexOf(view), 1);
    this.#isCoverStale = true;
    view.output.dispose();
  }
}

/** Edges fall on whole pixels, so that neighbours meet without a gap. */
function placeShare(output: ViewOutput, { x, y, width, height }: ShareRectangle, w: number, h: number): void {
  const left = Math.round(x * w);
  const top = Math.round(y * h);
  const right = Math.round((x + width) * w);
  const bottom = Math.round((y + height) * h);
  output.place(left, top, right - left, bottom - top, right - left !== w || bottom - top !== h);
}
