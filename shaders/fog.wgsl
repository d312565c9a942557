// Fog between the camera and surfaces (src/render/effects/fog.ts). Joined to mesh.wgsl and fog-density.wgsl. Blended
// surfaces and edges of multisampled pixels have fog at their own distance, because each surface is shaded with the fog
// in front of it.
//
//   colour     light of the surface · passed + light of the fog · (1 − passed)

// Whether blending adds the surface's light to the colour behind. That colour has fog already, so no fog is added.
override isAdditive = false;

// Distance of the background, in metres.
const HORIZON = 1.0e9;
// Asymmetry of the phase function of Henyey and Greenstein. Fog scatters most light forward.
const FORWARDNESS = 0.7;

// Light of the fog (rgb) and share of light that passes it (a), between the camera and the current surface.
var<private> fogHere: vec4f;

fn enterFog(position: vec3f) {
  fogHere = fogTo(position);
}

fn fogTo(position: vec3f) -> vec4f {
  return fogAlong(fogRayTo(position));
}

// Returns the light of the fog along a ray (rgb), and the share of light that passes the fog (a).
fn fogAlong(ray: FogRay) -> vec4f {
  return vec4f(fogLight(ray.direction), passedAlong(ray));
}

fn fogLight(direction: vec3f) -> vec3f {
  var light = view.fogColor;
  if HAS_ENVIRONMENT && view.fogFromEnvironment != 0u {
    light = radianceFrom(direction, 1.0);
  }
  let squared = FORWARDNESS * FORWARDNESS;
  let cosine = dot(direction, -view.fogSunDirection);
  let phase = (1.0 - squared) / (4.0 * PI * pow(max(1.0 + squared - 2.0 * FORWARDNESS * cosine, 0.01), 1.5));
  return min(light + view.fogSunLight * phase, vec3f(BRIGHTEST));
}

// Adds the fog in front of the current surface to its colour.
fn foggedColor(color: vec4f) -> vec4f {
  let passed = fogHere.a;
  if isMultiplied {
    return vec4f(mix(vec3f(1.0), color.rgb, passed), color.a);
  }
  let light = select(fogHere.rgb, displayedLight(fogHere.rgb), isUnmapped) * (1.0 - passed);
  if alphaMode == 2u {
    return vec4f(color.rgb * passed + select(light, vec3f(0.0), isAdditive), color.a);
  }
  return vec4f(color.rgb * passed + light, color.a * passed + 1.0 - passed);
}

// Dims a colour without tone mapping. The other target holds the fog of an opaque surface. A blended surface can't add
// its fog to that target, so its fog is added here, without the tone curve.
fn foggedUnmapped(color: vec4f) -> vec4f {
  if alphaMode == 2u {
    return foggedColor(color);
  }
  return color * fogHere.a;
}

// Returns the fog in front of an opaque surface without tone mapping; zero for a blended surface.
fn fogInFront() -> vec4f {
  return select(vec4f(fogHere.rgb, 1.0) * (1.0 - fogHere.a), vec4f(0.0), alphaMode == 2u);
}

fn dimmedByFog(light: vec3f, position: vec3f) -> vec3f {
  return light * passedAlong(fogRayTo(position));
}

// Removes the fog in front of the current surface from the picture behind it, which has the fog of the whole way.
fn clearedOfFog(color: vec4f) -> vec4f {
  let cleared = (color - vec4f(fogHere.rgb, 1.0) * (1.0 - fogHere.a)) / max(fogHere.a, 1e-3);
  return clamp(cleared, vec4f(0.0), vec4f(vec3f(BRIGHTEST), 1.0));
}

// Adds fog to a colour at infinity.
fn foggedFrom(color: vec4f, begin: vec3f, direction: vec3f) -> vec4f {
  let fog = fogAlong(FogRay(begin, direction, HORIZON));
  return color * fog.a + vec4f(fog.rgb, 1.0) * (1.0 - fog.a);
}

// Fog in front of a plain background: one triangle over the whole target, at the far end of depth.
struct Backdrop {
  @builtin(position) clipPosition: vec4f,
  @location(0) ndc: vec2f,
}

@vertex
fn placeFog(@builtin(vertex_index) index: u32) -> Backdrop {
  let corner = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
  return Backdrop(vec4f(corner, 0.0, 1.0), corner);
}

@fragment
fn shadeFog(input: Backdrop) -> @location(0) vec4f {
  return backdrop(input.ndc);
}

@fragment
fn shadeFogInLayers(input: Backdrop) -> Layers {
  return Layers(backdrop(input.ndc), vec4f(0.0));
}

// Returns the colour multiplied by its coverage.
fn backdrop(ndc: vec2f) -> vec4f {
  let begin = view.cameraPosition + sidewaysAt(ndc) * f32(view.isOrthographic);
  let fog = fogAlong(FogRay(begin, directionAt(ndc), HORIZON));
  return vec4f(displayColor(vec4f(fog.rgb, 1.0)).rgb, 1.0) * (1.0 - fog.a);
}
