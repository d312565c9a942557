// Finds the lights that may reach a part of a view (src/render/clusters/). The parts are called clusters: columns and
// rows of the picture, cut by slices of depth.

@group(0) @binding(16) var<storage, read> clusterGrids: array<ClusterGrid>;
// Words of each view: the beginning of each cluster's list, the end of the last list, and then the lists of indices of
// `lights`.
@group(0) @binding(17) var<storage, read> clusterWords: array<u32>;

// Returns the light that the surface reflects to the viewer from lights with a limited range. `pixel` is a pixel of the
// view's picture.
fn clusteredLight(surface: Surface, position: vec3f, pixel: vec2f) -> vec3f {
  let cluster = clusterAt(position, pixel);
  let end = clusterWords[cluster + 1u];
  var light = vec3f(0.0);
  for (var at = clusterWords[cluster]; at < end; at++) {
    light += lightFrom(clusterWords[at], surface, position);
  }
  return light;
}

fn clusterAt(position: vec3f, pixel: vec2f) -> u32 {
  let grid = clusterGrids[view.index];
  let tile = min(vec2u(pixel * grid.tilesPerPixel), CLUSTER_TILES - 1u);
  let depth = dot(position - view.cameraPosition, view.cameraForward);
  let scaled = select(log2(max(depth, 1e-30)), depth, view.isOrthographic != 0u);
  let slice = u32(clamp(scaled * grid.sliceScale + grid.sliceOffset, 0.0, f32(CLUSTER_SLICES - 1u)));
  return grid.firstCluster + (slice * CLUSTER_TILES.y + tile.y) * CLUSTER_TILES.x + tile.x;
}
