/** A pipeline against the pass it is set in: formats, sample count, what is read-only. Per pipeline and kind of pass. */
import { type GraphicsPipelineModel, nameOf } from './models.js';
import type { ValidationState } from './state.js';

/** The pipeline was made for the attachments of the open pass. */
export function fitsPass(state: ValidationState, pipeline: GraphicsPipelineModel): boolean {
  const { pass, passName } = state;
  const name = nameOf(pipeline);
  const [given, needed] = [pipeline.colorFormats, pass.colorFormats];
  const isSame =
    given.length === needed.length && given.every((format, i) => isSameFormat(format, needed[i]));
  if (!isSame) {
    const formats = { given: listFormats(given), needed: listFormats(needed) };
    return state.report('pipeline-color-formats', { pipeline: name, pass: passName, ...formats });
  }
  if (pipeline.depthFormat !== pass.depthFormat) {
    const formats = { given: pipeline.depthFormat || 'none', needed: pass.depthFormat || 'none' };
    return state.report('pipeline-depth-format', { pipeline: name, pass: passName, ...formats });
  }
  if (pipeline.samples !== pass.samples) {
    const samples = { given: pipeline.samples, needed: pass.samples };
    return state.report('pipeline-sample-count', { pipeline: name, pass: passName, ...samples });
  }
  const writesDepth = pipeline.writesDepth && pass.isDepthReadOnly;
  if (!writesDepth && !(pipeline.writesStencil && pass.isStencilReadOnly)) return true;
  const aspect = writesDepth ? 'depth' : 'stencil';
  return state.report('pipeline-writes-read-only', { pipeline: name, aspect, pass: passName });
}

/** `?`: the surface's format, which was not told. */
const isSameFormat = (a: string, b: string): boolean => a === b || b === '?';

const listFormats = (formats: readonly string[]): string =>
  formats.map((format) => format || 'nothing').join(', ') || 'no colour';
