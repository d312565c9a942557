import { afterEach, describe, expect, it } from 'vitest';
import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, SMOOTHINGS } from '../../proxy/commands.js';
import { EFFECT_NAMES, EffectState } from '../../proxy/effects.js';
import { EffectsFeature } from '../effects/effects.js';
import { LOOK, named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import { PictureCaptures } from './picture-captures.js';

let bench: RendererBench;
afterEach(() => bench.renderer.dispose());

/** Returns a reader on a record with these words. */
const record = (...words: number[]): StreamReader =>
  ({ words: Uint32Array.from(words), floats: new Float32Array(64), fields: 0, opcode: 0 }) as never;

/** Creates a renderer that has drawn a frame of one mesh. */
function setUp(): PictureCaptures {
  bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  bench.frame(1);
  bench.frame(2);
  const captures = new PictureCaptures(bench.renderer);
  bench.renderer.features.captures = captures;
  return captures;
}

/** Records the lists of a frame. */
function listsOf(captures: PictureCaptures, frame: number): RhiCommand[][] {
  const lists = [bench.frame(frame)];
  while (captures.isPending) {
    bench.rhi.beginFrame(frame, 0);
    captures.record(frame, 0);
    bench.rhi.endFrame();
    lists.push(bench.drain());
  }
  return lists;
}

const requestsIn = (list: RhiCommand[]) => named(list, 'readBuffer').map(({ request }) => request);
const names = (list: RhiCommand[]) => list.map(({ name }) => name);

describe('R11 captures of any size', () => {
  it('draw a list per sample after the frame, answer the last one, and leave the canvas as it is', () => {
    const captures = setUp();
    captures.execute(record(70, NO_ID, 100, 50, 3));
    captures.execute(record(71, NO_ID, 10, 10, 1));
    const [frame = [], ...samples] = listsOf(captures, 3);
    expect(names(frame)).toContain('beginDrawingViewport');
    expect(samples.map(requestsIn)).toEqual([[], [], [70], [71]]);
    for (const list of samples) {
      expect(names(list)).not.toContain('beginDrawingViewport');
      expect(named(list, 'drawIndexed')).toHaveLength(1);
    }
    expect(named(samples[2] ?? [], 'readBuffer')[0]).toMatchObject({ byteLength: 512 * 50 });
  });

  it('draw large pictures by tiles, after an overview for effects that need it', () => {
    const captures = setUp();
    captures.execute(record(70, NO_ID, 2100, 100, 1));
    const [, ...plain] = listsOf(captures, 3);
    expect(plain.map(requestsIn)).toEqual([[], [70], [71], [72]]);
    expect(named(plain[0] ?? [], 'beginRenderPass')).toEqual([]);

    const effects = new EffectsFeature(bench.rhi, bench.renderer.screenPipelines);
    bench.renderer.features.effects = effects;
    const options = [1, 0.5, 0];
    const words = [NO_ID, EFFECT_NAMES.indexOf('bloom'), EffectState.on, options.length];
    const floats = new Float32Array(64);
    floats.set(options, 4);
    effects.execute({ words: Uint32Array.from(words), floats, fields: 0, opcode: 0 } as never);
    bench.frame(4);
    captures.execute(record(80, NO_ID, 2100, 100, 1));
    const [, overview = [], ...tiles] = listsOf(captures, 5);
    const passesOf = (list: RhiCommand[]) => named(list, 'beginRenderPass').length;
    expect(requestsIn(overview)).toEqual([]);
    expect(passesOf(overview)).toBeGreaterThan(4);
    // Tiles take their light from the overview: scene, scattered light, tone mapping.
    expect(tiles.map(passesOf)).toEqual([3, 3, 3]);
  });

  it('average 16 samples of views that are smoothed over time, unless the request names their number', () => {
    const captures = setUp();
    bench.send('sceneSettings', { ...LOOK, smoothing: SMOOTHINGS.indexOf('taa') });
    bench.frame(3);
    captures.execute(record(70, NO_ID, 64, 64, 0));
    const [, ...samples] = listsOf(captures, 4);
    expect(samples).toHaveLength(16);
    // Neither a history nor motion is drawn: the scene, and tone mapping.
    for (const list of samples) expect(named(list, 'beginRenderPass')).toHaveLength(2);
    captures.execute(record(71, NO_ID, 64, 64, 2));
    expect(listsOf(captures, 5)).toHaveLength(3);
    bench.send('sceneSettings', LOOK);
    bench.frame(6);
    captures.execute(record(72, NO_ID, 64, 64, 0));
    expect(listsOf(captures, 7)).toHaveLength(2);
  });

  it('free everything that they have created, and the next frame is the same as before', () => {
    const captures = setUp();
    const shape = (list: RhiCommand[]) => names(list).join(' ');
    bench.frame(3);
    const before = shape(bench.frame(4));
    const live = () => bench.rhi.handles.leaks().length;
    captures.execute(record(70, NO_ID, 64, 64, 1));
    listsOf(captures, 5);
    bench.frame(6);
    const created = live();
    captures.execute(record(71, NO_ID, 2100, 64, 2));
    listsOf(captures, 7);
    // This frame creates the targets of the canvas again.
    bench.frame(8);
    expect(shape(bench.frame(9))).toBe(before);
    expect(live()).toBe(created);
  });

  it('answer for a view that does not exist, so that no promise stays pending', () => {
    const captures = setUp();
    captures.execute(record(70, 5, 2100, 10, 4));
    const [, list = []] = listsOf(captures, 3);
    expect(requestsIn(list)).toEqual([70, 71, 72]);
    expect(captures.isPending).toBe(false);
  });
});
