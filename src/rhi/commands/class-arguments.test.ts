import { describe, expect, it } from 'vitest';
import { createFences } from '../../sync/fences/fences.js';
import { decodeCapture, openCapture } from '../capture/decode-capture.js';
import { FlightRecorder } from '../capture/flight-recorder.js';
import { replay } from '../capture/replay.js';
import { connectFences } from '../host/connect-fences.js';
import { createRhi } from '../host/create-rhi.js';
import { CpuShadow } from '../mapping/cpu-shadow.js';
import { DynamicBuffers } from '../memory/dynamic-buffers.js';
import { reportSuballocator, Suballocator } from '../memory/suballocator.js';
import { QueryReadback } from '../record/query-readback.js';
import { openRequiredDevice } from '../webgpu/device/open-device.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { BufferUsage, TextureUsage } from './descriptors.js';

/** A call with wrong arguments, the error's code, and a pattern that its message matches. */
type Case = readonly [act: (() => unknown) | (() => Promise<unknown>), code: string, message: RegExp];

/** Returns a function without the types that would prevent calls with wrong arguments. */
const loose = <Result>(call: unknown) => call as (...args: unknown[]) => Result;
const make = (Class: unknown, ...args: unknown[]): unknown =>
  Reflect.construct(Class as new (...args: unknown[]) => unknown, args);

async function expectRefusals(cases: readonly Case[]): Promise<void> {
  for (const [act, code, message] of cases) {
    const error = await new Promise((resolve) => resolve(act())).then(
      (value) => `no error, but ${value}`,
      (thrown: unknown) => thrown,
    );
    expect(error, String(act)).toMatchObject({ code, message: expect.stringMatching(message) });
    // Each message ends with a full stop.
    expect((error as Error).message, String(act)).toMatch(/^.*\.$/s);
  }
}

