// Writes the indices of the edges of triangles, for the debug view of wireframes (src/render/geometry/edge-indices.ts).
// The structure EdgeSource is generated.

const WORKGROUP = 64u;
// Separates triangle strips.
const RESTART = 0xffffffffu;

// Vertices and indices of many geometries.
@group(0) @binding(0) var<storage, read> page: array<u32>;
@group(0) @binding(1) var<storage, read_write> edges: array<u32>;
@group(0) @binding(2) var<uniform> source: EdgeSource;

@compute @workgroup_size(WORKGROUP)
fn writeEdges(
  @builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u
) {
  for (var triangle = invocation.x; triangle < source.triangleCount; triangle += workgroups.x * WORKGROUP) {
    let first = triangle * select(3u, 1u, source.isStrip != 0u);
    var corners = vec3u(indexAt(first), indexAt(first + 1u), indexAt(first + 2u));
    if any(corners == vec3u(RESTART)) {
      corners = vec3u(0u);
    }
    let at = triangle * 6u;
    edges[at] = corners.x;
    edges[at + 1u] = corners.y;
    edges[at + 2u] = corners.y;
    edges[at + 3u] = corners.z;
    edges[at + 4u] = corners.z;
    edges[at + 5u] = corners.x;
  }
}

fn indexAt(place: u32) -> u32 {
  if source.isIndexed == 0u {
    return place;
  }
  return page[source.firstIndex + place];
}
