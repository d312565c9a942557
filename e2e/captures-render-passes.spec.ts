import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// R11, X1: passes of render modules in pictures of any size.

/** Counts frames in a lasting buffer, fills a buffer of the frame, and paints both: count ÷ 255 in red, green. */
const MODULE = `
function compute(name, code, declare) {
  let handle, layout, pipeline, group, version;
  return {
    name,
    kind: 'compute',
    setup(builder) {
      handle = declare(builder);
    },
    prepare({ rhi, buffer, version: now }) {
      if (version === now) return;
      version = now;
      layout ??= rhi.createBindGroupLayout({ label: name, entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }] });
      pipeline ??= rhi.createComputePipeline({
        label: name,
        bindGroupLayouts: [layout],
        compute: {
          module: rhi.createShaderModule({
            label: name,
            code: \`@group(0) @binding(0) var<storage, read_write> words: array<u32>;
              @compute @workgroup_size(1) fn run() { \${code} }\`,
          }),
          entryPoint: 'run',
        },
      });
      rhi.destroy(group);
      group = rhi.createBindGroup({ label: name, layout, entries: [{ binding: 0, buffer: buffer(handle) }] });
    },
    execute({ rhi }) {
      rhi.setComputePipeline(pipeline);
      rhi.setBindGroup(0, group);
      rhi.dispatch(1, 1, 1);
    },
  };
}
export default ({ graph }) => {
  graph.addPass('frame', () =>
    compute('count', 'words[0] += 1u;', (builder) =>
      builder.modify(builder.lastingBuffer({ name: 'count', byteLength: 16 }), 'storage'),
    ),
  );
  graph.addPass('frame', () =>
    compute('mark', 'words[0] = 255u;', (builder) =>
      builder.write(builder.createBuffer({ name: 'mark', byteLength: 16 }), 'storage'),
    ),
  );
  graph.addPass('view', (view) => {
    let buffers, layout, pipeline, group, version;
    return {
      name: 'paint',
      kind: 'raster',
      setup(builder) {
        buffers = ['count', 'mark'].map((name) => builder.findBuffer(name));
        for (const each of buffers) builder.read(each, 'storage');
        const { width, height } = view;
        view.color = builder.color(
          builder.createTexture({ name: 'painted', width, height, format: view.colorFormat }),
          { clear: [0, 0, 0, 0] },
        );
      },
      prepare({ rhi, buffer, version: now }) {
        if (version === now) return;
        version = now;
        layout ??= rhi.createBindGroupLayout({
          label: 'paint',
          entries: [0, 1].map((binding) => ({ binding, visibility: 2, buffer: { type: 'read-only-storage' } })),
        });
        if (!pipeline) {
          const module = rhi.createShaderModule({
            label: 'paint',
            code: \`@group(0) @binding(0) var<storage, read> count: array<u32>;
              @group(0) @binding(1) var<storage, read> mark: array<u32>;
              @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
                return vec4f(f32(index & 1) * 4.0 - 1.0, f32(index >> 1) * 4.0 - 1.0, 0.0, 1.0);
              }
              @fragment fn paint() -> @location(0) vec4f {
                return vec4f(f32(count[0]), f32(mark[0]), 0.0, 255.0) / 255.0;
              }\`,
          });
          pipeline = rhi.createGraphicsPipeline({
            label: 'paint',
            bindGroupLayouts: [layout],
            vertex: { module, entryPoint: 'cover' },
            fragment: { module, entryPoint: 'paint', targets: [{ format: view.colorFormat }] },
          });
        }
        rhi.destroy(group);
        const entries = buffers.map((each, binding) => ({ binding, buffer: buffer(each) }));
        group = rhi.createBindGroup({ label: 'paint', layout, entries });
      },
      execute({ rhi }) {
        rhi.setGraphicsPipeline(pipeline);
        rhi.setBindGroup(0, group);
        rhi.draw(3);
      },
    };
  });
};
`;

test('R11, X1: captures run passes of views per tile and sample, and simulations once per frame', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(
    async ([modes, source]) => {
      const { createEngine } = window.fencepost;
      const { kit } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await createEngine(kit.view, { threading, antialias: false, validation: true });
        const events = kit.listen(engine);
        engine.world.addCamera({ position: [0, 0, 2] });
        const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
        await engine.addRenderModule(url, { name: 'probe' });
        await engine.step(0);
        await engine.whenReady();
        const counted = (value: number) => {
          const share = value / 255;
          return Math.round(255 * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
        };
        const read = async () => {
          const [red = 0, green] = kit.pixel(await engine.captureFrame(), 64, 64);
          return [counted(red), green];
        };
        const [before = 0] = await read();
        const { data } = await engine.captureFrame({ width: 2060, height: 6, samples: 2 });
        const colors = new Set<string>();
        for (let at = 0; at < data.length; at += 4)
          colors.add(`${counted(data[at] as number) - before} ${data[at + 1]}`);
        const [after = 0, green] = await read();
        const { leaks } = await engine.dispose();
        results.push({ colors: [...colors], frames: after - before, green, events, leaks });
      }
      return results;
    },
    [MODES, MODULE] as const,
  );
  // A capture produces a frame.
  expect(results).toEqual(
    MODES.map(() => ({ colors: ['1 255'], frames: 2, green: 255, events: [], leaks: [] })),
  );
});
