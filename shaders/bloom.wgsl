// Bloom: a lens scatters a part of the light around bright places (src/render/effects/bloom.ts). The structure Bloom is
// generated. Light is averaged into ever smaller levels, and these are mixed from the smallest to the largest. The
// weights of each mix add up to 1, so no light is gained or lost.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;
@group(0) @binding(2) var<uniform> bloom: Bloom;
@group(0) @binding(3) var smaller: texture_2d<f32>;

// Whether scene colour holds display colours, which are decoded for the sums.
override isDisplayed = false;

const BRIGHTEST = 60000.0;

// Returns the light of a pixel of scene colour. A NaN would spread over the whole picture, so it counts as black.
fn lightOf(color: vec3f) -> vec3f {
  let bounded = select(vec3f(0.0), min(color, vec3f(BRIGHTEST)), color >= vec3f(0.0));
  if !isDisplayed {
    return bounded;
  }
  return select(pow((bounded + 0.055) / 1.055, vec3f(2.4)), bounded / 12.92, bounded <= vec3f(0.04045));
}

fn colorOf(light: vec3f) -> vec3f {
  if !isDisplayed {
    return light;
  }
  let bounded = clamp(light, vec3f(0.0), vec3f(1.0));
  return select(1.055 * pow(bounded, vec3f(1.0 / 2.4)) - 0.055, bounded * 12.92, bounded <= vec3f(0.0031308));
}

// Returns the part of the light that is scattered: all of it without a threshold, or else the light above it. The part
// begins softly at half of the threshold.
fn scattered(light: vec3f) -> vec3f {
  let brightness = max(light.r, max(light.g, light.b));
  let knee = bloom.threshold * 0.5;
  let soft = clamp(brightness - bloom.threshold + knee, 0.0, 2.0 * knee);
  let above = max(brightness - bloom.threshold, soft * soft / max(4.0 * knee, 1e-4));
  return light * clamp(above / max(brightness, 1e-4), 0.0, 1.0);
}

fn sceneAt(uv: vec2f) -> vec3f {
  return scattered(lightOf(textureSampleLevel(source, linearSampler, uv, 0.0).rgb));
}

// Draws the largest level from scene colour.
@fragment
fn gatherLight(input: Covering) -> @location(0) vec4f {
  let texel = 1.0 / vec2f(textureDimensions(source));
  let x = vec2f(texel.x, 0.0);
  let y = vec2f(0.0, texel.y);
  let sum = sceneAt(input.uv - x - y) + sceneAt(input.uv + x - y) + sceneAt(input.uv - x + y) + sceneAt(input.uv + x + y);
  return vec4f(sum * 0.25, 1.0);
}

fn sourceAt(uv: vec2f) -> vec3f {
  return textureSampleLevel(source, linearSampler, uv, 0.0).rgb;
}

// Draws a level from the next larger one: a weighted average of 6 × 6 texels.
@fragment
fn halveLight(input: Covering) -> @location(0) vec4f {
  let texel = 1.0 / vec2f(textureDimensions(source));
  let x = vec2f(texel.x, 0.0);
  let y = vec2f(0.0, texel.y);
  let uv = input.uv;
  let inner = sourceAt(uv - x - y) + sourceAt(uv + x - y) + sourceAt(uv - x + y) + sourceAt(uv + x + y);
  let corners = sourceAt(uv - 2.0 * (x + y)) + sourceAt(uv + 2.0 * (x - y)) + sourceAt(uv - 2.0 * (x - y))
    + sourceAt(uv + 2.0 * (x + y));
  let sides = sourceAt(uv - 2.0 * x) + sourceAt(uv + 2.0 * x) + sourceAt(uv - 2.0 * y) + sourceAt(uv + 2.0 * y);
  return vec4f(inner * 0.125 + corners * 0.03125 + sides * 0.0625 + sourceAt(uv) * 0.125, 1.0);
}

fn smallerAt(uv: vec2f) -> vec3f {
  return textureSampleLevel(smaller, linearSampler, uv, 0.0).rgb;
}

// Returns the mix of the smaller levels, smoothed by a tent of 3 × 3 texels.
fn smoothed(uv: vec2f) -> vec3f {
  let texel = 1.0 / vec2f(textureDimensions(smaller));
  let x = vec2f(texel.x, 0.0);
  let y = vec2f(0.0, texel.y);
  let corners = smallerAt(uv - x - y) + smallerAt(uv + x - y) + smallerAt(uv - x + y) + smallerAt(uv + x + y);
  let sides = smallerAt(uv - x) + smallerAt(uv + x) + smallerAt(uv - y) + smallerAt(uv + y);
  return (smallerAt(uv) * 4.0 + sides * 2.0 + corners) / 16.0;
}

// Mixes the smaller levels into a level.
@fragment
fn addLevels(input: Covering) -> @location(0) vec4f {
  return vec4f(mix(sourceAt(input.uv), smoothed(input.uv), bloom.radius), 1.0);
}

// Replaces a part of the scattered light of each pixel by the mix of all levels.
@fragment
fn scatterLight(input: Covering) -> @location(0) vec4f {
  let scene = textureLoad(source, vec2u(input.position.xy), 0);
  let light = lightOf(scene.rgb);
  let place = bloom.origin + input.uv * bloom.size;
  let changed = light + bloom.amount * (smoothed(place) - scattered(light));
  return vec4f(colorOf(max(changed, vec3f(0.0))), scene.a);
}
