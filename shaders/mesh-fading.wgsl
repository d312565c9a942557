// Entry points of mesh.wgsl for two levels of detail that fade into each other. Joined to mesh.wgsl and fading.wgsl.

@fragment
fn shadeMeshFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return blendSource(displayColor(foggedColor(shade(input, isFrontFacing))));
}

@fragment
fn shadeMeshInLayersFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> Layers {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return inLayers(shade(input, isFrontFacing));
}
