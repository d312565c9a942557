// Returns the index of the shadow cascade that holds a place, or WITHOUT_CASCADE. The first directional light with
// shadows counts. For debug-view.wgsl. Joined to shadows.wgsl.
fn cascadeAt(place: ShadedPlace) -> u32 {
  for (var light = 0u; light < view.shadowedLightCount; light++) {
    if lights[light].kind != LIGHT_DIRECTIONAL {
      continue;
    }
    let count = lights[light].shadowViews >> 16u;
    let first = (lights[light].shadowViews & 0xffffu) + view.index * count;
    for (var cascade = 0u; cascade < count; cascade++) {
      let flat = placeInMap(first + cascade, place.position);
      let inside = shadowViews[first + cascade].inside;
      if flat.depth > 0.0 && all(flat.uv > inside.xy) && all(flat.uv < inside.zw) {
        return cascade;
      }
    }
    return WITHOUT_CASCADE;
  }
  return WITHOUT_CASCADE;
}
