// Shows a property of surfaces, or the work that a pixel takes, instead of reflected light. Joined to mesh.wgsl if a
// view has a debug view (src/render/pipelines/debug-views.ts). cascadeAt and clusterLights are joined too: from
// debug-cascades.wgsl and debug-clusters.wgsl, or constants.

// Index in DEBUG_VIEWS.
override debugView = 0u;

// The count that is drawn as white.
const WHITE_COUNT = 16.0;
const WITHOUT_CASCADE = 4u;

@fragment
fn showDebugView(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  return vec4f(debugColor(input, isFrontFacing), 1.0);
}

fn debugColor(input: Varying, isFrontFacing: bool) -> vec3f {
  let appearance = appearanceOf(input, isFrontFacing);
  if debugView == DEBUG_OVERDRAW {
    return vec3f(1.0 / WHITE_COUNT);
  }
  // Invisible parts of blended surfaces show what is behind them.
  if alphaMode == 2u && appearance.baseColor.a < 1.0 / 255.0 {
    discard;
  }
  switch debugView {
    case DEBUG_BASE_COLOR, DEBUG_WIREFRAME: { return shownLight(appearance.baseColor.rgb); }
    case DEBUG_EMISSIVE: { return shownLight(appearance.emissive); }
    case DEBUG_NORMALS: { return shownNumbers(appearance.normal * 0.5 + 0.5); }
    case DEBUG_ROUGHNESS: { return shownNumbers(vec3f(appearance.roughness)); }
    case DEBUG_METALLIC: { return shownNumbers(vec3f(appearance.metallic)); }
    case DEBUG_OCCLUSION: { return shownNumbers(vec3f(appearance.occlusion)); }
    case DEBUG_UV: { return shownNumbers(vec3f(fract(input.uv.xy), 0.0)); }
    case DEBUG_LIGHTS: { return shownNumbers(vec3f(f32(lightsAt(input)) / WHITE_COUNT)); }
    case DEBUG_CASCADES: { return shownNumbers(cascadeColor(cascadeAt(placeOf(input, isFrontFacing)))); }
    default: { return vec3f(0.0); }
  }
}

// Returns the number of lights that the shader of the pixel evaluates.
fn lightsAt(input: Varying) -> u32 {
  if isUnlit {
    return 0u;
  }
  var count = view.shadowedLightCount;
  if hasSun {
    count += 1u;
  }
  if hasLightLoop {
    count += view.lightCount - min(view.firstLoopedLight, view.lightCount);
  }
  return count + clusterLights(input.position, input.clipPosition.xy);
}

fn cascadeColor(cascade: u32) -> vec3f {
  switch cascade {
    case 0u: { return vec3f(1.0, 0.25, 0.25); }
    case 1u: { return vec3f(0.25, 1.0, 0.25); }
    case 2u: { return vec3f(0.25, 0.5, 1.0); }
    case 3u: { return vec3f(1.0, 1.0, 0.25); }
    default: { return vec3f(0.25); }
  }
}

// Returns linear light as scene colour, without exposure and tone mapping.
fn shownLight(light: vec3f) -> vec3f {
  return displayColor(vec4f(min(light, vec3f(BRIGHTEST)), 1.0)).rgb;
}

// Returns numbers from 0 to 1 as scene colour, so that the picture's bytes are 255 times the numbers. They are decoded
// here if the last pass encodes scene colour.
fn shownNumbers(numbers: vec3f) -> vec3f {
  let shown = clamp(numbers, vec3f(0.0), vec3f(1.0));
  let decoded = select(pow((shown + 0.055) / 1.055, vec3f(2.4)), shown / 12.92, shown <= vec3f(0.04045));
  return select(decoded, shown, BLENDS_ENCODED);
}
