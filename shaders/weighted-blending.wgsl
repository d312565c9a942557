// Blends the sums of weighted surfaces (mesh-weighted.wgsl) over the scene's colours. The alias Sums is generated:
// texture_2d<f32>, or texture_multisampled_2d<f32>, which is read sample by sample. unmappedSum reads a target
// (weighted-unmapped.wgsl) or returns zero.

// The largest value stored in half-float scene colour, as in mesh.wgsl.
const BRIGHTEST = 60000.0;

@group(0) @binding(0) var mappedSums: Sums;
@group(0) @binding(1) var visibleShares: Sums;

struct Blended {
  // Colours multiplied by coverage, and coverage.
  mapped: vec4f,
  unmapped: vec4f,
  // Share of the scene that the surfaces hide.
  hidden: f32,
}

// Blends the surfaces over scene colour.
@fragment
fn blendOver(@builtin(position) position: vec4f, @builtin(sample_index) sampleIndex: u32) -> @location(0) vec4f {
  let blended = blendedAt(position, sampleIndex);
  return vec4f(blended.mapped.rgb, blended.hidden);
}

struct Layers {
  @location(0) mapped: vec4f,
  @location(1) unmapped: vec4f,
}

// Dims both targets, before addBlended.
@fragment
fn hideBehind(@builtin(position) position: vec4f, @builtin(sample_index) sampleIndex: u32) -> Layers {
  let hiding = vec4f(0.0, 0.0, 0.0, blendedAt(position, sampleIndex).hidden);
  return Layers(hiding, hiding);
}

@fragment
fn addBlended(@builtin(position) position: vec4f, @builtin(sample_index) sampleIndex: u32) -> Layers {
  let blended = blendedAt(position, sampleIndex);
  return Layers(blended.mapped, blended.unmapped);
}

fn blendedAt(position: vec4f, sampleIndex: u32) -> Blended {
  let pixel = vec2u(position.xy);
  let hidden = 1.0 - textureLoad(visibleShares, pixel, sampleIndex).r;
  if hidden <= 0.0 {
    discard;
  }
  let mapped = textureLoad(mappedSums, pixel, sampleIndex);
  let unmapped = unmappedSum(pixel, sampleIndex);
  // The surfaces have their weighted mean colour. Sums beyond half floats are infinite.
  let share = hidden / max(mapped.a + unmapped.a, 1e-6);
  let brightest = vec4f(BRIGHTEST);
  return Blended(
    min(min(mapped, brightest) * share, brightest), min(min(unmapped, brightest) * share, brightest), hidden
  );
}
