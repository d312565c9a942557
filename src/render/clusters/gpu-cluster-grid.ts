import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** How a view is cut into clusters. */
export const CLUSTER_COLUMNS = 16;
export const CLUSTER_ROWS = 9;
export const CLUSTER_SLICES = 24;
export const CLUSTER_COUNT = /* @__PURE__ */ CLUSTER_COLUMNS * CLUSTER_ROWS * CLUSTER_SLICES;

/** Where a place of a view finds its cluster (`shaders/light-clusters.wgsl`). */
export const GpuClusterGrid = /* @__PURE__ */ defineGpuStruct('ClusterGrid', {
  /** Columns and rows per pixel. */
  tilesPerPixel: 'vec2f',
  /** A slice is depth (orthographic) or its logarithm to base 2, times the scale plus the offset. */
  sliceScale: 'f32',
  sliceOffset: 'f32',
  /** Index of its first cluster among the words. */
  firstCluster: 'u32',
});
