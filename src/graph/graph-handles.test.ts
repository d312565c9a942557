import { describe, expect, it } from 'vitest';
import { GraphHandles } from './graph-handles.js';

describe('X1 handles of a graph', () => {
  it('identify a version of a resource, in their own set-up only', () => {
    const handles = new GraphHandles();
    handles.begin();
    const first = handles.add(0, 0, 0);
    const other = handles.add(1, 0, 0);
    const second = handles.add(0, 1, first);
    expect([first, other, second].map((handle) => handles.find(handle))).toEqual([0, 1, 0]);
    expect([first, other, second].map((handle) => handles.versionOf(handle))).toEqual([0, 0, 1]);
    expect(handles.withdraw(second)).toBe(first);
    expect([first, second].map((handle) => handles.find(handle))).toEqual([0, -1]);
    handles.begin();
    handles.add(0, 0, 0);
    expect([first, other, second].map((handle) => handles.find(handle))).toEqual([-1, -1, -1]);
  });

  it('are invalid in each of the next 100,000 set-ups', () => {
    const handles = new GraphHandles();
    handles.begin();
    const kept = handles.add(0, 0, 0);
    let found = 0;
    for (let setup = 0; setup < 100_000; setup++) {
      handles.begin();
      for (let resource = 0; resource < 8; resource++) handles.add(resource, 0, 0);
      if (handles.find(kept) >= 0) found++;
    }
    expect(found).toBe(0);
  });

  it('continue after the largest number, and stay integers that V8 does not allocate', () => {
    const handles = new GraphHandles(2 ** 30 - 3);
    for (let setup = 0; setup < 4; setup++) {
      handles.begin();
      const made = [handles.add(0, 0, 0), handles.add(1, 0, 0)];
      expect(made.map((handle) => handles.find(handle))).toEqual([0, 1]);
      for (const handle of made) expect(handle >= 0 && handle < 2 ** 30).toBe(true);
    }
  });

  it('are distinguished from every other value', () => {
    const handles = new GraphHandles(2 ** 30 - 1);
    handles.begin();
    handles.add(0, 0, 0);
    handles.add(1, 0, 0);
    expect(handles.find(0)).toBe(1);
    for (const value of [1, -1, 0.5, Number.NaN, 2 ** 30, 2 ** 31 - 1, 2 ** 32, Number.POSITIVE_INFINITY]) {
      expect(handles.find(value), String(value)).toBe(-1);
    }
    for (const value of ['0', undefined, null, {}]) expect(handles.find(value as never)).toBe(-1);
  });
});
