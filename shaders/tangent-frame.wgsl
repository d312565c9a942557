// Normals from normal textures. Joined to mesh.wgsl when a feature of the material reads one
// (src/render/materials/feature-code.ts).

// Whether vertices have tangents; fixed per pipeline.
override hasTangents = false;

// Returns the normal tilted by a texel of a normal texture, seen from the front. Without tangents, the frame follows
// from the change of texture coordinates over the screen. Its third axis points up the image, as in glTF.
fn tiltedNormal(input: Varying, normal: vec3f, uv: vec2f, texel: vec3f, scale: f32) -> vec3f {
  let scaled = (texel * 2.0 - 1.0) * vec3f(vec2f(scale), 1.0);
  var tangent: vec3f;
  var bitangent: vec3f;
  if hasTangents {
    tangent = input.tangent.xyz;
    bitangent = cross(normal, tangent) * input.tangent.w;
  } else {
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
    tangent = gradientU * factor;
    bitangent = -gradientV * factor;
  }
  return normalizeOrZero(tangent * scaled.x + bitangent * scaled.y + normal * scaled.z);
}
