// X1, X2, X3, R12: render modules add passes to the frame graph, through the public API, in every threading mode.
import type { Page } from '@playwright/test';
import type { Engine, EngineOptions, RenderModule } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

/** Code that every module of these tests contains: ways to draw over a whole target, and to answer the test. */
const HELPERS = `
const COVER = \`
  @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1) * 4.0 - 1.0, f32(index >> 1) * 4.0 - 1.0, 0.0, 1.0);
  }\`;
/** Draws over a whole target of the format. \`bindings\` are a layout's entries without their numbers. */
function painter(label, format, code, bindings = [], blend = undefined) {
  let layout, pipeline, group, version;
  return {
    prepare({ rhi, version: now }, ...resources) {
      if (!pipeline) {
        const numbered = bindings.map((entry, binding) => ({ binding, visibility: 2, ...entry }));
        layout = rhi.createBindGroupLayout({ label, entries: numbered });
        const module = rhi.createShaderModule({ label, code: COVER + code });
        pipeline = rhi.createGraphicsPipeline({
          label,
          bindGroupLayouts: [layout],
          vertex: { module, entryPoint: 'cover' },
          fragment: { module, entryPoint: 'paint', targets: [{ format, ...(blend && { blend }) }] },
        });
        rhi.destroy(module);
      }
      if (version === now) return;
      version = now;
      rhi.destroy(group);
      group = rhi.createBindGroup({ label, layout, entries: resources.map((each, binding) => ({ binding, ...each })) });
    },
    draw({ rhi }) {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(0, group);
      rhi.draw(3);
    },
  };
}
/** Reads a view's colour, and replaces it with a texture of swapped channels. */
function swapColors({ graph }, name = 'swap') {
  return graph.addPass('view', (view) => {
    const paint = painter(name, view.colorFormat, \`
      @group(0) @binding(0) var colors: texture_2d<f32>;
      @fragment fn paint(@builtin(position) position: vec4f) -> @location(0) vec4f {
        return textureLoad(colors, vec2i(position.xy), 0).brga;
      }\`, [{ texture: { sampleType: 'unfilterable-float' } }]);
    let source;
    return {
      name,
      kind: 'raster',
      setup(builder) {
        source = view.color;
        builder.read(source, 'sampled');
        const made = { ...builder.describe(source), name: builder.describe(source).name + ', ' + name };
        view.color = builder.color(builder.createTexture(made));
      },
      prepare: (context) => paint.prepare(context, { view: { texture: context.texture(source) } }),
      execute: paint.draw,
    };
  });
}
`;

declare global {
  interface Window {
    passes: {
      engine: Engine;
      errors: [code: string, message: string][];
      add: (source: string) => Promise<RenderModule>;
      pixels: (engine: Engine) => Promise<number[][]>;
    };
  }
}

/**
 * Adds `window.passes` to the page: an engine that shows an unlit red cube on blue, and helpers to add modules
 * to it.
 */
