import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** The number of clusters that a view is cut into, by axis. */
export const CLUSTER_COLUMNS = 16;
export const CLUSTER_ROWS = 9;
export const CLUSTER_SLICES = 24;
export const CLUSTER_COUNT = /* @__PURE__ */ CLUSTER_COLUMNS * CLUSTER_ROWS * CLUSTER_SLICES;

/** Parameters by which a shader finds the cluster of a point in a view (`shaders/light-clusters.wgsl`). */
export const GpuClusterGrid = /* @__PURE__ */ defineGpuStruct('ClusterGrid', {
  /** Columns and rows per pixel. */
  tilesPerPixel: 'vec2f',
  /** Slice = depth × scale + offset. In perspective, the depth's logarithm to base 2 replaces the depth. */
  sliceScale: 'f32',
  sliceOffset: 'f32',
  /** Index in `clusterWords` of the word of the grid's first cluster. */
  firstCluster: 'u32',
});
