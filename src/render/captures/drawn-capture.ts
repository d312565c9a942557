import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTextureDescriptor } from '../../graph/graph-pass.js';
import type { CaptureTile } from '../../proxy/capture-tiles.js';
import { NO_ID } from '../../proxy/commands.js';
import { type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { EffectsFeature } from '../effects/effects.js';
import type { AddedViews } from '../picture/added-views.js';
import { PicturePass } from '../picture/picture-pass.js';
import type { ShownWorld } from '../picture/shown-world.js';
import type { SurfacePicture } from '../picture/surface-picture.js';
import type { ViewInfo } from '../picture/view-info.js';
import type { ViewPicture } from '../picture/view-picture.js';
import type { ViewLook } from '../views/view-look.js';
import { CapturedView, type CaptureFrame, type CaptureSource } from './captured-view.js';
import { type CaptureRequest, RunningCapture } from './running-capture.js';
import { SampleSums } from './sample-sums.js';

/** A world, as captures draw it. */
interface CapturedWorld extends ShownWorld {
  readonly mainView: ViewPicture;
  beginCapture(frame: number): void;
  prepare(timeSeconds: number, isRedrawn: boolean): void;
  addPasses(graph: FrameGraph): void;
  endCapture(): void;
}

/** Parts of the renderer that captures need. */
export interface CapturesHost {
  readonly rhi: ImmediateContext;
  readonly graph: FrameGraph;
  readonly worlds: readonly CapturedWorld[];
  /** The world whose active camera the surface shows. */
  readonly shownWorld: CapturedWorld;
  readonly surface: SurfacePicture;
  readonly features: {
    readonly effects: EffectsFeature | undefined;
    readonly passes: { addToFrame(graph: FrameGraph, isRepeated: boolean): void } | undefined;
    readonly views: AddedViews | undefined;
  };
  readonly frameMemory: { free(): void };
  /** Look of all views that have no look of their own. */
  readonly look: ViewLook;
  resolveLook(picture: ViewPicture): void;
}

/** Format in which passes write the finished picture of a tile, and format in which the average reads it. */
const PICTURE_FORMAT = 'rgba8unorm-srgb';
const TEXTURE_FORMAT = 'rgba8unorm';
/** Number of samples if the request names none, and a view of the picture is smoothed over time. */
const SMOOTHED_SAMPLES = 16;

/** A capture whose command lists are being recorded, with its resources. */
export class DrawnCapture {
  readonly #host: CapturesHost;
  readonly #capture: RunningCapture;
  readonly #captured: readonly CapturedView[];
  readonly #isOneView: boolean;
  /** Views of the list. */
  readonly #views: ViewInfo[] = [];
  readonly #pass = new PicturePass('tone mapping, capture', this.#views, PICTURE_FORMAT);
  readonly #sums: SampleSums;
  #texture: TextureHandle | undefined;
  #descriptor: GraphTextureDescriptor = { name: 'capture', width: 0, height: 0, format: TEXTURE_FORMAT };

  constructor(
    host: CapturesHost,
    request: CaptureRequest,
    sources: readonly CaptureSource[],
    shownHeight: number,
  ) {
    this.#host = host;
    const isSmoothed = sources.some(({ picture }) => picture.isSmoothedOverTime);
    const samples = request.samples || (isSmoothed ? SMOOTHED_SAMPLES : 1);
    this.#capture = new RunningCapture({ ...request, samples }, shownHeight);
    this.#captured = sources.map((source, index) => new CapturedView(source, `, capture ${index + 1}`));
    this.#isOneView = request.view !== NO_ID;
    this.#sums = new SampleSums(host.rhi, this.#capture.tiles[0] as CaptureTile, samples);
  }

  get isDone(): boolean {
    return this.#capture.isDone;
  }

  /** Records the next command list. */
  record(frame: number, timeSeconds: number): void {
    const host = this.#host;
    const { worlds, graph, features } = host;
    const capture = this.#capture;
    const views = this.#views;
    for (const world of worlds) world.beginCapture(frame);
    const drawn = capture.frame(this.#reach);
    const haveTargetsChanged = this.#prepare(frame, timeSeconds, drawn);
    for (const world of worlds) world.prepare(timeSeconds, true);
    const { look } = this.#isOneView ? (this.#captured[0] as CapturedView).picture.state : host;
    this.#pass.prepareViews(look);

    graph.begin(frame);
    for (const world of worlds) world.addPasses(graph);
    features.passes?.addToFrame(graph, true);
    for (const view of views) view.addPasses(graph);
    if (!capture.isOverview) this.#addPicture(drawn, look);
    graph.prepare();
    graph.execute();
    if (!capture.isOverview && capture.isLastSample) this.#sums.answer(capture.tileRequest, capture.tile);
    capture.advance();
    for (const world of worlds) world.endCapture();
    views.length = 0;
    host.frameMemory.free();
    if (haveTargetsChanged) graph.purge();
  }

  /** @param frame number of the frame; undefined if the renderer is disposed of */
  dispose(frame?: number): void {
    const { rhi, graph } = this.#host;
    if (frame !== undefined) {
      // A frame without passes makes the graph give up all textures of the capture.
      graph.begin(frame);
      graph.prepare();
      graph.execute();
      graph.purge();
    }
    for (const captured of this.#captured) captured.dispose();
    this.#sums.dispose();
    rhi.destroy(this.#texture);
  }

  /** Distance in pixels from which effects and smoothing read pixels. */
  get #reach(): number {
    const { width, height } = this.#capture.request;
    let reach = 0;
    for (const { picture } of this.#captured) {
      reach = Math.max(reach, picture.reach(Math.max(width, height)));
    }
    return reach;
  }

  /**
   * Outside passes: finds the views of the list, resolves their looks, and prepares their effects.
   * @returns whether targets have changed
   */
  #prepare(frame: number, timeSeconds: number, drawn: CaptureFrame): boolean {
    const host = this.#host;
    const { effects } = host.features;
    const views = this.#views;
    for (const captured of this.#captured) {
      host.resolveLook(captured.picture);
      const view = captured.aim(drawn);
      if (view) views.push(view);
    }
    effects?.prepare(frame, timeSeconds, views);
    // Looks are resolved again, because effects decide which targets they need.
    if (effects) for (const { picture } of views) host.resolveLook(picture);
    let haveTargetsChanged = false;
    for (const view of views) if (view.begin()) haveTargetsChanged = true;
    return haveTargetsChanged;
  }

  /** Adds the passes that finish the picture and add it to the average. */
  #addPicture({ target }: CaptureFrame, look: ViewLook): void {
    const { graph } = this.#host;
    const capture = this.#capture;
    const pass = this.#pass;
    const texture = this.#textureOf(target);
    pass.target = graph.importTexture(this.#descriptor, texture);
    graph.addPass(pass);
    const { tile, sample } = capture;
    const isLight = look.hdr && !look.isTranslucent;
    this.#sums.add(graph, pass.target, tile, tile.x - target.x, tile.y - target.y, sample, isLight);
  }

  /** Returns the texture for the finished picture. Creates it again if the size has changed. */
  #textureOf({ width, height }: CaptureFrame['target']): TextureHandle {
    const { rhi } = this.#host;
    const { name, width: oldWidth, height: oldHeight } = this.#descriptor;
    if (this.#texture !== undefined && width === oldWidth && height === oldHeight) return this.#texture;
    rhi.destroy(this.#texture);
    this.#descriptor = { name, width, height, format: TEXTURE_FORMAT };
    this.#texture = rhi.createTexture({
      label: name,
      width,
      height,
      format: TEXTURE_FORMAT,
      usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
      viewFormats: [PICTURE_FORMAT],
    });
    return this.#texture;
  }
}