async function addEngine(page: Page, options: EngineOptions): Promise<void> {
  await page.evaluate(
    async ([options, helpers]) => {
      const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { background: '#00f', ...options });
      engine.world.addCamera({ position: [0, 0, 4] });
      engine.world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
      const errors: [string, string][] = [];
      engine.addEventListener('error', ({ detail }) => errors.push([detail.code, detail.message]));
      const add = (source: string): Promise<RenderModule> => {
        const code = `${helpers}\nexport default (api) => {\n${source}\n};`;
        const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        return engine.addRenderModule(url, { name: 'probe' });
      };
      const pixels = async (engine: Engine): Promise<number[][]> => {
        const picture = await engine.captureFrame();
        return [
          window.kit.pixel(picture, 64, 64),
          window.kit.pixel(picture, 8, 64),
          window.kit.pixel(picture, 8, 8),
        ];
      };
      window.passes = { engine, errors, add, pixels };
    },
    [options, HELPERS] as const,
  );
}

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const BLUE = [0, 0, 255, 255];

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    test(`X1: passes of all stages are part of the frame, and end with their module, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      await addEngine(page, { threading });
      const result = await page.evaluate(async () => {
        const { engine, errors, add, pixels } = window.passes;
        const module = await add(`
          const { graph } = api;
          // Counts the frames in a persistent buffer.
          graph.addPass('frame', () => {
            let counter, pipeline, layout, group, version;
            return {
              name: 'count',
              kind: 'compute',
              setup(builder) {
                counter = builder.lastingBuffer({ name: 'counter', byteLength: 16, data: new Uint32Array([100, 0, 0, 0]) });
                counter = builder.modify(counter, 'storage');
              },
              prepare({ rhi, buffer, version: now }) {
                if (version === now) return;
                version = now;
                layout ??= rhi.createBindGroupLayout({ label: 'count', entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }] });
                pipeline ??= rhi.createComputePipeline({ label: 'count', bindGroupLayouts: [layout], compute: {
                  entryPoint: 'count',
                  module: rhi.createShaderModule({ label: 'count', code: \`
                    @group(0) @binding(0) var<storage, read_write> counter: array<u32, 4>;
                    @compute @workgroup_size(1) fn count() { counter[0]++; }\` }),
                } });
                rhi.destroy(group);
                group = rhi.createBindGroup({ label: 'count', layout, entries: [{ binding: 0, buffer: buffer(counter) }] });
              },
              execute({ rhi }) {
                rhi.setComputePipeline(pipeline);
                rhi.setBindGroup(0, group);
                rhi.dispatch(1, 1, 1);
              },
            };
          });
          swapColors(api);
          // Draws over the left edge of the picture, with a brightness that depends on the number of frames.
          graph.addPass('picture', (picture) => {
            let counter, paint;
            return {
              name: 'mark',
              kind: 'raster',
              setup(builder) {
                counter = builder.findBuffer('counter');
                builder.read(counter, 'storage');
                picture.attach(builder);
              },
              prepare(context) {
                paint ??= painter('mark', picture.format, \`
                  @group(0) @binding(0) var<storage, read> counter: array<u32, 4>;
                  @fragment fn paint(@builtin(position) position: vec4f) -> @location(0) vec4f {
                    if (position.x > 16.0) { discard; }
                    return vec4f(f32(counter[0] - 100u) * 0.25, 0.0, 0.0, 1.0);
                  }\`, [{ buffer: { type: 'read-only-storage' } }]);
                paint.prepare(context, { buffer: context.buffer(counter) });
              },
              execute: (context) => paint.draw(context),
            };
          });
        `);
        await engine.step(0);
        const drawn = await pixels(engine); // the second frame
        const [, third] = await pixels(engine);
        module.remove();
        await engine.step(0);
        const without = await pixels(engine);
        const { leaks } = await engine.dispose();
        return { drawn, third, without, leaks, errors };
      });
      expect(result.errors).toEqual([]);
      // Half of linear red is 188 in sRGB. The scene does not draw the background, so only the cube's colour is
      // swapped.
      expect(result.drawn).toEqual([GREEN, [188, 0, 0, 255], [188, 0, 0, 255]]);
      expect(result.without).toEqual([RED, BLUE, BLUE]);
      expect(result.leaks).toEqual([]);
      expect(result.third).toEqual([225, 0, 0, 255]);
    });
  }
}

/** Faulty passes and their expected errors. */
const FAULTS: readonly (readonly [name: string, stage: string, pass: string, message: RegExp])[] = [
  [
    'a set-up that throws',
    'view',
    `setup() { throw new Error('on purpose'); }, execute() {}`,
    /setup\(\) of the pass "bad" of the render module "probe" threw: on purpose\. Later frames omit the pass/,
  ],
  [
    'execution that throws',
    'view',
    `setup(builder) { target.color = builder.color(target.color); }, execute() { throw new Error('on purpose'); }`,
    /execute\(\) of the pass "bad".*on purpose/,
  ],
  [
    'use of what was not declared',
    'view',
    `setup(builder) { target.color = builder.color(target.color); }, execute({ texture }) { texture(target.depth); }`,
    /The pass "bad" uses "scene depth" without having declared it/,
  ],
  [
    'contents that are gone',
    'view',
    `setup(builder) { const before = target.color; target.color = builder.color(before); builder.read(before, 'sampled'); }, execute() {}`,
    /reads and writes "scene colour, swap", as color and as sampled/,
  ],
  [
    'a command of the graph',
    'view',
    `setup(builder) { target.color = builder.color(target.color); }, execute({ rhi }) { rhi.endRenderPass(); }`,
    /execute\(\) of the pass "bad" records endRenderPass, which is reserved for the frame graph/,
  ],
  [
    'the end of the frame',
    'view',
    `setup(builder) { target.color = builder.color(target.color); }, execute({ rhi }) { rhi.endFrame(); }`,
    /records endFrame, which is reserved for the frame graph/,
  ],
  [
    'an upload in a render pass',
    'view',
    `setup(builder) { target.color = builder.color(target.color); },
     execute({ rhi }) { const buffer = rhi.createBuffer({ label: 'b', byteLength: 4, usage: 8 }); rhi.writeBuffer(buffer, 0, new Uint32Array(1)); }`,
    /records writeBuffer, which is only allowed outside passes\. This call records in its render pass/,
  ],
  [
    'an argument of the wrong kind',
    'view',
    `setup(builder) { target.color = builder.color(target.color); }, prepare({ rhi }) { rhi.createBuffer({ label: 'b', byteLength: 'four', usage: 8 }); }, execute() {}`,
    /prepare\(\) of the pass "bad".*byteLength/,
  ],
  [
    'a colour of another size',
    'view',
    `setup(builder) { target.color = builder.color(builder.createTexture({ name: 'x', width: 8, height: 8, format: 'rgba16float' })); }, execute() {}`,
    /"x" can't be the colour of a view/,
  ],
  [
    'a name that is taken',
    'frame',
    `setup(builder) { builder.createTexture({ name: 'one', width: 8, height: 8, format: 'rgba16float' }); builder.createTexture({ name: 'one', width: 8, height: 8, format: 'rgba16float' }); }, execute() {}`,
    /can't be named "one"/,
  ],
  [
    'a pass without a function to execute',
    'picture',
    `setup(builder) { target.attach(builder); }`,
    /needs a name, a kind \(raster, compute, copy\) and the functions setup and execute/,
  ],
];

test('X1: a pass that breaks a rule is named in an error and ends; the picture goes on', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/render module "probe" threw/);
  await openEnginePage(page, plainURL);
  await addEngine(page, { antialias: false });
  const results = await page.evaluate(async (faults) => {
    const { engine, errors, add, pixels } = window.passes;
    await add('swapColors(api);');
    const found = [];
    for (const [, stage, pass] of faults) {
      const module = await add(`
        api.graph.addPass('${stage}', (target) => ({ name: 'bad', kind: 'raster', ${pass} }));
        swapColors(api, 'swap once more');
      `);
      await engine.step(0);
      const drawn = await pixels(engine);
      found.push({ drawn, errors: errors.splice(0) });
      module.remove();
    }
    const refusal = await add(`api.graph.addPass('nowhere', () => ({}));`).catch(
      (error: Error) => error.message,
    );
    const { leaks } = await engine.dispose();
    return { found, refusal, leaks };
  }, FAULTS);
  for (const [index, [name, , , message]] of FAULTS.entries()) {
    const { errors, drawn } = results.found[index] ?? { errors: [], drawn: [] };
    expect(errors, name).toEqual([['render-module-threw', expect.stringMatching(message)]]);
    // The colours are swapped twice.
    expect(drawn, name).toEqual([BLUE, BLUE, BLUE]);
  }
  expect(results.refusal).toContain('added a pass for the stage "nowhere"');
  expect(results.leaks).toEqual([]);
});

