// Surfaces that are written to targets instead of being lit, for the deferred renderer. Joined to mesh.wgsl, with
// surface-encoding.wgsl.

struct WrittenSurface {
  // The light that the surface emits. The lighting pass adds reflected light.
  @location(0) color: vec4f,
  @location(1) baseColor: vec4f,
  // The shaded normal on the visible side, and the normal of the vertices on the front.
  @location(2) normals: vec4u,
  // Metallic, roughness, occlusion, and `encodeEmission`.
  @location(3) material: vec4u,
}

@fragment
fn writeSurface(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> WrittenSurface {
  return writtenSurface(input, isFrontFacing);
}

fn writtenSurface(input: Varying, isFrontFacing: bool) -> WrittenSurface {
  let appearance = appearanceOf(input, isFrontFacing);
  let place = placeOf(input, isFrontFacing);
  let emission = min(appearance.emissive, vec3f(BRIGHTEST));
  return WrittenSurface(
    vec4f(dimmedByFog(emission, place.position), 1.0),
    vec4f(sqrt(clamp(appearance.baseColor.rgb, vec3f(0.0), vec3f(1.0))), 1.0),
    vec4u(encodeDirection(appearance.normal), encodeDirection(place.normal)),
    vec4u(
      encodeShares(vec2f(appearance.metallic, appearance.roughness)),
      encodeShares(vec2f(appearance.occlusion, 0.0)).x,
      encodeEmission(emission / BRIGHTEST, place.receivesShadow),
    ),
  );
}
