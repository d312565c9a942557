import { afterEach, describe, expect, it } from 'vitest';
import { SMOOTHINGS } from '../../proxy/commands.js';
import { LOOK, named, RendererBench, type RhiCommand } from '../renderer.test-support.js';

let bench: RendererBench;
afterEach(() => bench.renderer.dispose());

const passesOf = (commands: readonly RhiCommand[]) =>
  named(commands, 'beginRenderPass').map(({ descriptor }) => (descriptor as { label: string }).label);

/** Returns the sizes of new textures by label. */
const texturesOf = (commands: readonly RhiCommand[]) =>
  Object.fromEntries(
    named(commands, 'createTexture').map(({ descriptor }) => {
      const { label, width, height } = descriptor as { label: string; width: number; height: number };
      return [label, `${width} × ${height}`];
    }),
  );

function setUp(settings: Partial<typeof LOOK> = {}): (scale: number, frame: number) => RhiCommand[] {
  bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  return (resolutionScale, frame) => {
    bench.send('sceneSettings', { ...LOOK, ...settings, resolutionScale });
    return bench.frame(frame);
  };
}

describe('R11 the scale of a view', () => {
  it('the scene has the size of the scale, and is scaled to the canvas before tone mapping', () => {
    const frameAt = setUp();
    for (const [frame, scale, size] of [
      [1, 0.5, '32 × 32'],
      [2, 0.75, '48 × 48'],
      [3, 2, '128 × 128'],
    ] as const) {
      const commands = frameAt(scale, frame);
      expect(passesOf(commands)).toEqual(['scene', 'scaling', 'tone mapping']);
      expect(texturesOf(commands)['scene colour']).toBe(size);
    }
    expect(texturesOf(frameAt(0.5, 4))['scaled colour'] ?? '64 × 64').toBe('64 × 64');
  });

  it('edges are smoothed in the picture of the canvas, after scaling', () => {
    const frameAt = setUp({ smoothing: SMOOTHINGS.indexOf('fxaa') });
    const commands = frameAt(0.5, 1);
    expect(passesOf(commands)).toEqual(['scene', 'scaling', 'mapped picture', 'tone mapping']);
    expect(texturesOf(commands)).toMatchObject({ 'scene colour': '32 × 32', 'mapped picture': '64 × 64' });
    for (let frame = 2; frame < 6; frame++) frameAt(0.5, frame);
    expect(frameAt(0.5, 6).filter(({ name }) => name.startsWith('create'))).toEqual([]);
  });

  it('a scale of 1 has no pass and no texture', () => {
    const frameAt = setUp();
    expect(passesOf(frameAt(1, 1))).toEqual(['scene', 'tone mapping']);
    frameAt(0.5, 2);
    expect(passesOf(frameAt(1, 3))).toEqual(['scene', 'tone mapping']);
  });

  it('without high dynamic range, a scaled scene is not drawn straight into the canvas', () => {
    const frameAt = setUp({ hdr: 0 });
    expect(passesOf(frameAt(1, 1))).toEqual(['scene']);
    expect(passesOf(frameAt(0.5, 2))).toEqual(['scene', 'scaling', 'tone mapping']);
  });

  it('frames that begin or end scaling wait for their pipelines; changes of the factor do not', () => {
    const frameAt = setUp();
    const mustWait = (scale: number): boolean => {
      bench.send('sceneSettings', { ...LOOK, resolutionScale: scale });
      bench.execute();
      return bench.renderer.mustNotSkip;
    };
    frameAt(1, 1);
    expect(mustWait(0.5)).toBe(true);
    frameAt(0.5, 2);
    expect(mustWait(0.75)).toBe(false);
    expect(mustWait(1.5)).toBe(true);
  });
});
