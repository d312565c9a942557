// Grains of a film (src/render/effects/grain.ts). Joined to tone-mapping.wgsl. The structure Grain is generated.

fn grain(picture: vec4f, pixel: vec2u, options: Grain) -> vec4f {
  let place = vec2u(vec2f(pixel) / options.size);
  let first = hashed(place.x + hashed(place.y + hashed(options.seed)));
  let second = hashed(first);
  // The sum of two numbers from -0.5 to 0.5: small changes are more frequent than large ones.
  let change = options.amount * (f32(first >> 8u) + f32(second >> 8u) - 16777215.0) / 16777216.0;
  let color = clamp(picture.rgb / max(picture.a, 1e-4), vec3f(0.0), vec3f(1.0));
  if isDisplayed {
    return vec4f(clamp(color + change, vec3f(0.0), vec3f(1.0)) * picture.a, picture.a);
  }
  let shown = select(1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055, color * 12.92, color <= vec3f(0.0031308));
  let changed = clamp(shown + change, vec3f(0.0), vec3f(1.0));
  let light = select(pow((changed + 0.055) / 1.055, vec3f(2.4)), changed / 12.92, changed <= vec3f(0.04045));
  return vec4f(light * picture.a, picture.a);
}

// Returns a hash of a number (PCG, Jarzynski and Olano 2020).
fn hashed(number: u32) -> u32 {
  let state = number * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
