import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import measureCode from '../../../shaders/edge-measure.wgsl?raw';
import code from '../../../shaders/smaa.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import { PictureSmoothing } from './picture-smoothing.js';
import type { ToneMapPass } from './tone-map-pass.js';
import type { ViewPlace } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

const SHADER = { label: 'smaa', code: `${coverCode}${measureCode}${code}` };

/**
 * Smooths the edges of a view's finished picture by their shapes (`shaders/smaa.wgsl`).
 *
 *   mapped picture ─► edges ─► shares ─┐
 *   mapped picture ────────────────────┴─► last pass
 */
export class Smaa extends PictureSmoothing {
  /** Distance in pixels from which a pixel depends on others: an edge is followed by 24, and starts 3 away. */
  static readonly reach = 27;
  readonly #edges: ScreenTexture;
  readonly #shares: ScreenTexture;
  readonly #findEdges: ScreenPass;
  readonly #findShares: ScreenPass;

  constructor(picture: ViewPicture, toneMap: ToneMapPass, pipelines: ScreenPipelines) {
    const shares: ScreenTexture = { version: undefined };
    super(picture, toneMap, pipelines, { shader: SHADER, entryPoint: 'blendShares', second: shares });
    const edges: ScreenTexture = { version: undefined };
    const pass = (entryPoint: string, name: string, source: ScreenTexture, target: ScreenTexture) =>
      new ScreenPass(picture.world.rhi, pipelines, {
        shader: SHADER,
        entryPoint,
        name: `${name}${picture.state.suffix}`,
        source: { of: source },
        target: { of: target },
      });
    this.#edges = edges;
    this.#shares = shares;
    this.#findEdges = pass('findEdges', 'edges of the picture', this.mapped.texture, edges);
    this.#findShares = pass('findShares', 'shares of neighbours', edges, shares);
  }

  override prepare(place: ViewPlace, isTranslucent: boolean): void {
    super.prepare(place, isTranslucent);
    this.#findEdges.constants = this.constants;
    this.#edges.version = this.#shares.version = undefined;
    const { width, height } = place;
    const before = this.#edges.descriptor;
    if (before?.width === width && before.height === height) return;
    this.#edges.descriptor = { name: this.#findEdges.name, width, height, format: 'rg8unorm' };
    this.#shares.descriptor = { name: this.#findShares.name, width, height, format: 'rgba8unorm' };
  }

  override addPasses(graph: FrameGraph): void {
    super.addPasses(graph);
    graph.addPass(this.#findEdges);
    graph.addPass(this.#findShares);
  }

  override dispose(): void {
    super.dispose();
    this.#findEdges.dispose();
    this.#findShares.dispose();
  }
}
