// Draws the mip levels of the picture that glass shows (src/render/transmission/). Colours are premultiplied by
// coverage. The structure SceneCopy is generated.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;
@group(0) @binding(2) var<uniform> settings: SceneCopy;
@group(0) @binding(3) var unmappedColor: texture_2d<f32>;

// The largest half float that is drawn. A NaN or infinity would spread over the whole level.
const BRIGHTEST = 60000.0;

@fragment
fn copyScene(input: Covering) -> @location(0) vec4f {
  return overBackground(textureLoad(source, vec2u(input.position.xy), 0));
}

// Copies the scene where unmapped colours have a target of their own.
@fragment
fn copyWithUnmapped(input: Covering) -> @location(0) vec4f {
  let pixel = vec2u(input.position.xy);
  let unmapped = textureLoad(unmappedColor, pixel, 0);
  let factors = vec4f(vec3f(settings.inverseExposure), 1.0);
  return overBackground(textureLoad(source, pixel, 0) + unmapped * factors);
}

fn overBackground(color: vec4f) -> vec4f {
  let bounded = select(vec4f(0.0), min(color, vec4f(BRIGHTEST)), color >= vec4f(0.0));
  let background = vec4f(settings.background.rgb * settings.inverseExposure, 1.0) * settings.background.a;
  return bounded + background * saturate(1.0 - bounded.a);
}

// Averages 4 × 4 texels with the weights 1 3 3 1 by four bilinear samples. Squares of texels would show in a blur that
// averages only 2 × 2.
@fragment
fn averageLevel(input: Covering) -> @location(0) vec4f {
  let offset = 0.75 / vec2f(textureDimensions(source));
  return 0.25 * (
    textureSample(source, linearSampler, input.uv + offset * vec2f(-1.0, -1.0))
    + textureSample(source, linearSampler, input.uv + offset * vec2f(1.0, -1.0))
    + textureSample(source, linearSampler, input.uv + offset * vec2f(-1.0, 1.0))
    + textureSample(source, linearSampler, input.uv + offset * vec2f(1.0, 1.0))
  );
}
