import { describe, expect, it, vi } from 'vitest';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';
import { LEAST_DRAWS } from './steady-draws.js';

/** Returns a bench with a scene of `count` draws that cannot merge, and a function that draws the next frame. */
function setUp(count: number) {
  const bench = new RendererBench();
  bench.camera(0);
  bench.material(0);
  for (let index = 0; index < count; index++) {
    bench.geometry(index);
    bench.node(index + 1, [(index % 8) - 4, 0, 0]);
    bench.primitive(index, index + 1, index, 0);
  }
  let frame = 0;
  return { bench, frame: () => bench.frame(++frame) };
}

const count = (commands: readonly RhiCommand[], name: string): number => named(commands, name).length;

/** Returns the numbers of draws recorded, and of bundles created, executed and destroyed. */
function summary(bench: RendererBench, commands: readonly RhiCommand[]): number[] {
  const bundles = named(commands, 'createDrawBundle');
  const gone = named(commands, 'destroyResource').filter(
    ({ handle }) => bench.rhi.handles.label(handle as number) === 'steady draws',
  );
  return [count(commands, 'drawIndexed'), bundles.length, count(commands, 'executeDrawBundle'), gone.length];
}

describe('R14 draws that stay the same', () => {
  it('become a bundle in the third frame, and remain one even if objects move', () => {
    const { bench, frame } = setUp(LEAST_DRAWS);
    const next = () => summary(bench, frame());
    expect([next(), next(), next(), next()]).toEqual([
      [LEAST_DRAWS, 0, 0, 0],
      [LEAST_DRAWS, 0, 0, 0],
      [0, 1, 1, 0],
      [0, 0, 1, 0],
    ]);
    for (let index = 0; index < LEAST_DRAWS; index++) bench.move(index + 1, [(index % 8) - 3, 1, 0]);
    expect(next()).toEqual([0, 0, 1, 0]);
    bench.move(1, [5000, 0, 0]);
    // The new visible set has one draw too few for a bundle.
    expect(next()).toEqual([LEAST_DRAWS - 1, 0, 0, 1]);
    expect([next(), next(), next()]).toEqual(Array(3).fill([LEAST_DRAWS - 1, 0, 0, 0]));
  });

  it('have as many records in the bundle as in the pass', () => {
    const { frame } = setUp(LEAST_DRAWS);
    const isDraw = ({ name }: RhiCommand) => /^(set|draw)/.test(name);
    const direct = frame().filter(isDraw);
    frame();
    const [bundle] = named(frame(), 'createDrawBundle');
    const words = bundle?.commands as Uint32Array;
    let records = 0;
    for (let at = 0; at < words.length; at += words[at]! >>> 9) records++;
    // The pipeline, bind group and draw of tone mapping are not in the bundle.
    const toneMapping = direct.slice(direct.findLastIndex(({ name }) => name === 'drawIndexed') + 1);
    expect(records).toBe(direct.length - toneMapping.length);
  });

  it('wait longer for each new bundle if they keep changing', () => {
    const { bench, frame } = setUp(LEAST_DRAWS + 1);
    const made: number[] = [];
    for (let number = 0; number < 200; number++) {
      if (number % 5 === 0) bench.move(1, [number % 2 === 0 ? 5000 : 0, 0, 0]);
      if (count(frame(), 'createDrawBundle') > 0) made.push(number);
    }
    // The first bundle needs 2 unchanged frames, the second 4. A third would need 8, but the draws change every 5
    // frames.
    expect(made).toEqual([2, 9]);
  });

  it('lose their bundle after a change in a frame whose graph omits the pass', () => {
    const { bench, frame } = setUp(LEAST_DRAWS + 1);
    for (let i = 0; i < 4; i++) frame();
    const { state } = bench.renderer.world.mainView;
    vi.spyOn(state, 'bind').mockImplementationOnce(() => {});
    vi.spyOn(state, 'record').mockImplementationOnce(() => {});
    bench.move(1, [5000, 0, 0]);
    expect(summary(bench, frame())).toEqual([0, 0, 0, 0]);
    expect(summary(bench, frame())).toEqual([LEAST_DRAWS, 0, 0, 1]);
  });

  it('destroy their bundle when one of their textures is destroyed, and the next bundle with the renderer', () => {
    const { bench, frame } = setUp(LEAST_DRAWS);
    bench.texture(0);
    bench.material(1, 0, 0);
    bench.primitive(LEAST_DRAWS, 1, 0, 1);
    for (let i = 0; i < 4; i++) frame();
    bench.send('destroyTexture', { texture: 0 });
    const [, , executed, gone] = summary(bench, frame());
    expect([executed, gone]).toEqual([0, 1]);
    for (let i = 0; i < 8; i++) frame();
    bench.renderer.dispose();
    expect(summary(bench, bench.drain())[3]).toBe(1);
  });
});
