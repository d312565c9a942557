import { describe, expect, it } from 'vitest';
import type { GeometryStore } from './geometry-store.js';
import { MeshDrawCommands } from './mesh-draw-commands.js';

const geometries = { page: Int32Array.of(1, 0, 0) } as unknown as GeometryStore;

describe('R14 draw states', () => {
  it('are interned: the same three numbers give the same state, until nobody uses it', () => {
    const commands = new MeshDrawCommands();
    const first = commands.acquire(3, 1, 2);
    expect(commands.acquire(3, 1, 2)).toBe(first);
    const second = commands.acquire(3, 2, 2);
    expect(second).not.toBe(first);
    commands.release(first);
    expect(commands.count).toBe(2);
    commands.release(first);
    expect(commands.count).toBe(1);
    expect(commands.acquire(8191, 5, 4_000_000)).toBe(first); // the number is free again
  });

  it('are ranked by pipeline, page, textures, geometry, whatever the order they came in', () => {
    const keys = [
      [2, 0, 0],
      [1, 1, 2],
      [1, 0, 0],
      [1, 1, 1],
      [1, 0, 2],
    ] as const;
    const ranked = (order: readonly number[]) => {
      const commands = new MeshDrawCommands();
      for (const index of order) {
        const [pipelineKey, textureSet, geometry] = keys[index]!;
        commands.acquire(pipelineKey, textureSet, geometry);
      }
      commands.updateRanks(geometries);
      return Array.from({ length: commands.count }, (_, rank) => {
        const state = commands.stateOfRank[rank]!;
        expect(commands.rank[state]).toBe(rank);
        return [commands.pipelineKey[state], commands.textureSet[state], commands.geometry[state]];
      });
    };
    const expected = [keys[4], keys[3], keys[1], keys[2], keys[0]].map((key) => [...key!]);
    expect(ranked([0, 1, 2, 3, 4])).toEqual(expected);
    expect(ranked([4, 2, 0, 1, 3])).toEqual(expected);
  });

  it('are ranked again only when one came or went', () => {
    const commands = new MeshDrawCommands();
    const state = commands.acquire(1, 0, 0);
    commands.updateRanks(geometries);
    const { version } = commands;
    commands.acquire(1, 0, 0);
    commands.release(state);
    commands.updateRanks(geometries);
    expect(commands.version).toBe(version);
    commands.acquire(1, 0, 1);
    commands.updateRanks(geometries);
    expect(commands.version).toBe(version + 1);
  });
});