test('X1: a pass that draws into the scene’s MSAA samples after an effect is refused in an error that names it; before it, both show', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/render module "probe" threw/);
  await openEnginePage(page, plainURL);
  await addEngine(page, { antialias: 4 });
  const results = await page.evaluate(async () => {
    const { engine, errors, add, pixels } = window.passes;
    const attached = `api.graph.addPass('view', (view) => ({
      name: 'attached', kind: 'raster', setup(builder) { view.attachScene(builder); }, execute() {},
    }));`;
    const results = [];
    for (const source of [`swapColors(api); ${attached}`, `${attached} swapColors(api);`]) {
      const module = await add(source);
      await engine.step(0);
      results.push({ drawn: await pixels(engine), errors: errors.splice(0) });
      module.remove();
    }
    // With one sample per pixel any order works.
    engine.antialias = 1;
    await add(`swapColors(api); ${attached}`);
    await engine.step(0);
    results.push({ drawn: await pixels(engine), errors: errors.splice(0) });
    await engine.dispose();
    return results;
  });
  const drawn = [GREEN, BLUE, BLUE];
  expect(results).toEqual([
    {
      drawn,
      errors: [
        [
          'render-module-threw',
          expect.stringMatching(/"attached".*An earlier pass has assigned view\.color/),
        ],
      ],
    },
    { drawn, errors: [] },
    { drawn, errors: [] },
  ]);
});

