import { describe, expect, it } from 'vitest';
import { NO_ID } from '../../proxy/commands.js';
import { EFFECT_NAMES, EffectState } from '../../proxy/effects.js';
import { DeferredRenderer } from '../deferred/deferred-renderer.js';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import { EffectsFeature } from './effects.js';

function benchWithScene(isDeferred: boolean): RendererBench {
  const bench = new RendererBench({ sampleCount: 1 });
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  const { renderer, rhi } = bench;
  const { pipelines } = renderer.world;
  const deferred = new DeferredRenderer(rhi, pipelines, renderer.screenPipelines);
  deferred.isOn = isDeferred;
  renderer.features.deferred = deferred;
  pipelines.add(deferred);
  return bench;
}

/** @param distance length of rays in metres */
function setReflections({ renderer }: RendererBench, state: EffectState, distance = 50): void {
  renderer.features.effects ??= new EffectsFeature(renderer.rhi, renderer.screenPipelines);
  const values = [1, distance, 0.5, 0.5];
  const words = new Uint32Array(4 + values.length);
  words.set([NO_ID, EFFECT_NAMES.indexOf('ssr'), state, values.length]);
  const floats = new Float32Array(words.buffer);
  floats.set(values, 4);
  renderer.features.effects.execute({ words, floats, fields: 0 } as never);
}

const passes = (commands: readonly RhiCommand[]): string[] =>
  named(commands, 'beginRenderPass').map(({ descriptor }) => (descriptor as { label: string }).label);
const count = (commands: readonly RhiCommand[], name: string): number => named(commands, name).length;
const steady = (bench: RendererBench, from: number): RhiCommand[] => {
  bench.frame(from);
  return bench.frame(from + 1);
};

describe('screen-space reflections', () => {
  it('are drawn between the light of surfaces and all other meshes, from a picture and depths with levels', () => {
    const bench = benchWithScene(true);
    setReflections(bench, EffectState.on);
    const frame = steady(bench, 1);
    const drawn = passes(frame).filter((name) => !/, level [1-9]/.test(name));
    expect(drawn.slice(0, 6)).toEqual([
      'surfaces',
      'lighting',
      'lit surfaces',
      'nearest depth, level 0',
      'reflections',
      'scene',
    ]);
    expect(count(frame, 'createBindGroup')).toBe(0);
    expect(count(frame, 'createGraphicsPipeline')).toBe(0);
    expect(count(frame, 'writeBuffer')).toBe(count(steady(benchWithScene(true), 1), 'writeBuffer'));
  });

  it('upload options that have changed, once', () => {
    const bench = benchWithScene(true);
    setReflections(bench, EffectState.on);
    const before = count(steady(bench, 1), 'writeBuffer');
    setReflections(bench, EffectState.on, 10);
    expect(count(bench.frame(3), 'writeBuffer')).toBe(before + 1);
    expect(count(bench.frame(4), 'writeBuffer')).toBe(before);
  });

  it('are not drawn by the forward renderer', () => {
    const bench = benchWithScene(false);
    const before = passes(steady(bench, 1));
    setReflections(bench, EffectState.on);
    expect(passes(steady(bench, 3))).toEqual(before);
  });

  it('cost nothing while they are off', () => {
    const bench = benchWithScene(true);
    const before = steady(bench, 1);
    setReflections(bench, EffectState.on);
    bench.frame(3);
    setReflections(bench, EffectState.off);
    bench.frame(4);
    const after = bench.frame(5);
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  });

  it('release everything', () => {
    const bench = benchWithScene(true);
    bench.frame(1);
    setReflections(bench, EffectState.on);
    bench.frame(2);
    bench.drain();
    bench.renderer.dispose();
    bench.drain();
    expect(bench.rhi.handles.liveCount).toBe(0);
  });
});
