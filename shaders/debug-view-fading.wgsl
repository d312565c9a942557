// Entry point of debug-view.wgsl for two levels of detail that fade into each other. Joined to debug-view.wgsl and
// fading.wgsl.

@fragment
fn showDebugViewFading(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
  return vec4f(debugColor(input, isFrontFacing), 1.0);
}
