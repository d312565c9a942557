// Grading of tone-mapped colours (src/render/effects/color-grading.ts). Joined to tone-mapping.wgsl. The structure
// ColorGrading is generated. White is shifted in linear light. All other steps change encoded colours (sRGB), for which
// tables are made.

fn colorGrading(color: vec3f, point: vec2f, options: ColorGrading) -> vec3f {
  var light = color;
  if isDisplayed {
    light = decodedColor(color);
  }
  let balanced = options.balance[0].xyz * light.r + options.balance[1].xyz * light.g + options.balance[2].xyz * light.b;
  var shown = encodedColor(max(balanced, vec3f(0.0)));
  shown = options.gain * (shown + options.lift * (1.0 - shown));
  shown = pow(max(shown, vec3f(0.0)), options.inverseGamma);
  shown = (shown - 0.5) * options.contrast + 0.5;
  let brightness = dot(shown, vec3f(0.2126, 0.7152, 0.0722));
  shown = clamp(mix(vec3f(brightness), shown, options.saturation), vec3f(0.0), vec3f(1.0));
  shown = mix(shown, tabled(shown, options), options.tableAmount);
  shown = clamp(shown, vec3f(0.0), vec3f(1.0));
  if isDisplayed {
    return shown;
  }
  return decodedColor(shown);
}

// Looks up a colour in the table. A cube is interpolated along the six tetrahedra around its diagonal, which keeps
// greys exact.
fn tabled(shown: vec3f, options: ColorGrading) -> vec3f {
  let place = clamp((shown - options.least) * options.scale, vec3f(0.0), vec3f(options.last));
  let corner = min(vec3u(place), vec3u(u32(options.last) - 1u));
  let share = place - vec3f(corner);
  if options.isCube == 0u {
    let low = vec3f(curveAt(corner.x).r, curveAt(corner.y).g, curveAt(corner.z).b);
    let high = vec3f(curveAt(corner.x + 1u).r, curveAt(corner.y + 1u).g, curveAt(corner.z + 1u).b);
    return mix(low, high, share);
  }
  // Steps along the largest share first.
  let isRedFirst = share.r >= share.g && share.r >= share.b;
  let isGreenFirst = !isRedFirst && share.g >= share.b;
  let isRedLast = share.r < share.g && share.r < share.b;
  let isGreenLast = !isRedLast && share.g < share.b;
  let first = select(select(vec3u(0u, 0u, 1u), vec3u(0u, 1u, 0u), isGreenFirst), vec3u(1u, 0u, 0u), isRedFirst);
  let last = select(select(vec3u(0u, 0u, 1u), vec3u(0u, 1u, 0u), isGreenLast), vec3u(1u, 0u, 0u), isRedLast);
  let most = max(share.r, max(share.g, share.b));
  let least = min(share.r, min(share.g, share.b));
  let middle = share.r + share.g + share.b - most - least;
  let far = corner + vec3u(1u);
  return cubeAt(corner, options) * (1.0 - most) + cubeAt(corner + first, options) * (most - middle)
    + cubeAt(far - last, options) * (middle - least) + cubeAt(far, options) * least;
}

fn curveAt(x: u32) -> vec3f {
  return textureLoad(effectTable, vec2u(x, 0u), 0).rgb;
}

fn cubeAt(texel: vec3u, options: ColorGrading) -> vec3f {
  let size = u32(options.last) + 1u;
  return textureLoad(effectTable, vec2u(texel.b * size + texel.r, texel.g), 0).rgb;
}

fn encodedColor(light: vec3f) -> vec3f {
  return select(1.055 * pow(light, vec3f(1.0 / 2.4)) - 0.055, light * 12.92, light <= vec3f(0.0031308));
}

fn decodedColor(shown: vec3f) -> vec3f {
  return select(pow((shown + 0.055) / 1.055, vec3f(2.4)), shown / 12.92, shown <= vec3f(0.04045));
}
