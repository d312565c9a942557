import { afterEach, describe, expect, it } from 'vitest';
import { DEBUG_VIEWS, NO_ID, RenderFrameFlag, SMOOTHINGS } from '../../proxy/commands.js';
import { PictureCaptures } from '../captures/picture-captures.js';
import { LOOK, named, RendererBench, type RhiCommand } from '../renderer.test-support.js';

let bench: RendererBench;
afterEach(() => bench.renderer.dispose());

const TAA = SMOOTHINGS.indexOf('taa');
const PASSES = ['scene', 'motion', 'temporal smoothing', 'tone mapping'];

const passesOf = (commands: readonly RhiCommand[]) =>
  named(commands, 'beginRenderPass').map(({ descriptor }) => (descriptor as { label: string }).label);

const created = (commands: readonly RhiCommand[]) =>
  commands.map(({ name }) => name).filter((name) => name.startsWith('create'));

/** Returns 1 if the uniforms say that there is no history, otherwise 0. */
const isNewIn = (commands: readonly RhiCommand[]): number | undefined => {
  const writes = named(commands, 'writeBuffer').filter(
    ({ buffer }) => bench.rhi.handles.label(buffer as number) === 'temporal smoothing',
  );
  const data = writes[0]?.data as Uint8Array | undefined;
  return data && new Float32Array(data.slice().buffer)[13];
};

/** Numbers of primitives in the headers of poses that were written. */
const headersIn = (commands: readonly RhiCommand[]): number[] =>
  named(commands, 'writeBuffer')
    .filter(({ buffer }) => bench.rhi.handles.label(buffer as number) === 'previous poses')
    .map(({ data }) => new Uint32Array((data as Uint8Array).slice().buffer)[2]!);

function setUp(settings: Partial<typeof LOOK> = {}): void {
  bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  bench.send('sceneSettings', { ...LOOK, smoothing: TAA, ...settings });
}

describe('R11 smoothing over time', () => {
  it('creates nothing in the steady state, and begins anew after a frame without the view', () => {
    setUp();
    expect(passesOf(bench.frame(1))).toEqual(PASSES);
    for (let frame = 2; frame < 6; frame++) bench.frame(frame);
    for (let frame = 6; frame < 12; frame++) {
      const commands = bench.frame(frame);
      expect(created(commands)).toEqual([]);
      expect(isNewIn(commands)).toBe(0);
      expect(named(commands, 'copyTextureToTexture')).toHaveLength(2);
    }
    // The same frame again, as late frames are drawn.
    expect(isNewIn(bench.frame(11))).toBe(0);
    expect(isNewIn(bench.frame(13))).toBe(1);
    expect(isNewIn(bench.frame(14))).toBe(0);
  });

  it('draws motion with a new layout once another feature has added bindings', () => {
    setUp();
    for (let frame = 1; frame < 4; frame++) bench.frame(frame);
    const buffer = bench.rhi.createBuffer({ label: 'added', byteLength: 16, usage: 64 });
    bench.renderer.world.layout.extend({
      layout: [{ binding: 9, visibility: 2, buffer: { type: 'uniform' } }],
      entries: [{ binding: 9, buffer }],
      version: 0,
    });
    // The bench checks each bind group against the layout of the pipeline.
    const commands = bench.frame(4);
    const layouts = named(commands, 'createBindGroupLayout').map(
      ({ descriptor }) => descriptor as { label: string; entries: { binding: number }[] },
    );
    const moved = layouts.find(({ label }) => label === 'frame, motion');
    expect(moved?.entries.map(({ binding }) => binding)).toEqual([0, 1, 2, 3, 4, 9, 21, 22]);
    const pipelines = named(commands, 'createGraphicsPipeline').map(
      ({ descriptor }) => (descriptor as { label: string }).label,
    );
    expect(pipelines.filter((label) => label.startsWith('motion'))).toHaveLength(1);
    expect(named(commands, 'drawIndexed')).toHaveLength(2);
    for (let frame = 5; frame < 8; frame++) bench.frame(frame);
    expect(created(bench.frame(8))).toEqual([]);
    bench.rhi.destroy(buffer);
  });

  it('binds the poses anew when they grow, and then knows no earlier ones', () => {
    setUp();
    for (let frame = 1; frame < 4; frame++) bench.frame(frame);
    expect(headersIn(bench.frame(4))).toEqual([]);
    for (let primitive = 1; primitive < 400; primitive++) bench.primitive(primitive, 1, 0, 0);
    const [before, after] = headersIn(bench.frame(5));
    expect(before).toBe(0);
    expect(after).toBeGreaterThanOrEqual(400);
    expect(headersIn(bench.frame(6))).toEqual([]);
  });

  it('keeps its history while a capture draws', () => {
    setUp();
    const captures = new PictureCaptures(bench.renderer);
    bench.renderer.features.captures = captures;
    for (let frame = 1; frame < 4; frame++) bench.frame(frame);
    const words = Uint32Array.of(70, NO_ID, 32, 32, 4);
    captures.execute({ words, floats: new Float32Array(8), fields: 0, opcode: 0 } as never);
    bench.frame(4);
    const lists: string[][] = [];
    while (captures.isPending) {
      bench.rhi.beginFrame(4, 0);
      captures.record(4, 0);
      bench.rhi.endFrame();
      lists.push(passesOf(bench.drain()));
    }
    expect(lists).toHaveLength(4);
    for (const passes of lists) expect(passes).toHaveLength(2);
    const next = bench.frame(5);
    expect(isNewIn(next)).toBe(0);
    expect(headersIn(next)).toEqual([]);
  });

  it('has the size of the scene if the scene is scaled', () => {
    setUp({ resolutionScale: 0.5 });
    const commands = bench.frame(1);
    expect(passesOf(commands)).toEqual(['scene', 'motion', 'temporal smoothing', 'scaling', 'tone mapping']);
    const sizes = named(commands, 'createTexture').map(({ descriptor }) => {
      const { label, width } = descriptor as { label: string; width: number };
      return [label, width];
    });
    expect(Object.fromEntries(sizes)).toMatchObject({ history: 32, motion: 32, 'scaled colour': 64 });
  });
});

describe('R11 the motion view', () => {
  it('shows the kept motion in frames that are drawn again, and creates nothing in the steady state', () => {
    setUp({ smoothing: 0, debugView: DEBUG_VIEWS.indexOf('motion') });
    expect(passesOf(bench.frame(1))).toEqual(['motion', 'motion view', 'tone mapping']);
    for (let frame = 2; frame < 6; frame++) bench.frame(frame);
    expect(created(bench.frame(6))).toEqual([]);
    const again = bench.frame(7, RenderFrameFlag.capture);
    expect(passesOf(again)).toEqual(['motion view', 'tone mapping']);
  });
});
