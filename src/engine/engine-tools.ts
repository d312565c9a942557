/**
 * Entry of `tools.js`: timeline and trace, the frame graph's description and view, fences shared with the page, render
 * modules. Few shipped pages use these, so the first call that needs one loads all of them as one file.
 */

export { RenderWork } from '../render-modules/page/render-work.js';
export { PageFences } from './fences/page-fences.js';
export { FrameGraphView } from './graph-view/frame-graph-view.js';
export { Timeline } from './timeline/timeline.js';
