// Averages the samples of a captured picture (src/render/captures/sample-sums.ts). The structure CaptureSample is
// generated. A sample is a finished picture of a tile. The last sample writes the average as bytes, row by row. A
// picture of one sample needs no sums.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<uniform> options: CaptureSample;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4f>;
// Bytes of the tile: red, green, blue and alpha of each pixel. Rows are padded to `rowWords`.
@group(0) @binding(3) var<storage, read_write> bytes: array<u32>;

@compute @workgroup_size(8, 8)
fn addSample(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= options.width || id.y >= options.height {
    return;
  }
  let shown = textureLoad(picture, id.xy + vec2u(options.x, options.y), 0);
  if options.count == 1u {
    bytes[id.y * options.rowWords + id.x] = pack4x8unorm(shown);
    return;
  }
  // Opaque pictures with `hdr` are averaged as light. Translucent pictures are averaged in sRGB, because browsers blend
  // them in sRGB. Pictures without `hdr` are averaged in sRGB, too.
  let isLight = options.isLight != 0u;
  let at = id.y * options.width + id.x;
  var sum = vec4f(select(shown.rgb, lightOf(shown.rgb), isLight), shown.a);
  if options.index > 0u {
    sum += sums[at];
  }
  sums[at] = sum;
  if options.index + 1u == options.count {
    let average = sum / f32(options.count);
    let color = select(average.rgb, colorOf(average.rgb), isLight);
    bytes[id.y * options.rowWords + id.x] = pack4x8unorm(vec4f(color, average.a));
  }
}

fn lightOf(color: vec3f) -> vec3f {
  return select(pow((color + 0.055) / 1.055, vec3f(2.4)), color / 12.92, color <= vec3f(0.04045));
}

fn colorOf(light: vec3f) -> vec3f {
  return select(1.055 * pow(light, vec3f(1.0 / 2.4)) - 0.055, light * 12.92, light <= vec3f(0.0031308));
}
