import { describe, expect, it, vi } from 'vitest';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { NO_ID } from '../../proxy/commands.js';
import { EFFECT_NAMES, type EffectName, EffectState } from '../../proxy/effects.js';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { EffectsFeature } from './effects.js';
import { EFFECT_CLASSES } from './registry.js';

const { off, on, inherited } = EffectState;
const VALUES = [0.5, 0.25, 1, 0.1, 0.2, 0.3];

function benchWithScene(): RendererBench {
  const bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  return bench;
}

/** Executes a `setEffect` record directly. Creates the feature first if it is missing. */
function setEffect(
  { renderer }: RendererBench,
  name: EffectName,
  state: EffectState,
  values: readonly number[],
  view = NO_ID,
): void {
  renderer.features.effects ??= new EffectsFeature(renderer.rhi, renderer.screenPipelines);
  const words = new Uint32Array(4 + values.length);
  const floats = new Float32Array(words.buffer);
  words.set([view, EFFECT_NAMES.indexOf(name), state, values.length]);
  floats.set(values, 4);
  renderer.features.effects.execute({ words, floats, fields: 0 } as never);
}

const setVignette = (bench: RendererBench, state: EffectState, values = VALUES, view = NO_ID): void =>
  setEffect(bench, 'vignette', state, values, view);

const names = (commands: readonly RhiCommand[]): string[] => commands.map(({ name }) => name);
const uniforms = (bench: RendererBench, commands: readonly RhiCommand[]): number[][] =>
  named(commands, 'writeBuffer')
    .filter(({ buffer }) => bench.rhi.handles.label(buffer as number) === 'effects')
    .map(({ data }) =>
      [...new Float32Array((data as Uint8Array).slice().buffer)].map((value) => +value.toFixed(4)),
    );

