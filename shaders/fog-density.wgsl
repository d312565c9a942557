// Density of the fog between the camera and a place (src/render/effects/fog.ts). Joined to a shader that binds the
// structure View as `view`.
//
//   density    up to `fogHeight`: fogDensity          above it: fogDensity · exp(−fogFalloff · metres above it)
//   passed     exp(−sum of the density along the ray, from `fogStart` on)      share of light that passes the fog

struct FogRay {
  begin: vec3f,
  // Away from the camera, of unit length.
  direction: vec3f,
  metres: f32,
}

fn fogRayTo(position: vec3f) -> FogRay {
  let offset = position - view.cameraPosition;
  if view.isOrthographic != 0u {
    let depth = max(dot(offset, view.cameraForward), 0.0);
    return FogRay(position - view.cameraForward * depth, view.cameraForward, depth);
  }
  let metres = length(offset);
  return FogRay(view.cameraPosition, offset / max(metres, 1e-6), metres);
}

// Returns the share of light that passes the fog along a ray.
fn passedAlong(ray: FogRay) -> f32 {
  let clear = min(view.fogStart, ray.metres);
  let height = ray.begin.y + ray.direction.y * clear - view.fogHeight;
  let density = view.fogDensity * meanDensity(height, ray.direction.y * (ray.metres - clear));
  return exp(-density * (ray.metres - clear));
}

// Returns the mean density between two heights above `fogHeight`, as a share of `fogDensity`. The heights are `height`
// and `height + rise`, in metres.
fn meanDensity(height: f32, rise: f32) -> f32 {
  if abs(rise) * view.fogFalloff < 0.01 {
    return exp(-view.fogFalloff * max(height + rise * 0.5, 0.0));
  }
  return (densityBelow(height + rise) - densityBelow(height)) / rise;
}

// Returns the integral of the share from `fogHeight` to a height above it; negative for a height below it.
fn densityBelow(height: f32) -> f32 {
  return min(height, 0.0) + (1.0 - exp(-view.fogFalloff * max(height, 0.0))) / view.fogFalloff;
}
