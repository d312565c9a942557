// Brushed surfaces, whose microfacets are rougher in one direction (KHR_materials_anisotropy). Joined to mesh.wgsl
// (src/render/materials/features/).

// The direction of the brush, and the direction across it, unit length.
var<private> brushTangent: vec3f;
var<private> brushBitangent: vec3f;
// 0 (the same roughness in all directions) to 1.
var<private> brushStrength: f32;

fn readAnisotropy(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  var direction = vec2f(1.0, 0.0);
  var strength = 1.0;
  if anisotropyIsBound {
    let texel = anisotropyTexel(input).xyz;
    direction = texel.xy * 2.0 - 1.0;
    strength = texel.z;
  }
  let angle = materials[slot].anisotropyRotation;
  let turned = mat2x2f(cos(angle), sin(angle), -sin(angle), cos(angle)) * direction;
  brushTangent = normalizeOrZero(tangentFrame(input, frontNormal, anisotropyUv(input)) * turned);
  brushBitangent = cross(frontNormal, brushTangent) * facing;
  brushTangent *= facing;
  brushStrength = saturate(materials[slot].anisotropy * strength);
}

// The anisotropic form of `microfacets`.
fn brushedFacets(surface: Surface, toLight: vec3f, cosines: Cosines) -> f32 {
  let alpha = sqrt(surface.alphaSquared);
  let along = mix(alpha, 1.0, brushStrength * brushStrength);
  let product = along * alpha;
  let halfway = normalizeOrZero(toLight + surface.toViewer);
  let f = vec3f(alpha * dot(brushTangent, halfway), along * dot(brushBitangent, halfway), product * cosines.nDotH);
  let width = product / max(dot(f, f), 1e-12);
  let masking = length(
    vec3f(along * dot(brushTangent, surface.toViewer), alpha * dot(brushBitangent, surface.toViewer), cosines.nDotV)
  );
  let shadowing = length(
    vec3f(along * dot(brushTangent, toLight), alpha * dot(brushBitangent, toLight), cosines.nDotL)
  );
  let visibility = 0.5 / max(cosines.nDotL * masking + cosines.nDotV * shadowing, 1e-6);
  return product * width * width / PI * min(visibility, 1.0);
}

// Returns the normal of a mirror whose reflection approximates that of the brushed surface. The normal is bent towards
// the viewer, across the brush.
fn brushedMirror(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  let bent = cross(cross(brushBitangent, toViewer), brushBitangent);
  let share = 1.0 - brushStrength * (1.0 - roughness);
  let squared = share * share;
  return normalizeOrZero(mix(bent, normal, squared * squared));
}
