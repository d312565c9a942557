// From scene colour to what the canvas shows. Scene colour is linear, premultiplied by coverage; the target is an
// sRGB view, so the hardware encodes. The background lies behind the scene untouched by exposure and tone
// mapping: the page gets exactly the colour it asked for. The structure ToneMapping is generated; toneCurve is the
// function of the chosen tone mapping (tone-curve-*.wgsl), or hands its argument back.

@group(0) @binding(0) var sceneColor: texture_2d<f32>;
@group(0) @binding(1) var<uniform> settings: ToneMapping;

// One triangle that covers the target.
@vertex
fn coverTarget(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn mapTones(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let scene = textureLoad(sceneColor, vec2u(position.xy), 0);
  let coverage = clamp(scene.a, 0.0, 1.0);
  // Where a pixel is partly covered, the covered part is mapped as a whole pixel would be.
  let color = scene.rgb * (settings.exposure / max(coverage, 1e-4));
  let mapped = clamp(toneCurve(max(color, vec3f(0.0))), vec3f(0.0), vec3f(1.0));
  return vec4f(mix(settings.background, mapped, coverage), 1.0);
}
