// Converts scene colour to the colour of the canvas. Scene colour is linear, premultiplied by coverage. The target is
// an sRGB view, so the hardware encodes colours. The background lies behind the scene, without exposure and tone
// mapping, so that it has exactly the page's colour. The structure ToneMapping is generated. Three functions are
// joined to this file. toneCurve is the chosen tone mapping (tone-curve-*.wgsl) or the identity. unmappedColor reads a
// target (unmapped-colors.wgsl) or returns zero. withEffects applies effects (effects.wgsl) or returns its first
// argument.

// Whether the page is visible through the canvas; fixed per pipeline, because adapters without real branches run both
// sides of a branch.
override isTranslucent = false;
// Whether the pipeline blends the picture over the pictures beneath it.
override isOverlay = false;
// Whether scene colour and background hold display colours (display-colors.wgsl). The target then holds display
// colours too, and does not encode.
override isDisplayed = false;

@group(0) @binding(0) var sceneColor: texture_2d<f32>;
@group(0) @binding(1) var<uniform> settings: ToneMapping;

// One triangle covers the target.
@vertex
fn coverTarget(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn mapTones(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(position.xy - settings.origin);
  let scene = textureLoad(sceneColor, pixel, 0);
  let unmapped = unmappedColor(pixel);
  let coverage = clamp(scene.a, 0.0, 1.0);
  // The covered part of a pixel is mapped like a whole pixel.
  let color = scene.rgb * (settings.exposure / max(coverage, 1e-4));
  let point = (vec2f(pixel) + 0.5) / vec2f(textureDimensions(sceneColor));
  let mapped = clamp(toneCurve(max(withEffects(color, 1.0, point), vec3f(0.0))), vec3f(0.0), vec3f(1.0));
  let background = settings.background.a * clamp(1.0 - coverage - unmapped.a, 0.0, 1.0);
  let behind = withEffects(settings.background.rgb * background, background, point);
  let shown = mapped * coverage + withEffects(unmapped.rgb, unmapped.a, point) + behind;
  if !isTranslucent && !isOverlay {
    return vec4f(shown, 1.0);
  }
  let alpha = clamp(coverage + unmapped.a + background, 0.0, 1.0);
  if isDisplayed || !isTranslucent {
    return vec4f(shown, alpha);
  }
  return forBlending(shown, alpha);
}

// Encodes for browsers, which blend canvases in sRGB: the encoded colour is multiplied by alpha, then decoded, because
// the target encodes once more.
fn forBlending(premultiplied: vec3f, alpha: f32) -> vec4f {
  let color = clamp(premultiplied / max(alpha, 1e-4), vec3f(0.0), vec3f(1.0));
  let encoded = select(1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055, color * 12.92, color <= vec3f(0.0031308));
  let multiplied = encoded * alpha;
  let decoded = pow((multiplied + 0.055) / 1.055, vec3f(2.4));
  return vec4f(select(decoded, multiplied / 12.92, multiplied <= vec3f(0.04045)), alpha);
}
