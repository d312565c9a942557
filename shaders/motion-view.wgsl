// Shows the motion of surfaces as colours (the debug view `motion`). Red increases with motion to the right, green with
// motion upwards. Grey surfaces stand still. Black pixels have no opaque surface.

@group(0) @binding(0) var source: texture_2d<f32>;

// Whether scene colour holds display colours. Otherwise a later pass encodes it, so colours are decoded here.
override isDisplayed = false;

// Pixels per frame that reach the brightest or darkest colour.
const LARGEST_MOTION = 16.0;

@fragment
fn showMotion(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let motion = textureLoad(source, vec2i(position.xy), 0);
  if motion.z <= 0.0 {
    return vec4f(0.0, 0.0, 0.0, 1.0);
  }
  // The source holds the way to the place in the last frame, in pixels right and down. So the signs are reversed.
  let shown = clamp(0.5 + 0.5 * vec3f(-motion.x, motion.y, 0.0) / LARGEST_MOTION, vec3f(0.0), vec3f(1.0));
  let decoded = select(pow((shown + 0.055) / 1.055, vec3f(2.4)), shown / 12.92, shown <= vec3f(0.04045));
  return vec4f(select(decoded, shown, isDisplayed), 1.0);
}