/**
 * Code of a pass that draws a half-transparent triangle into the scene. Its edges follow neither rows nor
 * columns of pixels.
 */
const slanted = (name: string, color: string, turn: number) => `
  api.graph.addPass('view', (view) => {
    let pipeline, samples;
    return {
      name: '${name}',
      kind: 'raster',
      setup: (builder) => view.attachScene(builder),
      prepare({ rhi }) {
        if (samples === view.sampleCount) return;
        samples = view.sampleCount;
        const code = \`
          @vertex fn place(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
            let angle = f32(index) * 2.0943951 + ${turn};
            return vec4f(0.9 * cos(angle), 0.9 * sin(angle), 0.5, 1.0);
          }
          @fragment fn shade() -> @location(0) vec4f {
            return vec4f(${color}) * 0.5;
          }\`;
        const module = rhi.createShaderModule({ label: '${name}', code });
        const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
        pipeline = rhi.createGraphicsPipeline({
          label: '${name}',
          bindGroupLayouts: [],
          vertex: { module, entryPoint: 'place' },
          fragment: { module, entryPoint: 'shade', targets: [{ format: view.colorFormat, blend: { color: over, alpha: over } }] },
          depthStencil: { format: view.depthFormat, depthCompare: 'always', depthWriteEnabled: false },
          multisample: { count: samples },
        });
      },
      execute({ rhi }) {
        rhi.setGraphicsPipeline(pipeline);
        rhi.draw(3);
      },
    };
  });`;

test('X1: the deferred renderer smooths edges that passes draw into the scene, and effects read them smoothed', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/render module "probe" threw/);
  const draw = async (options: EngineOptions) => {
    await openEnginePage(page, plainURL);
    await addEngine(page, options);
    return page.evaluate(
      async ([one, other]) => {
        const { engine, errors, add } = window.passes;
        const module = await add(`${one} ${other} swapColors(api);`);
        await engine.step(0);
        const drawn = [...(await engine.captureFrame()).data];
        const { passes } = await engine.frameGraph();
        module.remove();
        await engine.step(0);
        const before = [...(await engine.captureFrame()).data];
        // A pass that throws after attachScene must leave nothing behind.
        await add(`api.graph.addPass('view', (view) => ({
          name: 'failing', kind: 'raster', setup(builder) { view.attachScene(builder); throw new Error('No.'); }, execute() {},
        }));`);
        await engine.step(0);
        await engine.step(0);
        const after = [...(await engine.captureFrame()).data];
        const { leaks } = await engine.dispose();
        const executed = passes.filter(({ isCulled }) => !isCulled).map(({ name }) => name);
        return {
          drawn,
          executed,
          same: `${before}` === `${after}`,
          codes: errors.map(([code]) => code),
          leaks,
        };
      },
      [slanted('rose', '1.0, 0.2, 0.4, 1.0', 0.3), slanted('yellow', '1.0, 1.0, 0.0, 1.0', 0.9)] as const,
    );
  };
  const samples = await draw({ antialias: 4 });
  const rough = await draw({ renderer: 'deferred', antialias: 1 });
  const smooth = await draw({ renderer: 'deferred', antialias: 4 });
  const off = (picture: number[]): number =>
    picture.reduce((sum, value, at) => sum + Math.abs(value - (samples.drawn[at] as number)), 0);
  console.log(`${off(smooth.drawn)} off four samples, ${off(rough.drawn)} without smoothing`);
  expect(off(rough.drawn)).toBeGreaterThan(1000);
  expect(off(smooth.drawn)).toBeLessThan(0.75 * off(rough.drawn));
  expect(smooth.executed.slice(-4)).toEqual(['yellow', 'edge smoothing 3', 'swap', expect.any(String)]);
  expect(smooth.executed.filter((name) => name.startsWith('edge smoothing'))).toHaveLength(1);
  for (const { same, codes, leaks } of [samples, rough, smooth]) {
    expect({ same, codes, leaks }).toEqual({ same: true, codes: ['render-module-threw'], leaks: [] });
  }
});

