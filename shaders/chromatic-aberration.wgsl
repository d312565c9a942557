// A lens that refracts red and blue light differently (src/render/effects/chromatic-aberration.ts). Joined to
// tone-mapping.wgsl. The structure ChromaticAberration is generated.

fn chromaticAberration(pixel: vec2u, options: ChromaticAberration) -> vec4f {
  let middle = settings.whole * 0.5 - settings.part;
  let place = vec2f(pixel) + 0.5 - middle;
  let red = smoothPictureAt(middle + place / (1.0 + options.amount));
  let blue = smoothPictureAt(middle + place / (1.0 - options.amount));
  let green = pictureAt(pixel);
  return vec4f(red.r, green.g, blue.b, max(green.a, max(red.a, blue.a)));
}

// Returns the picture at a place, interpolated between the centres of four pixels.
fn smoothPictureAt(place: vec2f) -> vec4f {
  let last = vec2f(textureDimensions(sceneColor)) - 1.0;
  let corner = clamp(place - 0.5, vec2f(0.0), last);
  let share = fract(corner);
  let near = vec2u(corner);
  let far = min(near + vec2u(1u), vec2u(last));
  let upper = mix(pictureAt(near), pictureAt(vec2u(far.x, near.y)), share.x);
  let lower = mix(pictureAt(vec2u(near.x, far.y)), pictureAt(far), share.x);
  return mix(upper, lower, share.y);
}
