import { GraphError } from '../../core/errors.js';
import { ResourceField } from '../../graph/declarations.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, PassBuilder } from '../../graph/graph-pass.js';
import { Projection } from '../../proxy/commands.js';
import type { PicturePass } from '../../render/picture/picture-pass.js';
import { SCENE_DEPTH_FORMAT } from '../../render/pipelines/pipeline-cache.js';
import type { Scene } from '../../render/scene/scene.js';
import type { SceneViewState } from '../../render/views/scene-view-state.js';
import type { PassPicture, PassView } from '../render-graph-api.js';
import type { RenderFrame } from '../render-module-api.js';

/** Largest offset of a picture, in pixels. A larger one would visibly move the picture. */
const MOST_JITTER = 1;

/** The frame that is being recorded. The object stays the same for all frames. */
class FrameTarget implements RenderFrame {
  readonly #frame: RenderFrame;

  constructor(frame: RenderFrame) {
    this.#frame = frame;
  }

  get frame(): number {
    return this.#frame.frame;
  }
  get deltaSeconds(): number {
    return this.#frame.deltaSeconds;
  }
  get timeSeconds(): number {
    return this.#frame.timeSeconds;
  }
}

/** The view that passes of modules receive. */
export class ViewTarget extends FrameTarget implements PassView {
  /** The colour format for which the passes of this view were created. */
  passFormat: GPUTextureFormat | undefined;
  readonly depthFormat = SCENE_DEPTH_FORMAT;
  readonly #graph: FrameGraph;
  readonly #scene: Scene;
  readonly #state: SceneViewState;
  /** The last colour that a pass assigned. */
  #assigned: GraphTexture | undefined;

  constructor(frame: RenderFrame, graph: FrameGraph, scene: Scene, state: SceneViewState) {
    super(frame);
    this.#graph = graph;
    this.#scene = scene;
    this.#state = state;
  }

  /** Suffix that distinguishes resource names of this view from those of other views. */
  get suffix(): string {
    return this.#state.suffix;
  }

  get width(): number {
    return this.#state.targets.width;
  }
  get height(): number {
    return this.#state.targets.height;
  }
  get colorFormat(): GPUTextureFormat {
    return this.#state.targets.colorFormat;
  }
  get sampleCount(): 1 | 4 {
    return this.#state.targets.sampleCount;
  }
  get depth(): GraphTexture {
    return this.#state.targets.depth;
  }
  get near(): number {
    return this.#state.parameters.near;
  }
  get far(): number {
    return this.#state.parameters.far;
  }
  get isOrthographic(): boolean {
    return this.#state.parameters.projection === Projection.orthographic;
  }

  get color(): GraphTexture {
    return this.#state.targets.color;
  }
  set color(texture: GraphTexture) {
    this.#checkColor(texture);
    this.#assigned = texture;
    this.#state.targets.color = texture;
  }

  clipFromWorld(out = new Float32Array(16)): Float32Array<ArrayBuffer> {
    out.set(this.#state.history.clipFromWorld);
    return out;
  }

  previousClipFromWorld(out = new Float32Array(16)): Float32Array<ArrayBuffer> {
    out.set(this.#state.history.previousClipFromWorld);
    return out;
  }

  get jitter(): readonly [x: number, y: number] {
    const [x = 0, y = 0] = this.#state.history.jitter;
    return [x, y];
  }

  jitterNext(x: number, y: number): void {
    if (!(Math.abs(x) <= MOST_JITTER && Math.abs(y) <= MOST_JITTER)) {
      throw new GraphError(
        'graph-jitter-refused',
        `jitterNext was given ${x} and ${y}. Each has to be an offset of the picture in pixels, from -${MOST_JITTER} to ${MOST_JITTER}.`,
      );
    }
    this.#state.history.moveNext(this.#state.parameters, x, y, this.width, this.height);
  }

  cameraPosition(out = new Float32Array(3)): Float32Array<ArrayBuffer> {
    const { position } = this.#state.view;
    const { renderOrigin } = this.#scene;
    for (let axis = 0; axis < 3; axis++) {
      out[axis] = (position[axis] as number) + (renderOrigin[axis] as number);
    }
    return out;
  }

  attachScene(builder: PassBuilder): void {
    // Resolving the samples overwrites the whole colour, which would silently drop the result of an earlier pass.
    if (this.sampleCount > 1 && this.color === this.#assigned) {
      throw new GraphError(
        'graph-scene-resolved',
        `An earlier pass has assigned view.color, so nothing can be drawn into the scene's ${this.sampleCount} samples per pixel any more. Add the passes that call attachScene before those that assign view.color, or set antialias: 1.`,
      );
    }
    const { targets, renderer } = this.#state;
    if (renderer) renderer.attachScene(builder);
    else targets.attachColor(builder);
  }

  /** Checks that tone mapping can read the texture pixel by pixel. */
  #checkColor(texture: number): void {
    const { resources } = this.#graph.setup;
    const resource = resources.handles.find(texture);
    const field = (index: number): number => resources.field(resource, index);
    const isUsable =
      resource >= 0 &&
      field(ResourceField.isTexture) === 1 &&
      (resources.version[resource] as number) > 0 &&
      field(ResourceField.width) === this.width &&
      field(ResourceField.height) === this.height &&
      field(ResourceField.sampleCount) === 1 &&
      /float|unorm/.test(resources.format(resource));
    if (isUsable) return;
    const name = resource < 0 ? String(texture) : `"${resources.name(resource)}"`;
    throw new GraphError(
      'graph-color-refused',
      `${name} can't be the colour of a view. It must be a texture of this frame that a pass has written, with ${this.width} × ${this.height} texels, one sample per texel, and a float or unorm format.`,
    );
  }
}

/** The picture on the surface, which passes of modules receive. */
export class PictureTarget extends FrameTarget implements PassPicture {
  /** The picture of this frame. */
  picture!: PicturePass;
  width = 0;
  height = 0;

  get format(): GPUTextureFormat {
    return this.picture.format;
  }

  attach(builder: PassBuilder): void {
    const { picture } = this;
    picture.target = builder.color(picture.target, { viewFormat: picture.format });
  }
}
