// From scene colour to what the canvas shows. Scene colour is linear, premultiplied by coverage; the target is an
// sRGB view, so the hardware encodes. The background lies behind the scene untouched by exposure and tone
// mapping: the page gets exactly the colour it asked for. The structure ToneMapping is generated.

override toneMapping: u32 = 0u;  // index of TONE_MAPPINGS: none, aces, agx, khronos-neutral

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
  let mapped = clamp(toneMapped(max(color, vec3f(0.0))), vec3f(0.0), vec3f(1.0));
  return vec4f(mix(settings.background, mapped, coverage), 1.0);
}

fn toneMapped(color: vec3f) -> vec3f {
  if toneMapping == 1u {
    return aces(color);
  }
  if toneMapping == 2u {
    return agx(color);
  }
  if toneMapping == 3u {
    return khronosNeutral(color);
  }
  return color;
}

// The Academy's reference and output transforms, fitted by Stephen Hill. The factor makes middle grey come out
// as bright as in other engines that use this fit.
fn aces(color: vec3f) -> vec3f {
  let fromSrgb = mat3x3f(
    0.59719, 0.07600, 0.02840,
    0.35458, 0.90834, 0.13383,
    0.04823, 0.01566, 0.83777,
  );
  let toSrgb = mat3x3f(
    1.60475, -0.10208, -0.00327,
    -0.53108, 1.10813, -0.07276,
    -0.07367, -0.00605, 1.07602,
  );
  let v = fromSrgb * (color / 0.6);
  return toSrgb * ((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081));
}

// AgX by Troy Sobotka, with the polynomial that Benjamin Wrensch fitted to its curve.
fn agx(color: vec3f) -> vec3f {
  let inset = mat3x3f(
    0.842479062253094, 0.0423282422610123, 0.0423756549057051,
    0.0784335999999992, 0.878468636469772, 0.0784336,
    0.0792237451477643, 0.0791661274605434, 0.879142973793104,
  );
  let outset = mat3x3f(
    1.19687900512017, -0.0528968517574562, -0.0529716355144438,
    -0.0980208811401368, 1.15190312990417, -0.0980434501171241,
    -0.0990297440797205, -0.0989611768448433, 1.15107367264116,
  );
  const darkest = -12.47393;
  const brightest = 4.026069;
  let stops = clamp(log2(max(inset * color, vec3f(1e-10))), vec3f(darkest), vec3f(brightest));
  let x = (stops - darkest) / (brightest - darkest);
  let x2 = x * x;
  let x4 = x2 * x2;
  let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
  return pow(max(outset * curve, vec3f(0.0)), vec3f(2.2));
}

// Khronos PBR Neutral: colours of products stay as they are, only highlights are compressed.
fn khronosNeutral(input: vec3f) -> vec3f {
  const startCompression = 0.8 - 0.04;
  const desaturation = 0.15;
  let darkest = min(input.r, min(input.g, input.b));
  let offset = select(0.04, darkest - 6.25 * darkest * darkest, darkest < 0.08);
  let color = input - offset;
  let peak = max(color.r, max(color.g, color.b));
  if peak < startCompression {
    return color;
  }
  const range = 1.0 - startCompression;
  let newPeak = 1.0 - range * range / (peak + range - startCompression);
  let whiteness = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
  return mix(color * (newPeak / peak), vec3f(newPeak), whiteness);
}
