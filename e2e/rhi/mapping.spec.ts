// Buffer mapping on WebGPU, checked by bytes. Reads never return contents from before a draw bundle's write,
// and earlier commands of a list do not undo a mapped write (M7). A list with a mapped buffer is not
// submitted (M6). A buffer that changes every frame can be read without waiting (M2). Each test runs in the
// page with `fencepost/rhi` alone.
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

test.beforeEach(async ({ page }) => {
  await openLoadedPage(page, '/e2e/rhi/commands.html');
  await page.evaluate(async () => {
    const { BufferMapping, BufferUsage, createRhi, DeferredContext, FrameFlag, openDevice, ShaderStage } =
      window.rhi;
    /** Creates an RHI, a storage buffer of four words, and functions that add 1 to its first word on the GPU. */
    const setUpCounting = async () => {
      const { device } = await openDevice(navigator.gpu);
      const errors: string[] = [];
      const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
      const { context } = rhi;
      const mapping = new BufferMapping(rhi);
      const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyTarget;
      const counter = context.createBuffer({ label: 'counter', byteLength: 16, usage });
      const layout = context.createBindGroupLayout({
        label: 'counter',
        entries: [
          {
            binding: 0,
            visibility: ShaderStage.fragment | ShaderStage.compute,
            buffer: { type: 'storage' },
          },
        ],
      });
      const group = context.createBindGroup({
        label: 'counter',
        layout,
        entries: [{ binding: 0, buffer: counter }],
      });
      const module = context.createShaderModule({
        label: 'count',
        code: /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> numbers: array<atomic<u32>>;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
}
@fragment fn countTexel() -> @location(0) vec4f { atomicAdd(&numbers[0], 1u); return vec4f(1); }
@compute @workgroup_size(1) fn count() { atomicAdd(&numbers[0], 1u); }`,
      });
      const drawing = context.createGraphicsPipeline({
        label: 'count',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'corner' },
        fragment: { module, entryPoint: 'countTexel', targets: [{ format: 'rgba8unorm' }] },
      });
      const computing = context.createComputePipeline({
        label: 'count',
        bindGroupLayouts: [layout],
        compute: { module, entryPoint: 'count' },
      });
      const texel = context.createTexture({
        label: 'texel',
        width: 1,
        height: 1,
        format: 'rgba8unorm',
        usage: window.rhi.TextureUsage.renderAttachment,
      });
      const bundle = context.createDrawBundle({ label: 'count' }, (draws) => {
        draws.setGraphicsPipeline(drawing);
        draws.setBindGroup(0, group);
        draws.draw(3);
      });
      const pass = {
        label: 'count',
        colorAttachments: [{ view: { texture: texel }, loadOp: 'clear', storeOp: 'store' }],
      } as const;
      const inPass = (work: () => void) => {
        context.beginRenderPass(pass);
        work();
        context.endRenderPass();
      };
      const deferred = new DeferredContext();
      const count = {
        bundle: () => inPass(() => context.executeDrawBundle(bundle)),
        bundleInList: () =>
          inPass(() => {
            deferred.begin(context.openSubList('count'));
            deferred.executeDrawBundle(bundle);
            context.executeSubLists([deferred.finish()]);
          }),
        dispatch: () => {
          context.beginComputePass({ label: 'count' });
          context.setComputePipeline(computing);
          context.setBindGroup(0, group);
          context.dispatch(1);
          context.endComputePass();
        },
      };
      let frame = 0;
      const begin = () => context.beginFrame(frame++, FrameFlag.waitForPipelines);
      /** Resolves when the GPU has finished and pending reads have their bytes. */
      const settle = async () => {
        await rhi.flush();
        for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      };
      /** Returns the first word, or `null` if it is not available yet. */
      const tryRead = (allowOlder = false) => {
        try {
          const mapped = mapping.map(counter, 'read', { doNotWait: true, allowOlder });
          const [first] = mapped.words;
          mapped.unmap();
          return first ?? -1;
        } catch (error) {
          if ((error as { code: string }).code === 'was-still-drawing') return null;
          throw error;
        }
      };
      const end = () => {
        rhi.dispose();
        device.destroy();
        return errors;
      };
      return { rhi, context, mapping, counter, bundle, inPass, count, begin, settle, tryRead, end };
    };
    Object.assign(window, { setUpCounting });
  });
});

type Rhi = import('fencepost/rhi').Rhi;
declare global {
  interface Window {
    setUpCounting(): Promise<{
      rhi: Rhi;
      context: Rhi['context'];
      mapping: import('fencepost/rhi').BufferMapping;
      counter: import('fencepost/rhi').BufferHandle;
      bundle: import('fencepost/rhi').DrawBundleHandle;
      inPass(work: () => void): void;
      count: Record<'bundle' | 'bundleInList' | 'dispatch', () => void>;
      begin(): void;
      settle(): Promise<void>;
      tryRead(allowOlder?: boolean): number | null;
      end(): string[];
    }>;
  }
}

for (const how of ['bundle', 'bundleInList'] as const) {
  test(`M7 a read without waiting never returns contents from before a draw bundle’s write: ${how}`, async ({
    page,
  }) => {
    const { seen, errors } = await page.evaluate(async (how) => {
      const { context, counter, count, begin, settle, tryRead, end } = await window.setUpCounting();
      /** Pairs of the value that was read and the GPU's count. */
      const seen: [number | null, number][] = [];
      let counted = 0;
      for (let frame = 0; frame < 12; frame++) {
        begin();
        // The handle that the bundle names gets new, zeroed memory.
        if (frame === 6) {
          context.renameBuffer(counter);
          counted = 0;
        }
        if (frame % 3 === 2) {
          count[how]();
          counted++;
        }
        seen.push([tryRead(), counted]);
        context.endFrame();
        await settle();
      }
      return { seen, errors: end() };
    }, how);
    expect(errors).toEqual([]);
    expect(seen).toEqual([
      ...[
        [null, 0],
        [0, 0],
        [null, 1],
      ],
      ...[
        [1, 1],
        [null, 1],
        [null, 2],
      ],
      ...[
        [null, 0],
        [0, 0],
        [null, 1],
      ],
      ...[
        [1, 1],
        [null, 1],
        [null, 2],
      ],
    ]);
  });
}

test('M7 a write-no-overwrite takes effect after a clear, a copy, a dispatch and a draw bundle of the same list', async ({
  page,
}) => {
  const { seen, errors } = await page.evaluate(async () => {
    const { rhi, context, mapping, counter, count, begin, end } = await window.setUpCounting();
    const { copySource } = window.rhi.BufferUsage;
    const zeros = context.createBuffer({ label: 'zeros', byteLength: 16, usage: copySource });
    const changes = {
      clear: () => context.clearBuffer(counter, 0, 16),
      copy: () => context.copyBufferToBuffer(zeros, 0, counter, 0, 16),
      clearAndWrite: () => {
        context.clearBuffer(counter, 0, 16);
        context.writeBuffer(counter, 0, new Uint32Array(2));
      },
      dispatch: count.dispatch,
      bundle: count.bundle,
    };
    const seen: Record<string, string> = {};
    for (const [name, change] of Object.entries(changes)) {
      begin();
      context.writeBuffer(counter, 0, Uint32Array.of(1, 1, 1, 1));
      change();
      const mapped = mapping.map(counter, 'write-no-overwrite', { byteLength: 8 });
      mapped.words.set([5, 6]);
      mapped.unmap();
      const reading = rhi.read(counter);
      context.endFrame();
      seen[name] = new Uint32Array(await reading).join(' ');
    }
    return { seen, errors: end() };
  });
  expect(errors).toEqual([]);
  expect(seen).toEqual({
    clear: '5 6 0 0',
    copy: '5 6 0 0',
    clearAndWrite: '5 6 0 0',
    dispatch: '5 6 1 1',
    bundle: '5 6 1 1',
  });
});

test('M6 a frame whose draw bundle uses a mapped buffer is submitted only after it is unmapped', async ({
  page,
}) => {
  const { messages, before, after, errors } = await page.evaluate(async () => {
    const { rhi, context, mapping, counter, count, begin, settle, end } = await window.setUpCounting();
    const messages: string[] = [];
    begin();
    context.endFrame();
    await settle();
    const submitted = () => rhi.executor.completed.value;
    const empty = submitted();
    begin();
    const mapped = mapping.map(counter, 'write-no-overwrite', { byteOffset: 4, byteLength: 4 });
    count.bundle();
    try {
      context.endFrame();
    } catch (error) {
      messages.push(String(error));
    }
    await settle();
    const before = submitted() - empty;
    mapped.words[0] = 7;
    mapped.unmap();
    const reading = rhi.read(counter);
    context.endFrame();
    const words = new Uint32Array(await reading).join(' ');
    await settle();
    return { messages, before, after: [submitted() - empty, words], errors: end() };
  });
  expect(errors).toEqual([]);
  expect(messages).toEqual([
    'RhiError: The buffer "counter" is used by commands while it is mapped for write-no-overwrite. The list was not submitted. Unmap the buffer, and submit again.',
  ]);
  expect(before).toBe(0);
  expect(after).toEqual([1, '1 7 0 0']);
});

test('M2 a buffer that the GPU changes every frame is read without waiting, as of the time of the request', async ({
  page,
}) => {
  const { latest, older, errors } = await page.evaluate(async () => {
    const { context, count, begin, settle, tryRead, end } = await window.setUpCounting();
    const run = async (allowOlder: boolean) => {
      const seen: (number | null)[] = [];
      for (let frame = 0; frame < 6; frame++) {
        begin();
        count.dispatch();
        seen.push(tryRead(allowOlder));
        context.endFrame();
        await settle();
      }
      return seen;
    };
    return { latest: await run(false), older: await run(true), errors: end() };
  });
  expect(errors).toEqual([]);
  expect(latest).toEqual([null, null, null, null, null, null]);
  // The first value belongs to the last request of the first run. After that, every second frame has a value.
  expect(older).toEqual([6, null, 8, null, 10, null]);
});

test('M7 clears, copies, writes, dispatches, draw bundles and mapped writes in any order give the result of executing the calls one after the other', async ({
  page,
}) => {
  const { differences, errors } = await page.evaluate(async () => {
    const { rhi, context, mapping, counter, count, begin, end } = await window.setUpCounting();
    const { copySource, copyTarget } = window.rhi.BufferUsage;
    const other = context.createBuffer({ label: 'other', byteLength: 16, usage: copySource | copyTarget });
    const others = Uint32Array.of(100, 200, 300, 400);
    context.writeBuffer(other, 0, others);
    let state = 12345;
    /** Returns pseudo-random integers below n, the same in every run. */
    const random = (n: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const range = () => {
      const first = random(4);
      return { first, length: 1 + random(4 - first) };
    };
    const data = (length: number) => Uint32Array.from({ length }, () => random(1000));
    const model = new Uint32Array(4);
    const mapped = (mode: 'write-discard' | 'write-no-overwrite') => {
      const { first, length } = range();
      const words = data(length);
      const writing = mapping.map(counter, mode, { byteOffset: first * 4, byteLength: length * 4 });
      writing.words.set(words);
      writing.unmap();
      if (mode === 'write-discard') model.fill(0);
      model.set(words, first);
    };
    const calls: Record<string, () => void> = {
      clear: () => {
        const { first, length } = range();
        context.clearBuffer(counter, first * 4, length * 4);
        model.fill(0, first, first + length);
      },
      write: () => {
        const { first, length } = range();
        const words = data(length);
        context.writeBuffer(counter, first * 4, words);
        model.set(words, first);
      },
      copy: () => {
        const { first, length } = range();
        context.copyBufferToBuffer(other, first * 4, counter, first * 4, length * 4);
        model.set(others.subarray(first, first + length), first);
      },
      dispatch: () => {
        count.dispatch();
        model[0] = (model[0] as number) + 1;
      },
      bundle: () => {
        count.bundle();
        model[0] = (model[0] as number) + 1;
      },
      discard: () => mapped('write-discard'),
      noOverwrite: () => mapped('write-no-overwrite'),
      noOverwriteAgain: () => mapped('write-no-overwrite'),
    };
    const names = Object.keys(calls);
    const differences: string[] = [];
    for (let round = 0; round < 60; round++) {
      const called: string[] = [];
      begin();
      for (let left = 1 + random(10); left > 0; left--) {
        const name = names[random(names.length)] as string;
        calls[name]?.();
        called.push(name);
      }
      const expected = model.join(' ');
      const reading = rhi.read(counter);
      context.endFrame();
      const read = new Uint32Array(await reading).join(' ');
      if (read !== expected) differences.push(`${called.join()}: ${read} instead of ${expected}`);
    }
    return { differences, errors: end() };
  });
  expect(errors).toEqual([]);
  expect(differences).toEqual([]);
});
