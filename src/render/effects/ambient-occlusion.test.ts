import { describe, expect, it } from 'vitest';
import { NO_ID } from '../../proxy/commands.js';
import { EFFECT_NAMES, EffectState } from '../../proxy/effects.js';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import { DeferredRenderer } from '../deferred/deferred-renderer.js';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import { EffectsFeature } from './effects.js';

/** Creates a scene of an opaque, a blended and an unlit primitive. */
function benchWithScene(sampleCount: 1 | 4 = 1): RendererBench {
  const bench = new RendererBench({ sampleCount });
  bench.camera(0);
  bench.geometry(0);
  for (const [index, flags] of [0, MaterialFlag.alphaBlend, MaterialFlag.unlit].entries()) {
    bench.material(index, flags);
    bench.node(index + 1, [index, 0, 0]);
    bench.primitive(index, index + 1, 0, index);
  }
  return bench;
}

function setOcclusion({ renderer }: RendererBench, state: EffectState): void {
  renderer.features.effects ??= new EffectsFeature(renderer.rhi, renderer.screenPipelines);
  const values = [0.5, 1, 1, 2];
  const words = new Uint32Array(4 + values.length);
  words.set([NO_ID, EFFECT_NAMES.indexOf('ambientOcclusion'), state, values.length]);
  new Float32Array(words.buffer).set(values, 4);
  const floats = new Float32Array(words.buffer);
  renderer.features.effects.execute({ words, floats, fields: 0 } as never);
}

function setDeferred({ renderer, rhi }: RendererBench, isOn: boolean): void {
  const { pipelines } = renderer.world;
  renderer.features.deferred ??= new DeferredRenderer(rhi, pipelines, renderer.screenPipelines);
  renderer.features.deferred.isOn = isOn;
  pipelines.add(renderer.features.deferred);
}

const passes = (commands: readonly RhiCommand[]): unknown[] =>
  named(commands, 'beginRenderPass').map(({ descriptor }) => (descriptor as { label: string }).label);
const count = (commands: readonly RhiCommand[], name: string): number => named(commands, name).length;
const steady = (bench: RendererBench, from: number): RhiCommand[] => {
  bench.frame(from);
  return bench.frame(from + 1);
};
const OCCLUSION = ['view depth', 'ambient occlusion', 'smoothed ambient occlusion'];

describe('ambient occlusion', () => {
  it('draws depth and computes occlusion from it in three passes, before the forward renderer lights the scene', () => {
    const bench = benchWithScene(4);
    setOcclusion(bench, EffectState.on);
    const frame = steady(bench, 1);
    expect(passes(frame).slice(0, 5)).toEqual(['occluders', ...OCCLUSION, 'scene']);
    expect(count(frame, 'createBindGroup')).toBe(0);
    expect(count(frame, 'createGraphicsPipeline')).toBe(0);
    expect(count(frame, 'writeBuffer')).toBe(count(steady(benchWithScene(4), 1), 'writeBuffer'));
  });

  it('leaves blended primitives out of the depth', () => {
    const bench = benchWithScene();
    setOcclusion(bench, EffectState.on);
    const frame = steady(bench, 1);
    const first = frame.findIndex(({ name }) => name === 'beginRenderPass');
    const end = frame.findIndex(({ name }) => name === 'endRenderPass');
    const drawn = named(frame.slice(first, end), 'drawIndexed');
    // The opaque and the unlit primitive have the same shape, so they are one draw.
    expect(drawn.map(({ instanceCount }) => instanceCount)).toEqual([2]);
  });

  it('reads the depth of the deferred renderer’s surfaces, and draws only that of other ones', () => {
    const bench = benchWithScene();
    setDeferred(bench, true);
    setOcclusion(bench, EffectState.on);
    const frame = steady(bench, 1);
    expect(passes(frame).slice(0, 7)).toEqual(['surfaces', 'occluders', ...OCCLUSION, 'lighting', 'scene']);
    bench.send('destroyPrimitive', { primitive: 2 });
    bench.execute();
    expect(passes(steady(bench, 3)).slice(0, 6)).toEqual(['surfaces', ...OCCLUSION, 'lighting', 'scene']);
    setDeferred(bench, false);
    expect(passes(steady(bench, 5)).slice(0, 5)).toEqual(['occluders', ...OCCLUSION, 'scene']);
  });

  it('costs nothing while it is off', () => {
    const bench = benchWithScene();
    const before = steady(bench, 1);
    setOcclusion(bench, EffectState.on);
    bench.frame(3);
    setOcclusion(bench, EffectState.off);
    bench.frame(4);
    const after = bench.frame(5);
    expect(passes(after)).toEqual(passes(before));
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    const code = named(before, 'createShaderModule').map((module) => module.code);
    expect(code.join()).not.toContain('ambientTexture');
  });

  it('releases everything', () => {
    const bench = benchWithScene();
    bench.frame(1);
    setOcclusion(bench, EffectState.on);
    bench.frame(2);
    bench.drain();
    bench.renderer.dispose();
    bench.drain();
    expect(bench.rhi.handles.liveCount).toBe(0);
  });
});
