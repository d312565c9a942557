// Entry points of mesh-weighted.wgsl for two levels of detail that fade into each other. Joined to mesh-weighted.wgsl
// and fading.wgsl.

@fragment
fn shadeWeightedFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WeightedSurface {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return weightedSurface(input, isFrontFacing);
}

@fragment
fn shadeWeightedInLayersFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WeightedLayers {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return weightedLayers(input, isFrontFacing);
}