test('X2: a pass whose results are unused is not executed, unless it asks to be kept', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  await addEngine(page, { antialias: false });
  const result = await page.evaluate(async () => {
    const { engine, errors, add } = window.passes;
    const module = await add(`
      const executed = { aside: 0, kept: 0, read: 0, setUp: 0 };
      const paint = (name, isKept) => api.graph.addPass('view', (view) => ({
        name,
        kind: 'raster',
        setup(builder) {
          executed.setUp++;
          builder.color(builder.createTexture({ name, width: 8, height: 8, format: 'rgba8unorm' }), { clear: [0, 0, 0, 0] });
          if (isKept) builder.keep();
        },
        execute() { executed[name]++; },
      }));
      paint('aside', false);
      paint('kept', true);
      paint('read', false);
      api.graph.addPass('view', (view) => ({
        name: 'reader',
        kind: 'raster',
        setup(builder) {
          builder.read(builder.findTexture('read'), 'sampled');
          view.color = builder.color(view.color);
        },
        execute() {},
      }));
      api.defineCommand('report', () => api.post(executed));
    `);
    const posted = new Promise((resolve) => module.onMessage(resolve));
    await engine.step(0);
    await engine.step(0);
    module.send('report');
    await engine.step(0);
    const executed = await posted;
    const { leaks } = await engine.dispose();
    return { executed, errors, leaks };
  });
  expect(result).toEqual({
    executed: { aside: 0, kept: 2, read: 2, setUp: 6 },
    errors: [],
    leaks: [],
  });
});

for (const threading of MODES) {
  test(`X2: a pass that is left out creates no lasting resource, ${threading}`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    await addEngine(page, { antialias: false, threading });
    const result = await page.evaluate(async () => {
      const { engine, errors, add } = window.passes;
      const live = async () => {
        await engine.step(0);
        await engine.flush();
        return engine.stats().liveResources;
      };
      const addReader = (isKept: boolean) =>
        add(`
          api.graph.addPass('frame', () => ({
            name: 'sums${Number(isKept)}',
            kind: 'compute',
            setup(builder) {
              builder.read(builder.lastingBuffer({ name: 'weights${Number(isKept)}', byteLength: 1024 }), 'storage');
              builder.read(
                builder.lastingTexture({ name: 'past${Number(isKept)}', width: 8, height: 8, format: 'rgba8unorm' }),
                'sampled',
              );
              if (${isKept}) builder.keep();
            },
            execute() {},
          }));
        `);
      await live();
      const before = await live();
      const unused = await addReader(false);
      const withUnused = await live();
      const used = await addReader(true);
      const withUsed = await live();
      used.remove();
      unused.remove();
      await live();
      const after = await live();
      const { leaks } = await engine.dispose();
      return { added: [withUnused - before, withUsed - before, after - before], errors, leaks };
    });
    expect(result).toEqual({ added: [0, 2, 0], errors: [], leaks: [] });
  });
}

