// Draws a face of the cube: a photographer's grey studio, with large soft lights above, to the left, to the right and
// behind.

@fragment
fn drawFace(input: Corner) -> @location(0) vec4f {
  let direction = normalize(directionAt(input.position));
  let wall = mix(vec3f(0.12), vec3f(0.55), smoothstep(-0.9, 0.6, direction.y));
  let above = 9.0 * panel(direction, vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), vec2f(0.75, 0.55));
  let left = 5.0 * panel(direction, normalize(vec3f(-1.0, 0.35, 0.55)), vec3f(0.0, 1.0, 0.0), vec2f(0.6, 0.35));
  let right = 3.0 * panel(direction, normalize(vec3f(1.0, 0.25, 0.35)), vec3f(0.0, 1.0, 0.0), vec2f(0.8, 0.25));
  let behind = 2.0 * panel(direction, normalize(vec3f(0.1, 0.3, -1.0)), vec3f(0.0, 1.0, 0.0), vec2f(0.35, 0.8));
  let warm = vec3f(1.0, 0.96, 0.9);
  let cool = vec3f(0.9, 0.95, 1.0);
  return vec4f(wall + vec3f(above) + left * warm + right * cool + vec3f(behind), 1.0);
}

// Returns 1 inside a rectangle that faces the centre from a distance of 1, and 0 outside, with a soft edge. `extent` is
// half of its height and width.
fn panel(direction: vec3f, toPanel: vec3f, upHint: vec3f, extent: vec2f) -> f32 {
  let facing = dot(direction, toPanel);
  if facing <= 0.0 {
    return 0.0;
  }
  let across = normalize(cross(upHint, toPanel));
  let along = cross(toPanel, across);
  let point = vec2f(dot(direction, along), dot(direction, across)) / facing;
  let inside = smoothstep(extent + 0.06, extent - 0.06, abs(point));
  return inside.x * inside.y;
}
