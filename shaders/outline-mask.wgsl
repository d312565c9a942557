// Marks the samples of outlined surfaces (src/render/outline/). Joined to mesh.wgsl.

@fragment
fn markSurface(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) f32 {
  // Discards the pixel where the material is cut out.
  _ = appearanceOf(input, isFrontFacing);
  return 1.0;
}
