import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { NO_ID, RenderOpcode, ViewSetting } from '../../proxy/commands.js';
import type { EffectsFeature } from '../effects/effects.js';
import type { MaterialTable } from '../materials/material-table.js';
import { createViewParameters, readLens, type ViewParameters } from '../scene/view-parameters.js';
import type { ImageTextures, TextureTarget } from '../textures/image-textures.js';
import { isCoveredBy, type ShareRectangle } from '../views/cover.js';
import {
  createOwnLook,
  type LookSettings,
  type OwnLook,
  readOwnLook,
  type ViewLook,
} from '../views/view-look.js';
import { type CanvasHost, CanvasPicture } from './canvas-picture.js';
import { CaptureReadback } from './capture-readback.js';
import type { PicturePass } from './picture-pass.js';
import type { ShownWorld } from './shown-world.js';
import type { SurfacePicture } from './surface-picture.js';
import { TexturePicture } from './texture-picture.js';
import { MOST_SLOTS, writeFigures } from './view-figures.js';
import { fitScale, type ViewInfo, type ViewPlace } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

/** Parts of the renderer that added views need. */
interface AddedViewsHost extends CanvasHost {
  readonly features: { readonly effects: EffectsFeature | undefined };
  readonly materials: MaterialTable;
  readonly surface: SurfacePicture;
  /** The world whose active camera the surface shows. */
  readonly shownWorld: { readonly mainView: ViewPicture };
}

/** A view besides the active camera's. */
export interface AddedView {
  readonly picture: ViewPicture;
  readonly parameters: ViewParameters;
  readonly ownLook: OwnLook;
  readonly rectangle: ShareRectangle;
  order: number;
  /** Id of the texture to draw into; NO_ID: the surface. */
  texture: number;
  /** Number of the canvas to draw to; 0: none. */
  canvas: number;
  /** Whether the view had a translucent background in the last frame. */
  wasOverlay: boolean;
}

interface ReadRequest {
  readonly texture: number;
  /** Number of a canvas to read instead of the texture; 0: none. */
  readonly canvas: number;
  readonly request: number;
}

/**
 * Views besides the active camera's view. They are drawn in rectangles on the surface, in textures or on
 * other canvases.
 *
 *   setAddedView ─► views, by order ─┬─ in textures: drawn first, so that materials show them in the same frame
 *                                    ├─ on other canvases: each is drawn and ended before the next one is acquired
 *                                    └─ on the surface: over the active camera's view, omitted if they cover it
 */
export class AddedViews {
  /** Views of this frame in textures and on other canvases. */
  readonly elsewhere: ViewInfo[] = [];
  /** Views of this frame on the surface. */
  readonly onSurface: ViewInfo[] = [];
  /**
   * Whether the views on the surface cover it completely, so that the active camera's view is not visible.
   */
  isSurfaceCovered = false;
  readonly #byId = new Map<number, AddedView>();
  /** Views in drawing order. */
  #sorted: AddedView[] = [];
  readonly #pictureByTexture = new Map<number, TexturePicture>();
  /** Pictures of this frame, in drawing order. */
  readonly #pictures: TexturePicture[] = [];
  readonly #canvases = new Map<number, CanvasPicture>();
  readonly #requests: ReadRequest[] = [];
  readonly #readback: CaptureReadback;
  #isCoverStale = false;
  readonly #host: AddedViewsHost;

  constructor(host: AddedViewsHost) {
    this.#host = host;
    this.#readback = new CaptureReadback(host.rhi);
  }

