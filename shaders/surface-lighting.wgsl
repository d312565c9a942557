// Lights the surfaces that surfaces.wgsl has written, each pixel once. Joined to mesh.wgsl and surfaces.wgsl. The
// structure SurfaceView is generated.

@group(1) @binding(0) var writtenBaseColor: texture_2d<f32>;
@group(1) @binding(1) var writtenNormals: texture_2d<u32>;
@group(1) @binding(2) var writtenMaterial: texture_2d<u32>;
@group(1) @binding(3) var writtenDepth: texture_depth_2d;
@group(1) @binding(4) var<uniform> surfaceView: SurfaceView;

// Error of a position, in pixels: half the diagonal of a rasterizer's step. Rasterizers snap the corners of triangles
// to a grid, which moves a pixel's depth. WebGPU leaves the grid to the adapter: 1/256 pixel on many, 1/16 on some.
const CORNER_ERROR = 0.0442;

// One triangle covers the target.
@vertex
fn coverPicture(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn lightSurface(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(position.xy);
  let depth = textureLoad(writtenDepth, pixel, 0);
  if depth == 0.0 {
    discard;
  }
  let place = placeAt(position.xy, depth);
  // The result is added to the light that the surface emits. The sum must not exceed the greatest brightness.
  let emitted = decodeEmission(textureLoad(writtenMaterial, pixel, 0).w);
  let light = min(litColor(appearanceAt(pixel), place), BRIGHTEST * (1.0 - emitted));
  enterFog(place.position);
  return vec4f(foggedColor(vec4f(light, 1.0)).rgb, 0.0);
}

fn appearanceAt(pixel: vec2u) -> Appearance {
  let material = textureLoad(writtenMaterial, pixel, 0);
  let metallicRoughness = decodeShares(material.xy);
  let roots = textureLoad(writtenBaseColor, pixel, 0).rgb;
  var appearance: Appearance;
  appearance.baseColor = vec4f(roots * roots, 1.0);
  appearance.metallic = metallicRoughness.x;
  appearance.roughness = metallicRoughness.y;
  appearance.occlusion = decodeShares(material.zz).x;
  appearance.normal = decodeDirection(textureLoad(writtenNormals, pixel, 0).xy);
  return appearance;
}

// Returns the place of a surface at the middle of a pixel.
fn placeAt(middle: vec2f, depth: f32) -> ShadedPlace {
  let pixel = vec2u(middle);
  let fromCamera = surfaceView.offsetFromClip * clipAt(middle, depth);
  var place: ShadedPlace;
  place.position = view.cameraPosition + fromCamera.xyz / fromCamera.w;
  place.error = CORNER_ERROR * pixelSize() / abs(fromCamera.w);
  place.normal = decodeDirection(textureLoad(writtenNormals, pixel, 0).zw);
  place.pixel = middle;
  place.receivesShadow = decodeReceivesShadow(textureLoad(writtenMaterial, pixel, 0).w);
  return place;
}

fn clipAt(pixel: vec2f, depth: f32) -> vec4f {
  let share = pixel / vec2f(textureDimensions(writtenDepth));
  return vec4f(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, depth, 1.0);
}

// Returns the size of a pixel in metres, multiplied by the w that `offsetFromClip` gives for the pixel. At equal depth,
// this w is the same for all pixels.
fn pixelSize() -> f32 {
  let size = vec2f(textureDimensions(writtenDepth));
  let columns = surfaceView.offsetFromClip;
  return 2.0 * max(length(columns[0].xyz) / size.x, length(columns[1].xyz) / size.y);
}