for (const renderer of ['forward', 'deferred'] as const) {
  test(`R12: each view has its own passes, also a view that draws into a texture, ${renderer}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    await addEngine(page, { renderer });
    const result = await page.evaluate(async () => {
      const { engine, errors, add } = window.passes;
      const { renderTexture } = window.fencepost;
      const camera = engine.world.addCamera({ position: [0, 0, 4] });
      engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 1 } });
      const away = engine.addView({ camera, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } });
      const screen = renderTexture({ width: 64, height: 64 });
      engine.addView({ camera, target: screen });
      const module = await add(`
        const sizes = [];
        api.graph.addPass('view', (view) => {
          sizes.push([view.width, view.height, view.clipFromWorld()[0] > 0, [...view.cameraPosition()]]);
          return { name: 'look', kind: 'copy', setup(builder) { builder.keep(); }, execute() {} };
        });
        swapColors(api);
        api.defineCommand('report', () => api.post(sizes));
      `);
      const posted = new Promise((resolve) => module.onMessage(resolve));
      await engine.step(0);
      const { width, data } = await engine.captureFrame();
      const at = (x: number, y: number) => [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)];
      const picture = await screen.read();
      const inTexture = [...picture.data.slice((32 * 64 + 32) * 4, (32 * 64 + 32) * 4 + 4)];
      away.dispose();
      await engine.step(0);
      module.send('report');
      await engine.step(0);
      const sizes = await posted;
      const { leaks } = await engine.dispose();
      return { left: at(32, 64), right: at(96, 64), inTexture, sizes, errors, leaks };
    });
    expect(result).toEqual({
      left: GREEN,
      right: GREEN,
      inTexture: GREEN,
      sizes: [
        [64, 64, true, [0, 0, 4]],
        [64, 128, true, [0, 0, 4]],
        [64, 128, true, [0, 0, 4]],
        [128, 128, true, [0, 0, 4]],
      ],
      errors: [],
      leaks: [],
    });
  });
}

for (const threading of MODES) {
  test(`R11: a pass gets the previous frame’s matrices, and can jitter the next picture by parts of a pixel, ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    await addEngine(page, { threading, antialias: false });
    const result = await page.evaluate(async () => {
      const { engine, errors, add } = window.passes;
      const { world } = engine;
      const camera = world.addCamera({ position: [0, 0, 4], fovY: Math.PI / 2 });
      // The picture's colour is the motion of the world's origin since the previous frame. Red is the number of
      // pixels to the side divided by 64, and green the number of pixels up or down divided by 64.
      const module = await add(`
        let ask = [0, 0];
        let uploads = 0;
        let refused = '';
        const seen = [];
        api.graph.addPass('view', (view) => {
          let uniform;
          const paint = painter('motion', view.colorFormat, \`
            struct Matrices { now: mat4x4f, before: mat4x4f, size: vec2f }
            @group(0) @binding(0) var<uniform> matrices: Matrices;
            fn pixel(clip: vec4f) -> vec2f {
              return (clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5) * matrices.size;
            }
            @fragment fn paint() -> @location(0) vec4f {
              let zero = vec4f(0.0, 0.0, 0.0, 1.0);
              let moved = pixel(matrices.now * zero) - pixel(matrices.before * zero);
              return vec4f(abs(moved) / 64.0, 0.0, 1.0);
            }\`, [{ buffer: { type: 'uniform' } }]);
          return {
            name: 'motion',
            kind: 'raster',
            setup(builder) {
              seen.push([...view.jitter]);
              view.jitterNext(...ask);
              try { view.jitterNext(2, 0); } catch (error) { refused = error.code; }
              const made = { ...builder.describe(view.color), name: 'motion' };
              view.color = builder.color(builder.createTexture(made));
            },
            prepare(context) {
              const { rhi } = context;
              uniform ??= rhi.createBuffer({ label: 'matrices', byteLength: 144, usage: 0x40 | 0x8 });
              // captureFrame draws an additional frame, in which nothing moves. Without a limit of uploads, that
              // frame would overwrite the matrices.
              if (uploads-- > 0) {
                rhi.writeBuffer(uniform, 0, view.clipFromWorld());
                rhi.writeBuffer(uniform, 64, view.previousClipFromWorld());
                rhi.writeBuffer(uniform, 128, new Float32Array([view.width, view.height, 0, 0]));
              }
              paint.prepare(context, { buffer: uniform });
            },
            execute: paint.draw,
          };
        });
        api.defineCommand('show', () => { uploads = 1; });
        api.defineCommand('ask', (pixels) => { ask = pixels; });
        api.defineCommand('report', () => api.post([refused, seen.at(-1)]));
      `);
      const moved = async (): Promise<number[]> => {
        module.send('show');
        await engine.step(0);
        const { data } = await engine.captureFrame();
        const linear = (at: number) => {
          const encoded = (data[at] ?? 0) / 255;
          return (encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4) * 64;
        };
        return [linear(0), linear(1)];
      };
      const first = await moved();
      camera.position.x = 0.5;
      const turned = await moved();
      const resting = await moved();
      module.send('ask', [0.5, -0.25]);
      // The request in this frame takes effect in the next one.
      await engine.step(0);
      const jittered = await moved();
      const posted = new Promise((resolve) => module.onMessage(resolve));
      module.send('report');
      await engine.step(0);
      const { leaks } = await engine.dispose();
      return { first, turned, resting, jittered, posted: await posted, errors, leaks };
    });
    expect(result).toMatchObject({
      first: [0, 0],
      resting: [0, 0],
      posted: ['graph-jitter-refused', [0.5, -0.25]],
      errors: [],
      leaks: [],
    });
    // The origin moves by half a metre at a distance of four metres, where 128 pixels are 8 metres.
    expect(result.turned[0]).toBeCloseTo(8, 0);
    expect(result.turned[1]).toBe(0);
    expect(result.jittered[0]).toBeCloseTo(0.5, 1);
    expect(result.jittered[1]).toBeCloseTo(0.25, 1);
  });
}

