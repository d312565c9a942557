import { afterEach, describe, expect, it } from 'vitest';
import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID } from '../../proxy/commands.js';
import { EFFECT_NAMES, type EffectName, EffectState } from '../../proxy/effects.js';
import { PictureCaptures } from '../captures/picture-captures.js';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import { DepthOfField } from './depth-of-field.js';
import { EffectsFeature } from './effects.js';

let bench: RendererBench;
afterEach(() => bench.renderer.dispose());

function send(effects: EffectsFeature, name: EffectName, options: readonly number[]): void {
  const floats = new Float32Array(64);
  floats.set(options, 4);
  const words = Uint32Array.from([NO_ID, EFFECT_NAMES.indexOf(name), EffectState.on, options.length]);
  effects.execute({ words, floats, fields: 0, opcode: 0 } as never);
}

function setUp(name: EffectName, ...options: number[]): PictureCaptures {
  bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  const effects = new EffectsFeature(bench.rhi, bench.renderer.screenPipelines);
  bench.renderer.features.effects = effects;
  send(effects, name, options);
  const captures = new PictureCaptures(bench.renderer);
  bench.renderer.features.captures = captures;
  bench.frame(1);
  bench.frame(2);
  return captures;
}

/** Records the lists of a picture in three tiles. */
function tilesOf(captures: PictureCaptures, isDrawn: boolean): RhiCommand[][] {
  const words = Uint32Array.from([70, NO_ID, 2100, 100, 1]);
  captures.execute({ words, floats: new Float32Array(8), fields: 0, opcode: 0 } as unknown as StreamReader);
  bench.frame(3);
  bench.renderer.shownWorld.mainView.isDrawn = isDrawn;
  const lists: RhiCommand[][] = [];
  while (captures.isPending) {
    bench.rhi.beginFrame(3, 0);
    captures.record(3, 0);
    bench.rhi.endFrame();
    lists.push(bench.drain());
  }
  return lists;
}

const dispatches = (lists: RhiCommand[][]): number[] => lists.map((list) => named(list, 'dispatch').length);
/** Minimum, maximum, two speeds, compensation. */
const EXPOSURE = [0.1, 10, 1, 1, 0] as const;

describe('R14 effects in captures', () => {
  it('automatic exposure of a drawn view is not measured again', () => {
    // Each tile is added to the average in a compute pass.
    expect(dispatches(tilesOf(setUp('autoExposure', ...EXPOSURE), true))).toEqual([0, 1, 1, 1]);
  });

  it('automatic exposure of a view that was not drawn is measured once, in the overview', () => {
    expect(dispatches(tilesOf(setUp('autoExposure', ...EXPOSURE), false))).toEqual([2, 1, 1, 1]);
  });

  it('depth of field reaches beyond its largest disc, in whole tiles of near discs', () => {
    setUp('autoExposure', ...EXPOSURE);
    const effect = new DepthOfField(bench.rhi, bench.renderer.screenPipelines);
    effect.setOptions({ focusDistance: 1, fStop: 1, sensorHeight: 1, maximumBlur: 0.05 });
    expect(effect.reach(4096)).toBe(240);
    effect.dispose();
  });

  it('effects that read the results of others have margins that add up', () => {
    setUp('chromaticAberration', 0.02);
    const reach = (): number => bench.renderer.shownWorld.mainView.effects?.reach(4096) ?? 0;
    const ofAberration = reach();
    const { effects } = bench.renderer.features;
    send(effects as EffectsFeature, 'depthOfField', [1, 1, 1, 0.05]);
    bench.frame(3);
    const ofBoth = reach();
    const lens = bench.renderer.shownWorld.mainView.effects?.effect(EFFECT_NAMES.indexOf('depthOfField'));
    expect(ofAberration).toBeGreaterThan(0);
    expect(ofBoth).toBe(ofAberration + (lens?.reach?.(4096) ?? 0));
    expect(ofBoth).toBeGreaterThan(ofAberration);
  });
});
