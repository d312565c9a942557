// Draws the shadow on a shadow catcher (src/render/shadow-catchers/catcher-pass.ts). Joined to the structures View and
// ShadowCatcher, and to the function `fogShare`. It returns the share of the shadow at a position that is visible
// through the fog.

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<uniform> catcher: ShadowCatcher;
@group(1) @binding(1) var shades: texture_2d<f32>;
@group(1) @binding(2) var linearSampler: sampler;

struct Varying {
  @builtin(position) clipPosition: vec4f,
  // Place on the ground, from −1 to 1 along its X and Z axes.
  @location(0) place: vec2f,
  @location(1) position: vec3f,
}

@vertex
fn placeGround(@builtin(vertex_index) vertex: u32) -> Varying {
  // Corners of two triangles, counter-clockwise from above: 0 1 2, 2 1 3.
  let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[vertex];
  let place = vec2f(f32(corner & 1u) * 2.0 - 1.0, 1.0 - f32(corner >> 1u) * 2.0);
  let position = catcher.center + catcher.alongX * place.x + catcher.alongZ * place.y;
  return Varying(view.clipFromWorld * vec4f(position, 1.0), place, position);
}

@fragment
fn shadeGround(input: Varying) -> @location(0) vec4f {
  return vec4f(0.0, 0.0, 0.0, shadowAt(input));
}

struct Layers {
  @location(0) mapped: vec4f,
  @location(1) unmapped: vec4f,
}

// Entry point for passes that have a target for colours without exposure and tone mapping.
@fragment
fn shadeGroundInLayers(input: Varying) -> Layers {
  let color = vec4f(0.0, 0.0, 0.0, shadowAt(input));
  return Layers(color, color);
}

fn shadowAt(input: Varying) -> f32 {
  let uv = vec2f(0.5 + input.place.x * 0.5, 0.5 - input.place.y * 0.5);
  let shade = textureSampleLevel(shades, linearSampler, uv, 0.0).r;
  let inside = smoothstep(vec2f(0.0), vec2f(1.0), (1.0 - abs(input.place)) * catcher.edges);
  return clamp(shade * inside.x * inside.y * catcher.opacity, 0.0, 1.0) * fogShare(input.position);
}
