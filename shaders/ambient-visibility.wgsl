// Reads ambient occlusion in mesh.wgsl's surfaces (src/render/ambient-occlusion/). The texture holds the share of light
// from all around that arrives, and the distance of its surface along the direction of view.

@group(0) @binding(20) var ambientTexture: texture_2d<f32>;

// Share of the light from all around that reaches the pixel's surface.
var<private> ambientVisibility = 1.0;

// A pixel at the edge of a multisampled surface may hold the visibility of another surface behind it. Among 3 × 3
// pixels, the one whose distance is most similar is then read. If even that distance differs too much, the surface is
// not occluded. Blended surfaces are never occluded.
fn findAmbientVisibility(place: ShadedPlace) {
  if alphaMode == 2u {
    return;
  }
  let size = vec2i(textureDimensions(ambientTexture));
  let pixel = vec2i(place.pixel);
  let depth = dot(place.position - view.cameraPosition, view.cameraForward);
  var found = textureLoad(ambientTexture, clamp(pixel, vec2i(0), size - 1), 0).rg;
  // Tolerances of the distance: the size of a pixel in metres, and the rounding of half floats.
  let acrossRow = vec3f(view.clipFromWorld[0].x, view.clipFromWorld[1].x, view.clipFromWorld[2].x);
  let perPixel = 2.0 * select(abs(depth), 1.0, view.isOrthographic != 0u) / (length(acrossRow) * f32(size.x));
  let rounding = abs(depth) * 0.001;
  if abs(found.g - depth) > perPixel + rounding {
    for (var index = 0; index < 9; index++) {
      let neighbour = clamp(pixel + vec2i(index % 3, index / 3) - 1, vec2i(0), size - 1);
      let other = textureLoad(ambientTexture, neighbour, 0).rg;
      if abs(other.g - depth) < abs(found.g - depth) {
        found = other;
      }
    }
  }
  ambientVisibility = select(1.0, found.r, abs(found.g - depth) < 32.0 * perPixel + rounding);
}

// Returns the share of light from all around that reaches a matte surface. A bright surface is lit again by the light
// that its occluders scatter: the polynomial of Jimenez et al. 2016, "Practical Real-Time Strategies for Accurate
// Indirect Occlusion".
fn visibleAmbient(albedo: vec3f) -> vec3f {
  let share = vec3f(ambientVisibility);
  let cubic = 2.0404 * albedo - 0.3324;
  let square = -4.7951 * albedo + 0.6417;
  let linear = 2.7552 * albedo + 0.6903;
  return min(max(share, ((share * cubic + square) * share + linear) * share), vec3f(1.0));
}

// Returns the share of the reflection that is visible: Lagarde and de Rousiers 2014, "Moving Frostbite to Physically
// Based Rendering", listing 26.
fn visibleReflection(nDotV: f32, roughness: f32) -> f32 {
  let share = pow(max(nDotV + ambientVisibility, 1e-4), exp2(-16.0 * roughness - 1.0));
  return saturate(share - 1.0 + ambientVisibility);
}
