// Fibres that stand out of a fabric and catch light at its edges (KHR_materials_sheen; Estevez and Kulla 2017,
// "Production Friendly Microfacet Sheen BRDF"). Joined to mesh.wgsl (src/render/materials/features/).

var<private> sheenColor: vec3f;
var<private> sheenRoughness: f32;

fn readSheen(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  sheenColor = materials[slot].sheenColor * sheenColorTexel(input).rgb;
  sheenRoughness = saturate(materials[slot].sheenRoughness * sheenRoughnessTexel(input).a);
}

fn sheenLight(below: vec3f, surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
  let cosines = cosinesOf(surface.normal, surface.toViewer, surface.nDotV, toLight);
  let alpha = max(sheenRoughness * sheenRoughness, 1e-6);
  let sineSquared = 1.0 - cosines.nDotH * cosines.nDotH;
  let distribution = (2.0 + 1.0 / alpha) * pow(sineSquared, 0.5 / alpha) / (2.0 * PI);
  let shadowed = 1.0 + fibreShadow(cosines.nDotV, alpha) + fibreShadow(cosines.nDotL, alpha);
  let visibility = clamp(1.0 / max(4.0 * shadowed * cosines.nDotV * cosines.nDotL, 1e-6), 0.0, 1.0);
  let left = min(lightLeft(cosines.nDotV), lightLeft(cosines.nDotL));
  return intensity * (sheenColor * (distribution * visibility * cosines.nDotL)) + below * left;
}

fn sheenEnvironment(below: vec3f, surface: Surface, occlusion: f32) -> vec3f {
  let nDotV = saturate(surface.nDotV);
  let roughness = max(sheenRoughness, SMALLEST_SHEEN_ROUGHNESS);
  let around = fibreRadiance(surface.normal, surface.toViewer, roughness);
  let share = exp(dot(vec3f(1.0, nDotV, nDotV * nDotV), REFLECTED * powersOfInverse(roughness)));
  return sheenColor * around * (share * occlusion) + below * lightLeft(nDotV);
}

// Returns the share of light that the fibres leave to the layers below, for one direction.
fn lightLeft(cosine: f32) -> f32 {
  let roughness = max(sheenRoughness, SMALLEST_SHEEN_ROUGHNESS);
  let albedo = exp(dot(vec3f(1.0, cosine, cosine * cosine), ALBEDO * powersOfInverse(roughness)));
  return 1.0 - saturate(max(max(sheenColor.x, sheenColor.y), sheenColor.z) * albedo);
}

// The matrices are polynomials in the cosine (rows) and in the inverse of the roughness (columns). They fit
// logarithms, for roughness of at least SMALLEST_SHEEN_ROUGHNESS. ALBEDO fits the albedo of the fibres, which was
// integrated numerically (largest error 0.05). REFLECTED fits the table by which the Khronos sample renderer weights
// the environment's light (largest error 0.03).
const SMALLEST_SHEEN_ROUGHNESS = 0.08;
const REFLECTED = mat4x3f(
  -1.018237, 0.328779, -0.287603, 0.475652, -0.653350, -0.427495,
  -0.044872, 0.017839, -0.199297, 0.00153958, -0.00144302, 0.0124479,
);
const ALBEDO = mat4x3f(
  -0.203938, 0.241281, -0.772164, -0.095896, -1.757341, 0.960087,
  0.035250, 0.145476, -0.370127, -0.00183186, -0.00797352, 0.0244802,
);

fn powersOfInverse(roughness: f32) -> vec4f {
  let inverse = 1.0 / roughness;
  return vec4f(1.0, inverse, inverse * inverse, inverse * inverse * inverse);
}

// Masking between fibres: the paper's fit of Λ.
fn fibreShadow(cosine: f32, alpha: f32) -> f32 {
  if cosine < 0.5 {
    return exp(fibreCurve(cosine, alpha));
  }
  return exp(2.0 * fibreCurve(0.5, alpha) - fibreCurve(1.0 - cosine, alpha));
}

fn fibreCurve(x: f32, alpha: f32) -> f32 {
  let share = (1.0 - alpha) * (1.0 - alpha);
  let a = mix(21.5473, 25.3245, share);
  let b = mix(3.82987, 3.32435, share);
  let c = mix(0.19823, 0.16801, share);
  let d = mix(-1.97760, -1.27393, share);
  let e = mix(-4.32054, -4.85967, share);
  return a / (1.0 + b * pow(max(x, 0.0), c)) + d * x + e;
}