  /** The textures that views draw into; undefined before the first texture exists. */
  get #images(): ImageTextures | undefined {
    return this.#host.materials.textures?.images;
  }

  /** Executes the reader's current record. @param world world of the view's camera */
  execute(reader: StreamReader, world: ShownWorld): void {
    const { words, fields: at, opcode } = reader;
    const id = words[at] as number;
    if (opcode === RenderOpcode.setAddedView) this.#set(id, reader, world);
    else if (opcode === RenderOpcode.removeAddedView) {
      this.#remove(id);
      this.#host.features.effects?.forget(id);
    } else if (opcode === RenderOpcode.setCanvas) this.#setCanvas(id, reader);
    else
      this.#requests.push({ texture: id, canvas: words[at + 1] as number, request: words[at + 2] as number });
  }

  /** Per frame, after textures have been uploaded: decides which views are drawn, and where. */
  place(surfaceWidth: number, surfaceHeight: number, pixelRatio: number): void {
    const { largestSize } = this.#host;
    for (const view of this.#sorted) {
      const { picture, canvas } = view;
      const isOnSurface = canvas === 0 && view.texture === NO_ID;
      const target = canvas ? this.#canvases.get(canvas) : isOnSurface ? undefined : this.#targetOf(view);
      const width = isOnSurface ? surfaceWidth : (target?.width ?? 0);
      const height = isOnSurface ? surfaceHeight : (target?.height ?? 0);
      const ratio = isOnSurface ? pixelRatio : canvas ? (this.#canvases.get(canvas)?.pixelRatio ?? 1) : 1;
      const scale = isOnSurface || canvas ? fitScale(picture.state.look, width, height, largestSize) : 1;
      const place = placeShare(view.rectangle, width, height, ratio, scale);
      const { scene, frameScene } = picture.world;
      const isDrawn = scene.canLookFrom(view.parameters) && place.width > 0 && place.height > 0;
      const { isOverlay } = picture.state.look;
      if (isDrawn !== picture.isDrawn || isOverlay !== view.wasOverlay) this.#isCoverStale = true;
      view.wasOverlay = isOverlay;
      picture.isDrawn = isDrawn;
      if (!isDrawn) continue;
      const info = frameScene.createView(picture, place, picture.filter.select(scene));
      if (isOnSurface) this.onSurface.push(info);
      else {
        this.elsewhere.push(info);
        if (canvas) this.#canvases.get(canvas)?.views.push(info);
        else this.#addToPicture(view.texture, info);
      }
    }
    if (this.#isCoverStale) this.#findCover();
  }

  /** The views on the surface that can be drawn, in drawing order. */
  get onSurfaceNow(): readonly AddedView[] {
    return this.#sorted.filter(
      ({ picture, texture, canvas, parameters }) =>
        texture === NO_ID && canvas === 0 && picture.world.scene.canLookFrom(parameters),
    );
  }

  find(id: number): AddedView | undefined {
    return this.#byId.get(id);
  }

  /** Returns the height of the view on its canvas or texture, in CSS pixels or texels; 0 if it has no pixels. */
  heightOf(view: AddedView): number {
    const { canvas, texture, rectangle } = view;
    if (canvas === 0 && texture !== NO_ID) return rectangle.height * (this.#targetOf(view)?.height ?? 0);
    const { height = 0, pixelRatio = 1 } = (canvas ? this.#canvases.get(canvas) : this.#host.surface) ?? {};
    return (rectangle.height * height) / pixelRatio;
  }

  /** Drops the views of the frame. */
  endFrame(): void {
    this.elsewhere.length = this.onSurface.length = 0;
    for (const { views } of this.#pictures) views.length = 0;
    for (const { views } of this.#canvases.values()) views.length = 0;
    this.#pictures.length = 0;
  }

  /** Per command list: resolves the looks of all views. @param common settings of all views */
  resolveLooks(common: LookSettings, hasUnmapped: boolean): void {
    for (const { picture } of this.#sorted) picture.resolveLook(common, hasUnmapped);
  }

  /** Per frame: stores the current looks. The next frame compares its looks with them. */
  endChanges(): void {
    for (const { picture } of this.#sorted) picture.state.look.endChange();
  }

  /** Returns whether a view that can be drawn needs other pipelines. @param common look of all views */
  isRestyled(common: ViewLook): boolean {
    for (const { picture, parameters } of this.#sorted) {
      if (picture.world.scene.canLookFrom(parameters) && picture.state.look.isRestyled(common)) return true;
    }
    return false;
  }

  /** Whether the page is visible through a canvas besides the engine's own. */
  get hasTranslucentCanvas(): boolean {
    for (const { ownLook, canvas } of this.#sorted) {
      if (canvas !== 0 && isTranslucent(ownLook)) return true;
    }
    return false;
  }

  /** Per frame, outside passes: prepares pictures and read-backs. */
  prepare(): void {
    this.#passRequestsToCanvases();
    for (const { picture, views } of this.#pictures) preparePicture(picture, views);
    for (const canvas of this.#canvases.values()) {
      preparePicture(canvas.picture, canvas.views);
      canvas.prepareReads();
    }
  }

  /** Per frame: adds the views in textures and on other canvases. */
  addPasses(graph: FrameGraph): void {
    const images = this.#images;
    if (images) for (const picture of this.#pictures) picture.addPasses(graph, images);
    for (const canvas of this.#canvases.values()) if (canvas.views.length > 0) canvas.addPasses(graph);
  }

  /**
   * Per recorded command list: writes counts per view, see `view-figures.ts`.
   * @returns the number of slots
   */
  writeFigures(block: Uint32Array): number {
    block.fill(0);
    writeFigures(block, 0, this.#host.shownWorld.mainView);
    let slots = 1;
    for (const [id, { picture }] of this.#byId) {
      writeFigures(block, id + 1, picture);
      slots = Math.max(slots, id + 2);
    }
    return Math.min(slots, MOST_SLOTS);
  }

  /**
   * Reads requested textures back. Called per frame, outside passes, after views have been drawn. A request is
   * answered with meaningless bytes unless its texture exists and views draw into it.
   */
  answerRequests(): void {
    for (const { texture, request } of this.#requests) {
      const found = this.#images?.find(texture);
      if (found?.handle !== undefined && found.target) {
        this.#readback.prepare(found.target.width, found.target.height);
        this.#readback.copy(found.handle);
        this.#readback.answer(request);
      } else this.#readback.recordEmpty(request);
    }
    this.#requests.length = 0;
  }

  dispose(): void {
    for (const id of [...this.#byId.keys()]) this.#remove(id);
    for (const canvas of this.#canvases.values()) canvas.dispose();
    this.#readback.dispose();
  }

  #findCover(): void {
    this.#isCoverStale = false;
    const shown = this.#sorted.filter(
      ({ picture, texture, canvas }) =>
        picture.isDrawn && texture === NO_ID && canvas === 0 && !picture.state.look.isOverlay,
    );
    this.isSurfaceCovered = isCoveredBy(shown.map(({ rectangle }) => rectangle));
  }

  #addToPicture(texture: number, view: ViewInfo): void {
    const picture = this.#pictureByTexture.get(texture) ?? new TexturePicture(texture);
    this.#pictureByTexture.set(texture, picture);
    if (picture.views.length === 0) this.#pictures.push(picture);
    picture.views.push(view);
  }

  #targetOf(view: AddedView): TextureTarget | null | undefined {
    return this.#images?.find(view.texture)?.target;
  }

  #set(id: number, reader: StreamReader, world: ShownWorld): void {
    const { words, floats, fields: at } = reader;
    // A view's lasting state belongs to its world, so a view that changes its world is created again.
    if (this.#byId.get(id)?.picture.world !== world) this.#remove(id);
    const view = this.#byId.get(id) ?? this.#create(id, world);
    const { rectangle, parameters } = view;
    view.order = words[at + 1] as number;
    view.texture = words[at + 3] as number;
    view.canvas = words[at + 4] as number;
    rectangle.x = floats[at + 5] as number;
    rectangle.y = floats[at + 6] as number;
    rectangle.width = floats[at + 7] as number;
    rectangle.height = floats[at + 8] as number;
    readOwnLook(reader, at + 9, view.ownLook);
    readLens(reader, at + 20, parameters);
    view.picture.showLayers(((words[at + 2] as number) & parameters.layers) >>> 0);
    this.#sorted = [...this.#byId.values()].sort((a, b) => a.order - b.order);
    this.#isCoverStale = true;
  }

  /**
   * Moves read requests to their canvases, for this frame. Requests for canvases that do not exist stay in the list,
   * and are answered like requests for missing textures.
   */
  #passRequestsToCanvases(): void {
    const requests = this.#requests;
    let kept = 0;
    for (const request of requests) {
      const canvas = this.#canvases.get(request.canvas);
      if (canvas) canvas.requests.push(request.request);
      else requests[kept++] = request;
    }
    requests.length = kept;
  }

  #setCanvas(id: number, { words, floats, fields: at }: StreamReader): void {
    const pixelRatio = floats[at + 3] as number;
    let canvas = this.#canvases.get(id);
    if (pixelRatio > 0) {
      canvas ??= new CanvasPicture(this.#host, id);
      this.#canvases.set(id, canvas);
      canvas.resize(words[at + 1] as number, words[at + 2] as number, pixelRatio);
    } else {
      this.#canvases.delete(id);
      canvas?.dispose();
    }
  }

  #create(id: number, world: ShownWorld): AddedView {
    const parameters = createViewParameters();
    const picture = world.createPicture(parameters, `, view ${id + 1}`, id);
    const ownLook = createOwnLook();
    picture.ownLook = ownLook;
    const view: AddedView = {
      picture,
      parameters,
      ownLook,
      rectangle: { x: 0, y: 0, width: 1, height: 1 },
      order: 0,
      texture: NO_ID,
      canvas: 0,
      wasOverlay: false,
    };
    this.#byId.set(id, view);
    world.scene.addedViews.push(parameters);
    return view;
  }

  #remove(id: number): void {
    const view = this.#byId.get(id);
    if (!view) return;
    const { addedViews } = view.picture.world.scene;
    addedViews.splice(addedViews.indexOf(view.parameters), 1);
    this.#byId.delete(id);
    this.#pictureByTexture.clear();
    this.#sorted.splice(this.#sorted.indexOf(view), 1);
    this.#isCoverStale = true;
    view.picture.dispose();
  }
}

/** Whether the view's own background is translucent. */
const isTranslucent = ({ own, alpha }: OwnLook): boolean => (own & ViewSetting.background) !== 0 && alpha < 1;

/**
 * Prepares a picture that is not on the engine's canvas. The look of its first view decides how the rest of the target
 * is filled.
 */
function preparePicture(picture: PicturePass, [first]: readonly ViewInfo[]): void {
  if (first) picture.prepareViews(first.state.look);
}

/**
 * Returns the place of a rectangle in a target of `w` × `h` pixels. Edges are rounded to whole pixels, so that
 * neighbours meet without a gap.
 */
export function placeShare(
  { x, y, width, height }: ShareRectangle,
  w: number,
  h: number,
  pixelRatio: number,
  scale: number,
): ViewPlace {
  const left = Math.round(x * w);
  const top = Math.round(y * h);
  const right = Math.round((x + width) * w);
  const bottom = Math.round((y + height) * h);
  const isPart = right - left !== w || bottom - top !== h;
  return { x: left, y: top, width: right - left, height: bottom - top, isPart, pixelRatio, scale };
}
