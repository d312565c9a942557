// Cuts holes into shadow maps where the page's shader discards the surface. Joined to mesh.wgsl, whose `view` is the
// light's, and to fading.wgsl.

@fragment
fn cutOutSurface(input: Varying, @builtin(front_facing) isFrontFacing: bool) {
  _ = appearanceOf(input, isFrontFacing);
  if isFadedOut(input.flags, input.clipPosition.xy) {
    discard;
  }
}
