import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import measureCode from '../../../shaders/edge-measure.wgsl?raw';
import code from '../../../shaders/fxaa.wgsl?raw';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import { PictureSmoothing } from './picture-smoothing.js';
import type { ToneMapPass } from './tone-map-pass.js';
import type { ViewPicture } from './view-picture.js';

const SHADER = { label: 'fxaa', code: `${coverCode}${measureCode}${code}` };

/** Smooths the edges of a view's finished picture in one pass (`shaders/fxaa.wgsl`). */
export class Fxaa extends PictureSmoothing {
  /** Distance in pixels from which the shader reads pixels: the sum of its steps along an edge, 23.5, rounded up. */
  static readonly reach = 24;

  constructor(picture: ViewPicture, toneMap: ToneMapPass, pipelines: ScreenPipelines) {
    super(picture, toneMap, pipelines, { shader: SHADER, entryPoint: 'smoothEdges' });
  }
}
