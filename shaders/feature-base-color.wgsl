// The texture of the base colour. Joined to mesh.wgsl (src/render/materials/features/).

fn readBaseColor(input: Varying, appearance: ptr<function, Appearance>) {
  let uv = baseColorUv(input);
  let color = textureSample(baseColorTexture, baseColorSampler, uv);
  if !MAY_SHOW_TEXT {
    (*appearance).baseColor *= color;
    return;
  }
  // Sampling between two mip levels blurs small text. Four samples of twice the detail are as sharp as a browser's
  // text.
  let right = dpdx(uv);
  let down = dpdy(uv);
  if !showsText(input) {
    (*appearance).baseColor *= color;
    return;
  }
  var sum = vec4f(0.0);
  for (var index = 0; index < 4; index++) {
    let corner = vec2f(vec2i(index & 1, index >> 1)) * 0.5 - 0.25;
    sum += textureSampleGrad(
      baseColorTexture, baseColorSampler, uv + right * corner.x + down * corner.y, right * 0.5, down * 0.5
    );
  }
  (*appearance).baseColor *= sum / 4.0;
}