for (const threading of MODES) {
  test(`G5, R11: each view keeps its own matrices and jitter from frame to frame, ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    await addEngine(page, { threading, antialias: false });
    const result = await page.evaluate(async () => {
      const { engine, errors, add } = window.passes;
      const { renderTexture } = window.fencepost;
      const { world } = engine;
      const side = world.addCamera({ position: [3, 0, 0] });
      const front = world.addCamera({ position: [0, 0, 4] });
      engine.addView({ camera: side, target: renderTexture({ width: 64, height: 64 }) });
      const module = await add(`
        const seen = {};
        api.graph.addPass('view', (view) => ({
          name: 'watch',
          kind: 'raster',
          setup(builder) {
            (seen[view.width] ??= []).push({
              now: view.clipFromWorld().join(),
              before: view.previousClipFromWorld().join(),
              jitter: view.jitter.join(),
            });
            if (view.width === 64) view.jitterNext(0.5, 0);
            view.color = builder.color(view.color);
          },
          execute() {},
        }));
        api.defineCommand('report', () => api.post(seen));
      `);
      for (let frame = 1; frame <= 4; frame++) {
        front.position.x = frame * 0.1;
        side.position.y = frame * 0.2;
        await engine.step(0);
      }
      const posted = new Promise<Record<string, { now: string; before: string; jitter: string }[]>>(
        (resolve) => {
          module.onMessage((seen) => resolve(seen as never));
        },
      );
      module.send('report');
      await engine.step(0);
      const { leaks } = await engine.dispose();
      return { seen: await posted, errors, leaks };
    });
    expect(result).toMatchObject({ errors: [], leaks: [] });
    const { 64: side = [], 128: front = [] } = result.seen;
    for (const frames of [side, front]) {
      expect(frames.length).toBeGreaterThanOrEqual(4);
      for (const [index, { before }] of frames.slice(1).entries()) expect(before).toBe(frames[index]?.now);
      // The cameras move in each of the first four frames.
      expect(new Set(frames.slice(0, 4).map(({ now }) => now)).size).toBe(4);
    }
    expect(side.map(({ jitter }) => jitter).slice(0, 4)).toEqual(['0,0', '0.5,0', '0.5,0', '0.5,0']);
    expect(front.map(({ jitter }) => jitter).slice(0, 4)).toEqual(['0,0', '0,0', '0,0', '0,0']);
  });
}

for (const threading of MODES) {
  test(`X1: the first pass that a command adds is part of the same frame, ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    await addEngine(page, { threading });
    const result = await page.evaluate(async () => {
      const { engine, errors, add, pixels } = window.passes;
      const module = await add(`api.defineCommand('swap', () => { swapColors(api); });`);
      await engine.step(0);
      module.send('swap');
      await engine.step(0);
      const { passes } = await engine.frameGraph();
      const drawn = await pixels(engine);
      const { leaks } = await engine.dispose();
      return { drawn, names: passes.map(({ name }) => name), errors, leaks };
    });
    expect(result).toEqual({
      drawn: [GREEN, BLUE, BLUE],
      names: expect.arrayContaining(['swap']),
      errors: [],
      leaks: [],
    });
  });
}