describe('effects', () => {
  it('leave the same passes and pipelines as before once they are off again', () => {
    const bench = benchWithScene();
    bench.frame(1);
    const before = bench.frame(2);
    setVignette(bench, on);
    bench.frame(3);
    setVignette(bench, off);
    bench.frame(4);
    expect(
      bench.frame(5).map(({ name, values }) => (name === 'setBindGroup' ? name : [name, values])),
    ).toEqual(
      before.map(({ name, values }) =>
        name === 'setBindGroup' ? name : [name, { ...values, ...('frame' in values && { frame: 5 }) }],
      ),
    );
  });

  it('that are switched again and again keep the number of resources', () => {
    const bench = benchWithScene();
    const live = new Set<unknown>();
    let frame = 0;
    const draw = (): void => {
      for (const { name, values } of bench.frame(++frame)) {
        if (name.startsWith('create')) live.add(values.handle);
        if (name === 'destroyResource') live.delete(values.handle);
      }
    };
    const cycle = (): number => {
      // Colour grading also needs a lookup table, which another command sets.
      for (const name of EFFECT_NAMES.filter((each) => each !== 'colorGrading')) {
        for (const state of [on, off]) {
          setEffect(bench, name, state, new Array(16).fill(1));
          draw();
        }
      }
      for (let rest = 0; rest < 8; rest++) draw();
      return live.size;
    };
    draw();
    const first = cycle();
    expect([cycle(), cycle()]).toEqual([first, first]);
  });

  it('that change single pixels add code to the last pass’s shader, and one buffer of options', () => {
    const bench = benchWithScene();
    bench.frame(1);
    setVignette(bench, on);
    const first = bench.frame(2);
    const [module, ...others] = named(first, 'createShaderModule');
    expect(others).toEqual([]);
    expect(module?.code).toContain('result = vignette(result, point, effects.vignette);');
    expect(uniforms(bench, first)).toEqual([[0.1, 0.2, 0.3, 0.5, 0.25, 1.3333, 0, 0]]);
    expect(uniforms(bench, bench.frame(3))).toEqual([]);
    setVignette(bench, on, [1, 0, 0, 0, 0, 0]);
    const changed = bench.frame(4);
    expect(uniforms(bench, changed)).toEqual([[0, 0, 0, 1, 0, 10000, 0, 0]]);
    expect(names(changed)).not.toContain('createBindGroup');
    expect(names(changed)).not.toContain('createGraphicsPipeline');
  });

  it('make a frame wait for pipelines if an effect is switched on or off, but not if options change', () => {
    const bench = benchWithScene();
    bench.frame(1);
    expect(bench.renderer.mustNotSkip).toBe(false);
    setVignette(bench, on);
    expect(bench.renderer.mustNotSkip).toBe(true);
    bench.frame(2);
    expect(bench.renderer.mustNotSkip).toBe(false);
    setVignette(bench, on, [1, 0, 0, 0, 0, 0]);
    expect(bench.renderer.mustNotSkip).toBe(false);
    setVignette(bench, off);
    expect(bench.renderer.mustNotSkip).toBe(true);
  });

  it('of one view take precedence over the effects of all views', () => {
    const { rhi, renderer } = new RendererBench();
    const bench = {
      renderer: { rhi, features: { effects: new EffectsFeature(rhi, renderer.screenPipelines) } },
    } as unknown as RendererBench;
    const effects = bench.renderer.features.effects as EffectsFeature;
    rhi.beginFrame(1, 0);
    const { world } = renderer;
    const state = { ambientOcclusion: undefined, reflections: undefined, look: { debugView: 0 } };
    const main = { id: NO_ID, state, world, effects: undefined as never };
    const view = { id: 3, state, world, effects: undefined as never };
    const bit = 1 << EFFECT_NAMES.indexOf('vignette');
    const keys = () => {
      effects.prepare(1, 0, [{ picture: main }, { picture: view }]);
      return [main, view].map((each: { effects: unknown }) => (each.effects as { key: number }).key);
    };
    setVignette(bench, on, VALUES, 3);
    expect(keys()).toEqual([0, bit]);
    setVignette(bench, inherited, [], 3);
    expect(keys()).toEqual([0, 0]);
    setVignette(bench, on);
    expect(keys()).toEqual([bit, bit]);
    setVignette(bench, off, [], 3);
    expect(keys()).toEqual([bit, 0]);
    effects.forget(3);
    expect(keys()).toEqual([bit, bit]);
  });

  it('that read neighbouring pixels add passes after the scene, and none once they are off', () => {
    const dispose = vi.fn();
    const setOptions = vi.fn();
    /** An effect with one pass, which reads the scene colour and writes a new texture. */
    class Copy {
      readonly setOptions = setOptions;
      readonly dispose = dispose;
      addPasses(graph: FrameGraph, { targets }: SceneViewState): void {
        graph.addPass({
          name: 'copy',
          kind: 'raster',
          setup: (builder) => {
            builder.read(targets.color, 'sampled');
            const { width, height, colorFormat: format } = targets;
            targets.color = builder.color(
              builder.createTexture({ name: 'copied colour', width, height, format }),
            );
          },
          execute: () => {},
        });
      }
    }
    const classes = EFFECT_CLASSES as { vignette: unknown };
    const { vignette } = classes;
    classes.vignette = Copy;
    try {
      const bench = benchWithScene();
      const labels = (commands: readonly RhiCommand[]) =>
        named(commands, 'beginRenderPass').map(({ descriptor }) => (descriptor as { label: string }).label);
      bench.frame(1);
      setVignette(bench, on);
      expect(labels(bench.frame(2))).toEqual(['scene', 'copy', 'tone mapping']);
      expect(setOptions).toHaveBeenCalledTimes(1);
      expect(dispose).not.toHaveBeenCalled();
      setVignette(bench, off);
      expect(labels(bench.frame(3))).toEqual(['scene', 'tone mapping']);
      expect(dispose).toHaveBeenCalledTimes(1);
    } finally {
      classes.vignette = vignette;
    }
  });
});
