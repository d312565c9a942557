// Automatic exposure, as an effect of the last pass (src/render/effects/auto-exposure.ts). The structures AutoExposure
// and MeasuredExposure are generated. luminance-histogram.wgsl writes the factor.

@group(0) @binding(5) var<uniform> measuredExposure: MeasuredExposure;

fn autoExposure(exposure: f32, pixel: vec2u, options: AutoExposure) -> f32 {
  return exposure * measuredExposure.factor * options.compensation;
}
