/** The part of the executor that few lists need: fences, texture clears, renaming, video frames, GPU times. */
export { Seldom } from '../../rhi/webgpu/seldom.js';
