// Draws the surfaces in a decal's box again, with the decal as their base colour (src/render/decals/). Joined to
// mesh.wgsl. The structure Decal is generated.
//
//   colour of the surface ─┐
//   colour with the decal ─┴─► blended by the decal's alpha
//
// Reflected light is nearly an affine function of the base colour. So the blended light nearly equals the light of a
// surface whose base colour is blended with the picture, unless the decal has a normal map. Without `hdr`, display
// colours are blended instead of light.

@group(0) @binding(24) var<uniform> decal: Decal;
@group(0) @binding(25) var decalPicture: texture_2d<f32>;
@group(0) @binding(26) var decalSampler: sampler;
@group(0) @binding(27) var decalNormals: texture_2d<f32>;
@group(0) @binding(28) var decalNormalSampler: sampler;

@fragment
fn shadeDecal(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  return displayedDecal(input, isFrontFacing);
}

// Entry point for passes that have a target for colours without exposure and tone mapping.
@fragment
fn shadeDecalInLayers(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> Layers {
  return decalInLayers(input, isFrontFacing);
}

fn displayedDecal(input: Varying, isFrontFacing: bool) -> vec4f {
  let color = decalColor(input, isFrontFacing);
  return vec4f(displayColor(foggedColor(vec4f(color.rgb, 1.0))).rgb, color.a);
}

fn decalInLayers(input: Varying, isFrontFacing: bool) -> Layers {
  let color = decalColor(input, isFrontFacing);
  let opaque = vec4f(color.rgb, 1.0);
  if isUnmapped {
    return Layers(vec4f(0.0), vec4f(foggedUnmapped(opaque).rgb, color.a));
  }
  return Layers(vec4f(foggedColor(opaque).rgb, color.a), vec4f(0.0));
}

// Returns the lit colour of the surface with the decal, and the decal's alpha.
fn decalColor(input: Varying, isFrontFacing: bool) -> vec4f {
  let position = vec4f(input.position, 1.0);
  let place = vec3f(
    dot(decal.boxFromWorld[0], position), dot(decal.boxFromWorld[1], position), dot(decal.boxFromWorld[2], position)
  );
  let uv = vec2f(place.x + 0.5, 0.5 - place.y);
  let picture = textureSample(decalPicture, decalSampler, insideOf(uv, textureDimensions(decalPicture)));
  let tilt = textureSample(decalNormals, decalNormalSampler, insideOf(uv, textureDimensions(decalNormals))).xyz * 2.0 - 1.0;
  var appearance = appearanceOf(input, isFrontFacing);
  let normal = normalOf(input, isFrontFacing) * facing;
  // The decal fades out where the surface turns away from it.
  let turned = smoothstep(0.0, 0.25, dot(normal, decal.facing));
  let isInside = all(abs(place) <= vec3f(0.5));
  let alpha = picture.a * decal.color.a * select(0.0, turned, isInside);
  if !(alpha > 0.0) {
    discard;
  }
  appearance.baseColor = vec4f(picture.rgb * decal.color.rgb, 1.0);
  if decal.isTilted > 0.0 {
    let right = normalizeOrZero(decal.right - normal * dot(normal, decal.right));
    let up = normalizeOrZero(decal.up - normal * dot(normal, decal.up));
    appearance.normal = normalize(right * tilt.x + up * tilt.y + normal * max(tilt.z, 1e-3));
  }
  enterFog(input.position);
  return vec4f(shadeSurface(input, isFrontFacing, appearance).rgb, clamp(alpha, 0.0, 1.0));
}

// Keeps half a texel of distance to the edges of the picture. Otherwise a sampler that repeats the picture would mix in
// the opposite edge.
fn insideOf(uv: vec2f, size: vec2u) -> vec2f {
  let margin = 0.5 / vec2f(size);
  return clamp(uv, margin, 1.0 - margin);
}
