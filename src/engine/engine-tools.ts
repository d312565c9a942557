/**
 * Entry of `tools.js`: the tools of an engine that few shipped pages use, loaded as one file by the first call that needs one.
 * Timeline and trace, the frame graph's description and view, fences shared with the page, render modules.
 */

export { RenderWork } from '../render-modules/page/render-work.js';
export { PageFences } from './fences/page-fences.js';
export { FrameGraphView } from './graph-view/frame-graph-view.js';
export { Timeline } from './timeline/timeline.js';
