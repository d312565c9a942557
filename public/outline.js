const shader = (depthType) => `
  @group(0) @binding(0) var depths: ${depthType};

  @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1) * 4.0 - 1.0, f32(index >> 1) * 4.0 - 1.0, 0.0, 1.0);
  }

  fn depthAt(pixel: vec2i) -> f32 {
    return textureLoad(depths, clamp(pixel, vec2i(0), vec2i(textureDimensions(depths)) - 1), 0);
  }

  // Depth is near / distance, so the quotient of two depths shows a jump of the distance.
  @fragment fn drawLine(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(position.xy);
    let here = depthAt(pixel);
    var jump = 0.0;
    for (var side = 0; side < 4; side++) {
      let there = depthAt(pixel + vec2i((side - 1) % 2, (side - 2) % 2) * 2);
      jump = max(jump, (here - there) / max(here, 1e-9));
    }
    return vec4f(0.0, 0.0, 0.0, smoothstep(0.1, 0.2, jump));
  }`;

export default ({ graph }) => {
  graph.addPass('view', (view) => {
    let layout, pipeline, group, samples, version;

    function createPipeline(rhi) {
      samples = view.sampleCount;
      const isMultisampled = samples > 1;
      layout = rhi.createBindGroupLayout({
        label: 'outline',
        entries: [
          { binding: 0, visibility: 2, texture: { sampleType: 'depth', multisampled: isMultisampled } },
        ],
      });
      const depthType = isMultisampled ? 'texture_depth_multisampled_2d' : 'texture_depth_2d';
      const module = rhi.createShaderModule({ label: 'outline', code: shader(depthType) });
      const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
      const blend = { color: over, alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } };
      pipeline = rhi.createGraphicsPipeline({
        label: 'outline',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'cover' },
        fragment: { module, entryPoint: 'drawLine', targets: [{ format: view.colorFormat, blend }] },
      });
    }

    return {
      name: 'outline',
      kind: 'raster',
      setup(builder) {
        builder.read(view.depth, 'sampled');
        view.color = builder.color(view.color);
      },
      prepare(context) {
        const { rhi, texture } = context;
        if (samples !== view.sampleCount) createPipeline(rhi);
        if (version === context.version) return;
        version = context.version;
        rhi.destroy(group);
        const entries = [{ binding: 0, view: { texture: texture(view.depth) } }];
        group = rhi.createBindGroup({ label: 'outline', layout, entries });
      },
      execute({ rhi }) {
        rhi.setGraphicsPipeline(pipeline);
        rhi.setBindGroup(0, group);
        rhi.draw(3);
      },
    };
  });
};
