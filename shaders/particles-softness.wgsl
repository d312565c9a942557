// Fades particles in front of surfaces. Joined to particles-drawing.wgsl, and to:
//
//   sceneDepth     depth of the view's scene, where 1 is near and 0 is far
//   SAMPLES        samples of depth per pixel

// Returns the factor on alpha: the mean over the samples at which the particle is in front of the scene.
// @param position position of the fragment: pixel, and depth of the particle
// @param w last clip coordinate of the particle
fn shareInFront(position: vec4f, w: f32) -> f32 {
  // Perspective: depth = offset ÷ distance − scale. Orthographic: depth = offset − scale × distance.
  let scale = -dot(transpose(view.clipFromWorld)[2].xyz, view.cameraForward);
  var sum = 0.0;
  var count = 0.0;
  for (var sample = 0; sample < SAMPLES; sample++) {
    let depth = textureLoad(sceneDepth, vec2i(position.xy), sample);
    if depth >= position.z {
      continue;
    }
    // The offset cancels out of the distance between particle and surface.
    let divisor = max(scale + select(depth, 0.0, view.isOrthographic == 1u), 1e-12);
    let metres = w * (position.z - depth) / divisor;
    // No surface has a depth of 0.
    sum += select(clamp(metres / system.softness, 0.0, 1.0), 1.0, depth <= 0.0);
    count += 1.0;
  }
  return sum / max(count, 1.0);
}
