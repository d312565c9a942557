// Turns a linear colour about the axis of greys, by Rodrigues' rotation. One turn is the whole circle of hues. Greys
// stay as they are. Components don't become negative.

fn hueShift(color: vec3f, turns: f32) -> vec3f {
  let angle = turns * 6.28318531;
  let axis = vec3f(0.57735027);
  let turned = color * cos(angle) + cross(axis, color) * sin(angle) + axis * dot(axis, color) * (1.0 - cos(angle));
  return max(turned, vec3f(0.0));
}
