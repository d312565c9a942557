/**
 * The part of the executor that few lists need: fences, texture clears, renaming, video frames, further surfaces, GPU times;
 * and the calls that give it surfaces.
 */
export { Seldom } from '../../rhi/webgpu/seldom.js';
export { createSurfaceCalls as createCalls } from '../rhi-worker/view-surfaces.js';
