// The measure by which edges of a finished picture are found. Joined to fxaa.wgsl and smaa.wgsl.

// Whether the picture has display colours. Otherwise it has an sRGB format, and reads as light.
override isDisplayed = false;

// Returns the brightness as the eye sees it, plus the alpha. Because of the alpha, a black surface in front of a
// transparent background has an edge.
fn measureOf(color: vec4f) -> f32 {
  let luminance = max(dot(color.rgb, vec3f(0.2126, 0.7152, 0.0722)), 0.0);
  return select(sqrt(luminance), luminance, isDisplayed) + color.a;
}
