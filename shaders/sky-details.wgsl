// The sun's disc and the stars, in front of an atmosphere (src/render/environment/sky-details.ts). Blending adds their
// colours to the colour of the sky. Joined to mesh.wgsl, environment.wgsl and chunks/hash.wgsl. The structure
// SkyDetails is generated.

@group(1) @binding(0) var<uniform> details: SkyDetails;

// Angular radius of the sun, in radians.
const SUN_RADIUS = 0.00465;
// Cells along a side of a cube around the viewer. A cell has one star or none.
const STAR_CELLS = 32.0;
// Share of the cells that have a star.
const STAR_SHARE = 0.6;

@fragment
fn shadeSkyDetails(input: Sky) -> @location(0) vec4f {
  return displayColor(vec4f(detailsAt(input.ndc), 1.0));
}

@fragment
fn shadeSkyDetailsInLayers(input: Sky) -> Layers {
  return Layers(vec4f(detailsAt(input.ndc), 1.0), vec4f(0.0));
}

fn detailsAt(ndc: vec2f) -> vec3f {
  let direction = directionAt(ndc);
  // Angle between neighbouring pixels, in radians.
  let pixel = clamp(length(fwidth(direction)) * 0.707, 1e-6, 0.1);
  let light = (sunlight(direction, pixel) + starlight(direction, pixel)) * smoothstep(0.0, 0.01, direction.y);
  let seen = dimmedByFog(light * environment.intensity, view.cameraPosition + direction * 1.0e9);
  return min(seen, vec3f(BRIGHTEST));
}

fn sunlight(direction: vec3f, pixel: f32) -> vec3f {
  let angle = length(cross(direction, details.toSun));
  let inside = clamp((SUN_RADIUS - angle) / pixel + 0.5, 0.0, 1.0) * step(0.0, dot(direction, details.toSun));
  return details.sunlight * (inside / (PI * SUN_RADIUS * SUN_RADIUS));
}

fn starlight(direction: vec3f, pixel: f32) -> vec3f {
  if details.stars <= 0.0 {
    return vec3f(0.0);
  }
  let among = vec3f(
    dot(details.starRows[0].xyz, direction), dot(details.starRows[1].xyz, direction),
    dot(details.starRows[2].xyz, direction)
  );
  // The axis of the cube's side that the direction meets, and the place on that side.
  let size = abs(among);
  let axis = select(select(2u, 1u, size.y > size.z), 0u, size.x >= max(size.y, size.z));
  let along = among[axis];
  let place = vec2f(among[(axis + 1u) % 3u], among[(axis + 2u) % 3u]) / abs(along);
  let cell = floor((place * 0.5 + 0.5) * STAR_CELLS);
  let seed = hash3(vec3u(vec2u(clamp(cell, vec2f(0.0), vec2f(STAR_CELLS - 1.0))), axis * 2u + select(0u, 1u, along > 0.0)));
  if unitFloat(seed) > STAR_SHARE {
    return vec3f(0.0);
  }
  let within = vec2f(unitFloat(hash1(seed)), unitFloat(hash1(seed + 1u))) * 0.6 + 0.2;
  let star = (cell + within) / STAR_CELLS * 2.0 - 1.0;
  var toStar = vec3f(0.0);
  toStar[axis] = sign(along);
  toStar[(axis + 1u) % 3u] = star.x;
  toStar[(axis + 2u) % 3u] = star.y;
  let offset = length(cross(normalize(among), normalize(toStar))) / pixel;
  // Stars of one magnitude are about three times as many as stars of the next brighter magnitude.
  let brightness = 0.03 * pow(max(unitFloat(hash1(seed + 2u)), 0.005), -0.8);
  let warmth = unitFloat(hash1(seed + 3u));
  let color = mix(vec3f(0.7, 0.82, 1.0), vec3f(1.0, 0.86, 0.7), warmth);
  return color * (details.stars * brightness * exp(-1.2 * offset * offset));
}
