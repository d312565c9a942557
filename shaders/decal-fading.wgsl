// Entry points of decal.wgsl for two levels of detail that fade into each other. Joined to decal.wgsl and fading.wgsl.
// A level shows the decal only in the pixels in which the level itself is drawn.

@fragment
fn shadeDecalFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return displayedDecal(input, isFrontFacing);
}

@fragment
fn shadeDecalInLayersFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> Layers {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return decalInLayers(input, isFrontFacing);
}
