// Entry point of surfaces.wgsl for two levels of detail that fade into each other. Joined to surfaces.wgsl and
// mesh-fading.wgsl.

@fragment
fn writeSurfaceFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WrittenSurface {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return writtenSurface(input, isFrontFacing);
}
