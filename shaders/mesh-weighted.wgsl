// Entry points of mesh.wgsl for blended surfaces that are added up with weights instead of being sorted. Joined to
// mesh.wgsl. M. McGuire, L. Bavoil: Weighted Blended Order-Independent Transparency, JCGT 2 (2), 2013.

struct WeightedSurface {
  // Colour times alpha times weight, and alpha times weight. Blending adds them up.
  @location(0) sum: vec4f,
  // Alpha. Blending multiplies the shares of the colour behind that remain visible.
  @location(1) alpha: vec4f,
}

// Output of passes that have a target for colours without exposure and tone mapping.
struct WeightedLayers {
  @location(0) sum: vec4f,
  @location(1) alpha: vec4f,
  @location(2) unmappedSum: vec4f,
}

@fragment
fn shadeWeighted(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WeightedSurface {
  return weightedSurface(input, isFrontFacing);
}

fn weightedSurface(input: Varying, isFrontFacing: bool) -> WeightedSurface {
  let color = displayColor(shade(input, isFrontFacing));
  return WeightedSurface(weighted(color, input.position), vec4f(saturate(color.a)));
}

@fragment
fn shadeWeightedInLayers(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WeightedLayers {
  return weightedLayers(input, isFrontFacing);
}

fn weightedLayers(input: Varying, isFrontFacing: bool) -> WeightedLayers {
  let color = shade(input, isFrontFacing);
  let sum = weighted(color, input.position);
  let alpha = vec4f(saturate(color.a));
  if isUnmapped {
    return WeightedLayers(vec4f(0.0), alpha, sum);
  }
  return WeightedLayers(sum, alpha, vec4f(0.0));
}

// Nearer surfaces have larger weights: equation 7 of the paper, for a depth in metres. A smaller upper bound keeps
// the sums within half floats.
fn weighted(color: vec4f, position: vec3f) -> vec4f {
  let depth = dot(position - view.cameraPosition, view.cameraForward);
  let near = depth / 5.0;
  let far = depth / 200.0;
  let weight = clamp(10.0 / (1e-5 + near * near + pow(abs(far), 6.0)), 0.01, 300.0) * saturate(color.a);
  return vec4f(min(color.rgb * weight, vec3f(BRIGHTEST)), weight);
}
