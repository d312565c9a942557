// Lets particles bounce off the surfaces in the depth of the last frame. Joined to particles-simulation.wgsl.
//
//   camera ─────────── surface ├── thickness ──┤       a particle in this part returns to the surface
//
// The surface at a pixel is the plane through it and its neighbours, so a particle between the middles of pixels bounces
// at the right place.

// 1 is near, and 0 is far.
@group(1) @binding(0) var lastDepth: texture_2d<f32>;

fn bounced(particle: Particle) -> Particle {
  let clip = system.clipFromAnchor * vec4f(particle.position, 1.0);
  if clip.w <= 0.0 {
    return particle;
  }
  let place = clip.xyz / clip.w;
  let size = vec2i(textureDimensions(lastDepth));
  let pixel = vec2i(floor((place.xy * vec2f(0.5, -0.5) + 0.5) * vec2f(size)));
  // The normal needs the four pixels around.
  if !all(abs(place.xy) < vec2f(1.0)) || any(pixel < vec2i(1)) || any(pixel > size - 2) {
    return particle;
  }
  let depth = textureLoad(lastDepth, pixel, 0).r;
  if depth <= place.z {
    return particle;
  }
  // Perspective: depth = offset ÷ distance − scale. Orthographic: depth = offset − scale × distance.
  let divisor = max(system.depthScale + select(depth, 0.0, system.isOrthographic == 1u), 1e-12);
  if clip.w * (depth - place.z) / divisor > system.thickness {
    return particle;
  }
  let surface = positionAt(pixel, depth, size);
  let right = difference(pixel, vec2i(1, 0), depth, surface, size);
  let up = difference(pixel, vec2i(0, -1), depth, surface, size);
  // The normal points to the camera.
  let normal = normalizeOrZero(cross(normalizeOrZero(right), normalizeOrZero(up)));
  return returned(particle, normal, dot(surface - particle.position, normal));
}

// Returns the way from a pixel's surface to that of the next pixel. It follows the side on which depth changes less, so
// it does not cross the edges of things.
fn difference(pixel: vec2i, step: vec2i, depth: f32, surface: vec3f, size: vec2i) -> vec3f {
  let next = textureLoad(lastDepth, pixel + step, 0).r;
  let last = textureLoad(lastDepth, pixel - step, 0).r;
  if abs(next - depth) < abs(depth - last) {
    return positionAt(pixel + step, next, size) - surface;
  }
  return surface - positionAt(pixel - step, last, size);
}

// Returns a position relative to the anchor.
fn positionAt(pixel: vec2i, depth: f32, size: vec2i) -> vec3f {
  let place = ((vec2f(pixel) + 0.5) / vec2f(size) * 2.0 - 1.0) * vec2f(1.0, -1.0);
  let position = system.anchorFromClip * vec4f(place, depth, 1.0);
  return position.xyz / position.w;
}

fn normalizeOrZero(vector: vec3f) -> vec3f {
  return vector / max(length(vector), 1e-20);
}