test('X1: resource names are separate for each view, so the same passes draw all views', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await addEngine(page, { antialias: 4 });
  const result = await page.evaluate(async () => {
    const { engine, errors, add, pixels } = window.passes;
    const { renderTexture } = window.fencepost;
    await add(`
      const source = { texture: { sampleType: 'unfilterable-float' } };
      // The pass creates textures as large as the view. One of them is persistent.
      api.graph.addPass('view', (view) => ({
        name: 'aside',
        kind: 'raster',
        setup(builder) {
          const { width, height, colorFormat: format } = view;
          const clear = [0, 0, 0, 0];
          builder.color(builder.createTexture({ name: 'aside', width, height, format }), { clear });
          builder.color(builder.lastingTexture({ name: 'kept', width, height, format }), { clear });
        },
        execute() {},
      }));
      api.graph.addPass('view', (view) => {
        const paint = painter('shown', view.colorFormat, \`
          @group(0) @binding(0) var aside: texture_2d<f32>;
          @fragment fn paint(@builtin(position) position: vec4f) -> @location(0) vec4f {
            let width = textureDimensions(aside).x;
            return textureLoad(aside, vec2i(position.xy), 0)
              + vec4f(f32(width == 128), f32(width == 64), f32(width == 32), 1.0);
          }\`, [source]);
        let aside;
        return {
          name: 'shown',
          kind: 'raster',
          setup(builder) {
            if (!builder.has('kept')) throw new Error('The texture "kept" of the earlier pass is missing.');
            aside = builder.findTexture('aside');
            builder.read(aside, 'sampled');
            view.color = builder.color(view.color);
          },
          prepare: (context) => paint.prepare(context, { view: { texture: context.texture(aside) } }),
          execute: paint.draw,
        };
      });
    `);
    await engine.whenReady();
    await engine.step(0);
    const alone = await pixels(engine);
    const camera = engine.world.addCamera({ position: [0, 0, 4] });
    engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.25 } });
    const screen = renderTexture({ width: 32, height: 32 });
    engine.addView({ camera, target: screen });
    const small = window.kit.pixel(await screen.read(), 16, 16);
    const both = await pixels(engine);
    const { resources } = await engine.frameGraph();
    const names = resources.map(({ name }) => name).filter((name) => /^(aside|kept)/.test(name));
    const { leaks } = await engine.dispose();
    return { alone, both, small, names, errors, leaks };
  });
  expect(result.errors).toEqual([]);
  expect(result.alone).toEqual([RED, RED, RED]);
  expect(result.both).toEqual([RED, RED, GREEN]);
  expect(result.small).toEqual(BLUE);
  expect(result.names.sort()).toEqual([
    'aside',
    'aside, view 1',
    'aside, view 2',
    'kept',
    'kept, view 1',
    'kept, view 2',
  ]);
  expect(result.leaks).toEqual([]);
});

test('X1: passes are restored after a lost device and on other threads', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  await addEngine(page, { threading: 'render' });
  const result = await page.evaluate(async () => {
    const { engine, errors, add, pixels } = window.passes;
    await add('swapColors(api);');
    await engine.step(0);
    const drawn = [await pixels(engine)];
    await engine.simulateDeviceLoss();
    drawn.push(await pixels(engine));
    await engine.setThreading('single');
    drawn.push(await pixels(engine));
    await engine.setThreading('render+rhi');
    drawn.push(await pixels(engine));
    const { leaks } = await engine.dispose();
    return { drawn, errors, leaks };
  });
  expect(result.drawn).toEqual(Array(4).fill([GREEN, BLUE, BLUE]));
  expect(result.leaks).toEqual([]);
  expect(result.errors).toEqual([]);
});
