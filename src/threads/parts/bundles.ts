/** The part for draw bundles, loaded before the first: what records them, and what executes them. */
export { recordBundle } from '../../rhi/record/draw-bundle.js';
export { Bundles } from '../../rhi/webgpu/bundles.js';
