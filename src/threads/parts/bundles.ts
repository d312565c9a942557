/** The part of the executor that encodes draw bundles, loaded with the first bundle. */
export { BundleEncoder } from '../../rhi/webgpu/bundle-encoder.js';
