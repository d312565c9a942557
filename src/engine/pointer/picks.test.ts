import { describe, expect, it } from 'vitest';
import { boxGeometry } from '../../game/geometry/shapes.js';
import { createTestWorld } from '../../game/testing/test-world.js';
import { PICK_BYTES, PICK_ROW_BYTES } from '../../proxy/picking.js';
import type { Captures } from '../captures/capture.js';
import type { FrameSettings } from '../options/frame-settings.js';
import { Picks } from './picks.js';

/**
 * Creates a world with picks. Each pick calls `before`, and then sends a frame, which picks the primitive that `see`
 * returns. `meanwhile` is called before the pick gets its answer.
 */
function setUp() {
  const test = createTestWorld();
  const { world, send } = test;
  world.addCamera();
  const add = (name: string) => world.addMesh({ geometry: boxGeometry(), name });
  const frame = { before: (): void => {}, see: (): number => 0, meanwhile: (): void => {} };
  const askNextFrame: Captures['askNextFrame'] = async (_settings, write) => {
    frame.before();
    write(world.updates.writer, 1);
    send();
    const bytes = new ArrayBuffer(PICK_BYTES);
    new Float32Array(bytes).set([frame.see() + 1, 2]);
    new Float32Array(bytes, PICK_ROW_BYTES).set([0, 0, 1]);
    frame.meanwhile();
    return bytes;
  };
  const picks = new Picks(() => world, { askNextFrame } as Captures, {} as FrameSettings);
  const nameAt = async (): Promise<string | null> => (await picks.pick(0.5, 0.5))?.actor.name ?? null;
  const namesIn = async (): Promise<string[]> =>
    (await picks.pickRectangle(0, 0, 1, 1)).map(({ actor }) => actor.name);
  return { ...test, add, frame, nameAt, namesIn, picks };
}

describe('the result of a pick', () => {
  it('is the picked mesh, even if the frame that picks is the first to show it', async () => {
    const { add, frame, nameAt, namesIn } = setUp();
    const seen = add('seen');
    frame.see = () => seen.root.primitiveOf(0);
    expect(await nameAt()).toBe('seen');
    expect(await namesIn()).toEqual(['seen']);
  });

  for (const call of ['nameAt', 'namesIn'] as const) {
    it(`is empty if the mesh was destroyed meanwhile, even if another mesh has its id: ${call}`, async () => {
      const { add, frame, send, [call]: ask } = setUp();
      const seen = add('seen');
      send();
      const id = seen.root.primitiveOf(0);
      frame.see = () => id;
      frame.meanwhile = () => {
        seen.destroy();
        send();
        const other = add('other');
        send();
        expect(other.root.primitiveOf(0)).toBe(id);
      };
      expect((await ask()) ?? []).toEqual([]);
      // Later picks return the other mesh.
      frame.meanwhile = () => {};
      expect([await ask()].flat()).toEqual(['other']);
    });
  }
});

describe('the view of a pick', () => {
  const gone = { code: 'option-invalid', message: expect.stringContaining('has not been disposed of') };

  it('may be disposed of after the frame that picks, but not before', async () => {
    const { world, add, frame, picks } = setUp();
    const seen = add('seen');
    frame.see = () => seen.root.primitiveOf(0);
    const addView = () =>
      world.addView({ camera: world.addCamera() }, () => {
        throw new Error('It has no canvas.');
      });
    const view = addView();
    frame.meanwhile = () => view.dispose();
    expect((await picks.pick(0.5, 0.5, view))?.actor.name).toBe('seen');
    await expect(picks.pick(0.5, 0.5, view)).rejects.toMatchObject(gone);
    const other = addView();
    frame.before = () => other.dispose();
    await expect(picks.pick(0.5, 0.5, other)).rejects.toMatchObject(gone);
  });
});
