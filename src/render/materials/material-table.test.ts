import { describe, expect, it } from 'vitest';
import { MATERIAL_FEATURE_NAMES } from '../../proxy/materials/material-features.js';
import { defaultRecord, MaterialFlag, MaterialOffset } from '../../proxy/materials/material-layout.js';
import { MaterialTable } from './material-table.js';

const COATED = 1 << MATERIAL_FEATURE_NAMES.indexOf('clearcoat');

describe('R14 MaterialTable', () => {
  function tableWithOne() {
    const table = new MaterialTable();
    const floats = defaultRecord();
    table.set(2, 0, new Uint32Array(0), 0, 0, floats, 0, floats.length);
    const calls: string[] = [];
    table.scenes.add({
      materialChanged: (material) => calls.push(`material ${material}`),
      restyled: () => calls.push('restyled'),
    });
    const write = (value: number): string[] => {
      table.storage.floats[2 * table.storage.slotWords + MaterialOffset.clearcoat] = value;
      table.noteWritten(2);
      return calls.splice(0);
    };
    const features = (): number => table.states.features[table.state[2] as number] as number;
    return { table, write, features };
  }

  it('updates a material’s features when a motion or clip writes a number that decides them', () => {
    const { write, features } = tableWithOne();
    expect(features()).toBe(0);
    expect(write(0.5)).toEqual(['material 2', 'restyled']);
    expect(features()).toBe(COATED);
    // The material uses the feature already.
    expect(write(0.75)).toEqual([]);
    expect(write(0)).toEqual(['material 2', 'restyled']);
    expect(features()).toBe(0);
  });

  it('notifies all scenes of changed draw states and destroyed materials, but not of changed numbers', () => {
    const { table } = tableWithOne();
    const calls: string[][] = [[], []];
    for (const list of calls)
      table.scenes.add({
        materialChanged: (material) => list.push(`material ${material}`),
        restyled: () => list.push('restyled'),
      });
    const set = (
      material: number,
      flags: number,
      change: Partial<Record<'roughness', number>> = {},
    ): void => {
      const floats = defaultRecord();
      floats[MaterialOffset.roughness] = change.roughness ?? 0.5;
      table.set(material, flags, new Uint32Array(0), 0, 0, floats, 0, floats.length);
    };
    const newCalls = (): string[][] => calls.map((list) => list.splice(0));
    set(2, 0, { roughness: 0.25 });
    expect(newCalls()).toEqual([[], []]);
    set(2, MaterialFlag.alphaBlend);
    expect(newCalls()).toEqual(new Array(2).fill(['material 2', 'restyled']));
    set(3, 0);
    expect(newCalls()).toEqual(new Array(2).fill(['material 3']));
    table.destroy(2);
    expect(newCalls()).toEqual(new Array(2).fill(['material 2', 'restyled']));
    table.destroy(2);
    expect(newCalls()).toEqual([[], []]);
  });

  it('uploads numbers that a motion or clip has written', () => {
    const { table, write } = tableWithOne();
    table.storage.dirty.clear();
    write(0.5);
    expect(table.storage.dirty.isEmpty).toBe(false);
  });
});
