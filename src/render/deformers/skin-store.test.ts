import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { NO_ID } from '../../proxy/commands.js';
import { Scene } from '../scene/scene.js';
import { SkinStore } from './skin-store.js';

const ROWS = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

describe('a skin that is sent again after one of its joints was destroyed', () => {
  it('keeps the joint’s vertices in place, even if the joint’s id is reused or the render origin moves', () => {
    const scene = new Scene({ geometryBounds: [] } as never, { has: () => false } as never, null as never);
    const skins = new SkinStore(scene, () => undefined);
    const { writer, reader } = createLocalStream({ table: renderCommands });
    const move = (node: number, x: number): void => {
      scene.nodes.setLocal(node, [x, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    };
    const create = (joints: readonly number[], x: number): void => {
      const matrices = Float64Array.of(...ROWS, ...ROWS);
      matrices[12 + 3] = x;
      encodeRecord(writer, renderCommands, 'createSkin', {
        skin: 0,
        joints: Uint32Array.from(joints),
        matrices,
      });
      writer.publish();
      while (reader.next()) skins.execute(reader);
    };
    /**
     * Updates the scene. Returns the least and the greatest x of the primitive's bounds, in metres from the render
     * origin. The vertices of a joint lie within 1 m of it.
     */
    const update = (): number[] => {
      scene.nodes.propagate();
      skins.update();
      const { bounds } = scene.primitives;
      return [(bounds[0] as number) - (bounds[3] as number), (bounds[0] as number) + (bounds[3] as number)];
    };
    for (const node of [0, 1]) scene.createNode(node, NO_ID);
    move(1, 5);
    scene.createPrimitive(0, 0, 0, 0, 0, 1);
    create([0, 1], 0);
    const boxes = Float32Array.of(...[0, 0, 0, 1, 1, 1], ...[0, 0, 0, 1, 1, 1]);
    encodeRecord(writer, renderCommands, 'attachSkin', { primitive: 0, skin: 0, boxes });
    writer.publish();
    while (reader.next()) skins.execute(reader);
    expect(update()).toEqual([-1, 6]);
    create([0, NO_ID], 5);
    scene.destroyNode(1);
    expect(update()).toEqual([-1, 6]);
    scene.createNode(1, NO_ID);
    move(1, 50);
    move(0, 2);
    expect(update()).toEqual([1, 6]);
    scene.renderOrigin[0] = 4;
    expect(update()).toEqual([-3, 2]);
    // The position of a destroyed joint is stored in 64-bit floats.
    scene.renderOrigin[0] = 6_400_000;
    move(0, 6_400_000);
    create([0, NO_ID], 6_400_000.03);
    expect(update()[1]).toBeCloseTo(1.03, 6);
  });
});
