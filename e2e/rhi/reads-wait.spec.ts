// A frame whose results are read back waits for the pipelines that it uses. So a read right after the creation
// of a pipeline returns the results of that pipeline, not the earlier contents.
import type { CommandContext } from 'fencepost/rhi';
import { expect, test } from '../fixtures.js';

for (const place of ['in a frame', 'between frames', 'in a deferred list'] as const) {
  test(`C readBuffer right after creating the pipelines returns their results, ${place}`, async ({
    page,
  }) => {
    await page.goto('/e2e/rhi/guide.html');
    const result = await page.evaluate(async (place) => {
      const { BufferUsage, createRhi, DeferredContext, openDevice, ShaderStage, TextureUsage } =
        (await import('/dist/rhi.js' as string)) as typeof import('fencepost/rhi');
      const errors: string[] = [];
      const onError = (error: unknown) => errors.push(String(error));
      const { device } = await openDevice(navigator.gpu);
      const rhi = createRhi({ device, onError });
      const { context } = rhi;
      const results = context.createBuffer({
        label: 'results',
        byteLength: 16,
        usage: BufferUsage.storage | BufferUsage.copySource,
      });
      const target = context.createTexture({
        label: 'target',
        width: 1,
        height: 1,
        format: 'rgba8unorm',
        usage: TextureUsage.renderAttachment | TextureUsage.copySource,
      });
      const module = context.createShaderModule({
        label: 'both',
        code: `
              @group(0) @binding(0) var<storage, read_write> results: vec4u;
              @compute @workgroup_size(1) fn compute() { results = vec4u(1, 2, 3, 4); }
              @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
              }
              @fragment fn green() -> @location(0) vec4f { return vec4f(0, 1, 0, 1); }`,
      });
      const layout = context.createBindGroupLayout({
        label: 'results',
        entries: [{ binding: 0, visibility: ShaderStage.compute, buffer: { type: 'storage' } }],
      });
      const bindGroup = context.createBindGroup({
        label: 'results',
        layout,
        entries: [{ binding: 0, buffer: results }],
      });
      const computing = context.createComputePipeline({
        label: 'computing',
        bindGroupLayouts: [layout],
        compute: { module, entryPoint: 'compute' },
      });
      const drawing = context.createGraphicsPipeline({
        label: 'drawing',
        bindGroupLayouts: [],
        vertex: { module, entryPoint: 'corner' },
        fragment: { module, entryPoint: 'green', targets: [{ format: 'rgba8unorm' }] },
      });
      const record = (commands: CommandContext) => {
        commands.beginComputePass({ label: 'computing' });
        commands.setComputePipeline(computing);
        commands.setBindGroup(0, bindGroup);
        commands.dispatch(1);
        commands.endComputePass();
        commands.beginRenderPass({
          label: 'drawing',
          colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
        });
        commands.setGraphicsPipeline(drawing);
        commands.draw(3);
        commands.endRenderPass();
      };
      if (place !== 'between frames') context.beginFrame(0);
      if (place === 'in a deferred list') {
        const deferred = new DeferredContext();
        deferred.begin(context.openSubList('list'));
        record(deferred);
        context.executeSubLists([deferred.finish()]);
      } else record(context);
      const reads = [rhi.read(results), rhi.readTexture(target).then(({ buffer }) => buffer)];
      if (place !== 'between frames') context.endFrame();
      const [numbers, texels] = await Promise.all(
        reads.map((read) =>
          read.then(
            (bytes) => [...new Uint8Array(bytes)],
            (error) => String(error),
          ),
        ),
      );
      await rhi.dispose();
      return { numbers, texels, errors };
    }, place);
    expect(result.numbers).toEqual([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    expect(result.texels).toEqual([0, 255, 0, 255]);
    expect(result.errors).toEqual([]);
  });
}
