// Converts scene colour to the colour of the canvas. Scene colour is linear, premultiplied by coverage. The target is
// an sRGB view, so the hardware encodes colours. The background lies behind the scene, without exposure and tone
// mapping, so that it has exactly the page's colour. The structure ToneMapping is generated. Seven functions are joined
// to this file:
//
//   toneCurve                           the chosen tone mapping (tone-curve-*.wgsl), or the identity
//   unmappedColor                       reads a target (unmapped-colors.wgsl), or returns zero
//   automaticExposure                   multiplies the exposure by the measured factor, or returns its first argument
//   withEffects                         applies effects on light (effects.wgsl), or returns its first argument
//   withGrading, withFilm               apply later effects, or return their first argument
//   throughLens                         the effects of lenses, or pictureAt

// Whether the page is visible through the canvas; fixed per pipeline, because adapters without real branches run both
// sides of a branch.
override isTranslucent = false;
// Whether the pipeline blends the picture over the pictures beneath it.
override isOverlay = false;
// Whether scene colour and background hold display colours (display-colors.wgsl). The target then holds display
// colours too, and does not encode.
override isDisplayed = false;

// Less coverage than any antialiased edge has.
const LEAST_COVERAGE = 0.002;

@group(0) @binding(0) var sceneColor: texture_2d<f32>;
@group(0) @binding(1) var<uniform> settings: ToneMapping;

@fragment
fn mapTones(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(position.xy - settings.origin);
  let picture = withFilm(throughLens(pixel), pixel + vec2u(settings.part));
  if !isTranslucent && !isOverlay {
    return vec4f(picture.rgb, 1.0);
  }
  if isDisplayed || !isTranslucent {
    return picture;
  }
  return forBlending(picture.rgb, picture.a);
}

// Returns a pixel of the picture over the background, multiplied by its alpha.
fn pictureAt(pixel: vec2u) -> vec4f {
  let scene = textureLoad(sceneColor, pixel, 0);
  let unmapped = unmappedColor(pixel);
  let coverage = clamp(scene.a, 0.0, 1.0);
  let exposure = automaticExposure(settings.exposure, pixel);
  // The covered part of a pixel is mapped as if it covered the whole pixel. Light that was added in front of the
  // background covers nothing, so its brightness counts instead.
  let brightest = exposure * max(scene.r, max(scene.g, scene.b));
  let share = select(coverage, clamp(brightest, 0.0, 1.0), coverage < LEAST_COVERAGE);
  let color = exposed(scene.rgb, max(share, 1e-4), exposure);
  let point = (vec2f(pixel) + 0.5 + settings.part) / settings.whole;
  let toned = clamp(toneCurve(max(withEffects(color, 1.0, point), vec3f(0.0))), vec3f(0.0), vec3f(1.0));
  let mapped = withGrading(toned, point);
  let background = settings.background.a * clamp(1.0 - coverage - unmapped.a, 0.0, 1.0);
  let behind = withEffects(settings.background.rgb * background, background, point);
  let shown = mapped * share + withEffects(unmapped.rgb, unmapped.a, point) + behind;
  return vec4f(shown, clamp(share + unmapped.a + background, 0.0, 1.0));
}

// Returns the colour of a covered part, multiplied by the exposure in linear light.
fn exposed(premultiplied: vec3f, share: f32, exposure: f32) -> vec3f {
  if !isDisplayed || exposure == 1.0 {
    return premultiplied * (exposure / share);
  }
  let color = premultiplied / share;
  let light = exposure * select(pow((color + 0.055) / 1.055, vec3f(2.4)), color / 12.92, color <= vec3f(0.04045));
  return select(1.055 * pow(light, vec3f(1.0 / 2.4)) - 0.055, light * 12.92, light <= vec3f(0.0031308));
}

// Encodes a colour for browsers, which blend canvases in sRGB. The encoded colour is multiplied by alpha. The product
// is decoded again, because the target encodes once more.
fn forBlending(premultiplied: vec3f, alpha: f32) -> vec4f {
  let color = clamp(premultiplied / max(alpha, 1e-4), vec3f(0.0), vec3f(1.0));
  let encoded = select(1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055, color * 12.92, color <= vec3f(0.0031308));
  let multiplied = encoded * alpha;
  let decoded = pow((multiplied + 0.055) / 1.055, vec3f(2.4));
  return vec4f(select(decoded, multiplied / 12.92, multiplied <= vec3f(0.04045)), alpha);
}