describe('wrong arguments are refused in errors that name them', () => {
  it('L5 by DynamicBuffers', async () => {
    const { context } = createRhi({ device: null });
    const dynamic = new DynamicBuffers(context);
    await expectRefusals([
      [() => make(DynamicBuffers), 'option-invalid', /The context of new DynamicBuffers is undefined/],
      [() => make(DynamicBuffers, {}), 'option-invalid', /rhi\.context/],
      [() => make(DynamicBuffers, context, { usages: 1 }), 'option-unknown', /Did you mean "usage"\?/],
      [() => make(DynamicBuffers, context, 512), 'option-invalid', /given 512/],
      [
        () => make(DynamicBuffers, context, { usage: 'uniform' }),
        'option-invalid',
        /"usage" .* is "uniform"/,
      ],
      [() => make(DynamicBuffers, context, { usage: 0.5 }), 'option-invalid', /is 0.5/],
      [() => make(DynamicBuffers, context, { pageBytes: Number.NaN }), 'bad-allocation', /pageBytes is NaN/],
      [() => make(DynamicBuffers, context, { pageBytes: '512' }), 'bad-allocation', /multiple of 256/],
      [() => dynamic.allocate(Number.POSITIVE_INFINITY), 'bad-allocation', /Infinity bytes/],
      [() => dynamic.allocate(Number.NaN), 'bad-allocation', /NaN bytes/],
      [() => dynamic.allocate(2 ** 40), 'bad-allocation', /1 to 2\^32/],
    ]);
  });

  it('M4 by CpuShadow', async () => {
    const { context } = createRhi({ device: null });
    const buffer = context.createBuffer({ label: 'data', byteLength: 8, usage: BufferUsage.copyTarget });
    const shadow = new CpuShadow(context, buffer, 8);
    const other = context.createBuffer({ label: 'gone', byteLength: 8, usage: BufferUsage.copyTarget });
    context.destroy(other);
    await expectRefusals([
      [() => make(CpuShadow), 'option-invalid', /The context of new CpuShadow is undefined/],
      [() => make(CpuShadow, context, other, 8), 'stale-handle', /"gone".* can't be shadowed/],
      [() => make(CpuShadow, context, buffer), 'bad-shadow', /undefined bytes .* "data"/],
      [() => make(CpuShadow, context, buffer, '8'), 'bad-shadow', /"data"/],
      [() => shadow.set(0, [1] as never), 'bad-write', /"data" can't be set to a list\. Give a view/],
      [() => shadow.set(0, new ArrayBuffer(8) as never), 'bad-write', /"data" can't be set to an object/],
      [() => shadow.markDirty('0' as never, 4), 'out-of-range', /4 bytes at "0" do not fit/],
      [() => shadow.markDirty(0, 4n as never), 'out-of-range', /"data"/],
      [() => make(CpuShadow, context, undefined, 8), 'bad-argument', /the buffer = undefined/],
      [() => shadow.set(Number.NaN, new Uint8Array(4)), 'out-of-range', /"data"/],
    ]);
    expect(shadow.dirtyRanges).toEqual([]);
  });

  it('by QueryReadback', async () => {
    const rhi = createRhi({ device: null });
    const right = { label: 'times', type: 'timestamp', count: 2 } as const;
    const samples = new QueryReadback(rhi, right);
    await expectRefusals([
      [() => samples.timestampWrites(2, 0), 'option-invalid', /first query .* is 2; .* from 0 to 1/],
      [() => samples.timestampWrites(0, Number.NaN), 'option-invalid', /second query .* is NaN/],
      [
        () => loose(samples.occlusion.bind(samples))(rhi, 0, () => {}),
        'option-invalid',
        /context of occlusion/,
      ],
      [() => samples.occlusion(rhi.context, 2, () => {}), 'option-invalid', /query of occlusion is 2/],
    ]);
    await expectRefusals([
      [() => make(QueryReadback), 'option-invalid', /The RHI of new QueryReadback is undefined/],
      [() => make(QueryReadback, rhi), 'option-invalid', /given undefined/],
      [
        () => make(QueryReadback, rhi, { ...right, type: 'foo' }),
        'option-invalid',
        /is "foo"; it has to be "occlusion"/,
      ],
      [() => make(QueryReadback, rhi, { ...right, counts: 2 }), 'option-unknown', /Did you mean "count"\?/],
      [
        () => make(QueryReadback, rhi, { ...right, label: undefined }),
        'option-invalid',
        /"label" .* is undefined/,
      ],
      [
        () => make(QueryReadback, rhi, { ...right, count: Number.NaN }),
        'limit-exceeded',
        /queries in "times" is NaN/,
      ],
    ]);
  });

  it('L6 by Suballocator', async () => {
    const ranges = new Suballocator(100);
    await expectRefusals([
      ...[undefined, Number.NaN, -1, 'a', 0, 1.5, 2 ** 54, '64'].map(
        (capacity): Case => [
          () => make(Suballocator, capacity),
          'bad-allocation',
          /whole numbers from 1 to 2\^53/,
        ],
      ),
      [() => ranges.allocate(1.5), 'bad-allocation', /size 1.5/],
      [() => ranges.allocate(1, 2.5), 'bad-allocation', /alignment 2.5/],
      [() => ranges.free(Number.NaN), 'double-free', /offset NaN/],
    ]);
    await expectRefusals([
      [() => loose(reportSuballocator)({}), 'option-invalid', /an instance of Suballocator/],
    ]);
    expect([ranges.usedSize, ranges.allocate(100)]).toEqual([0, 0]);
  });

  it('by createFence', async () => {
    const { context } = createRhi({ device: null });
    await expectRefusals(
      [Number.NaN, -1, 1.5, 2 ** 53, '1', null].map(
        (value): Case => [
          () => loose(context.createFence.bind(context))('way', value),
          'bad-fence-value',
          /createFence of "way" was given the value .* Give a whole number/,
        ],
      ),
    );
    expect(context.createFence('way', 3)).toBeGreaterThan(0);
  });

  it('by readTexture, for a part of a texel', async () => {
    const rhi = createRhi({ device: null });
    const usage = TextureUsage.copySource;
    const format = 'rgba8unorm';
    const texture = rhi.context.createTexture({ label: 't', width: 4, height: 4, format, usage });
    await expectRefusals([
      [() => rhi.readTexture(texture, { origin: [0.5, 0, 0] }), 'out-of-range', /"t"/],
      [() => rhi.readTexture(texture, { origin: [0, 0, -1] }), 'out-of-range', /"t"/],
      [() => rhi.readTexture(texture, { mipLevel: 1 }), 'out-of-range', /"t"/],
      [() => loose(rhi.readTexture)(texture, { origin: 3 }), 'option-invalid', /"origin".* is 3/],
      [() => loose(rhi.readTexture)(texture, null), 'option-invalid', /readTexture.* null/],
      [() => loose(rhi.readTexture)(texture, { mip: 1 }), 'option-unknown', /"mip"/],
      [() => loose(rhi.readTexture)(texture, { aspect: 'red' }), 'option-invalid', /"aspect"/],
    ]);
  });

  it('by captures and replays', async () => {
    const rhi = createRhi({ device: null });
    const device = createFakeDevice().device;
    const recorder = new FlightRecorder(rhi);
    await expectRefusals([
      [
        () => loose(recorder.tapRenderCommands.bind(recorder))(5),
        'option-invalid',
        /The reader of tapRenderCommands/,
      ],
      [() => loose(recorder.addRenderCommands.bind(recorder))(), 'option-invalid', /a Uint32Array/],
    ]);
    await expectRefusals([
      [() => loose(decodeCapture)(), 'capture-format', /undefined was given/],
      [() => loose(decodeCapture)('file'), 'capture-format', /"file" was given/],
      [() => loose(decodeCapture)(new Uint8Array(4)), 'capture-format', /an object was given/],
      [() => loose(openCapture)({}), 'capture-format', /an object was given/],
      [
        () => make(FlightRecorder, rhi, { second: 3 }),
        'option-unknown',
        /new FlightRecorder has no option "second"/,
      ],
      [
        () => make(FlightRecorder, rhi, { framesPerKeyframe: Number.NaN }),
        'option-invalid',
        /is NaN; .* frames above 0/,
      ],
      [() => make(FlightRecorder, rhi, { maximumBytes: '1' }), 'option-invalid', /bytes above 0/],
      [() => make(FlightRecorder, rhi, { renderCommandNames: 'draw' }), 'option-invalid', /a list of names/],
      [
        () => loose(replay)(new ArrayBuffer(4), device, { onFrame: 5 }),
        'option-invalid',
        /"onFrame" of replay is 5/,
      ],
      [
        () => loose(replay)(new ArrayBuffer(4), device, { surface: 'canvas' }),
        'option-invalid',
        /"surface" of replay/,
      ],
    ]);
  });

  it('F8 by connectFences and bind', async () => {
    const { executor, context } = createRhi({ device: null });
    const group = createFences({ name: 'page' });
    const handle = context.createFence('way');
    const queue = connectFences(group, executor);
    await expectRefusals([
      [() => loose(connectFences)(), 'option-invalid', /The group of connectFences is undefined/],
      [() => loose(connectFences)(group), 'option-invalid', /The executor of connectFences is undefined/],
      [
        () => loose(connectFences)(group, executor, { label: 'q' }),
        'option-unknown',
        /connectFences has no option "label"/,
      ],
      [() => loose(connectFences)(group, executor, null), 'option-invalid', /given null/],
      [
        () => queue.bind(handle, undefined as never),
        'option-invalid',
        /The fence given to bind is undefined/,
      ],
      [
        () => queue.bind(handle, handle as never),
        'option-invalid',
        /a group of fences has created or opened/,
      ],
    ]);
    group.dispose();
  });

  it('H10 by openDevice', async () => {
    const gpu = { requestAdapter: async () => null } as unknown as GPU;
    await expectRefusals([
      [
        () => loose(openRequiredDevice)({}),
        'option-invalid',
        /The GPU of openDevice is an object; it has to be navigator.gpu/,
      ],
      [() => loose(openRequiredDevice)(5), 'option-invalid', /is 5/],
      [() => loose(openRequiredDevice)(), 'webgpu-missing', /no WebGPU/],
      [() => loose(openRequiredDevice)(null), 'webgpu-missing', /no WebGPU/],
      [
        () => loose(openRequiredDevice)(gpu, { requiredCapabilitie: {} }),
        'option-unknown',
        /mean "requiredCapabilities"\?/,
      ],
      [
        () => loose(openRequiredDevice)(gpu, { requiredFeatures: ['a'] }),
        'option-unknown',
        /"requiredFeatures"/,
      ],
      [() => loose(openRequiredDevice)(gpu, 5), 'option-invalid', /given 5/],
      [() => loose(openRequiredDevice)(gpu, { requiredCapabilities: ['a'] }), 'option-invalid', /is a list/],
      [
        () => loose(openRequiredDevice)(gpu, { requiredCapabilities: { a: '1' } }),
        'option-invalid',
        /whole numbers/,
      ],
      [
        () => loose(openRequiredDevice)(gpu, { required: 'a' }),
        'option-invalid',
        /"required" of openDevice is "a"/,
      ],
      [() => openRequiredDevice(gpu, { requiredCapabilities: { a: 1 } }), 'adapter-missing', /no adapter/],
    ]);
  });
});
