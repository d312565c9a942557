// Tangent frames, and normals from normal textures. Joined to mesh.wgsl when a feature of the material needs them
// (src/render/materials/feature-code.ts).

// Whether vertices have tangents; fixed per pipeline.
override hasTangents = false;

// Returns the directions on a surface in which u and −v grow, seen from the front. Without tangents, they follow from
// the change of texture coordinates over the screen. The second axis points up the image, as in glTF.
fn tangentFrame(input: Varying, normal: vec3f, uv: vec2f) -> mat2x3f {
  if hasTangents {
    let tangent = input.tangent.xyz;
    return mat2x3f(tangent, cross(normal, tangent) * input.tangent.w);
  }
  let positionX = dpdx(input.position);
  let positionY = dpdy(input.position);
  let uvX = dpdx(uv);
  let uvY = dpdy(uv);
  // Gradients of u and v over the surface, up to a common factor.
  let acrossX = cross(positionY, normal);
  let acrossY = cross(normal, positionX);
  let orientation = sign(dot(positionX, acrossX));
  let gradientU = (acrossX * uvX.x + acrossY * uvY.x) * orientation;
  let gradientV = (acrossX * uvX.y + acrossY * uvY.y) * orientation;
  let largest = max(dot(gradientU, gradientU), dot(gradientV, gradientV));
  let factor = select(0.0, inverseSqrt(largest), largest > 0.0);
  return mat2x3f(gradientU * factor, -gradientV * factor);
}

// Returns the normal tilted by a texel of a normal texture, seen from the front.
fn tiltedNormal(input: Varying, normal: vec3f, uv: vec2f, texel: vec3f, scale: f32) -> vec3f {
  let scaled = (texel * 2.0 - 1.0) * vec3f(vec2f(scale), 1.0);
  let frame = tangentFrame(input, normal, uv);
  return normalizeOrZero(frame[0] * scaled.x + frame[1] * scaled.y + normal * scaled.z);
}
