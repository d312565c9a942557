// Returns the number of lights in the cluster of a pixel, for debug-view.wgsl. Joined to light-clusters.wgsl.
fn clusterLights(position: vec3f, pixel: vec2f) -> u32 {
  let cluster = clusterAt(position, pixel);
  return clusterWords[cluster + 1u] - clusterWords[cluster];
}
