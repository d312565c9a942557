import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  handleGeneration,
  handleIndex,
  MAXIMUM_GENERATION,
  MAXIMUM_INDEX,
  makeHandle,
  ResourceKind,
} from '../commands/handles.js';
import { HandleAllocator } from './handle-allocator.js';

describe('the handle allocator', () => {
  it('reuses the slot freed in frame N in frame N + maxFramesInFlight + 2, not before', () => {
    const handles = new HandleAllocator(2);
    handles.beginFrame(10);
    const first = handles.allocate(ResourceKind.buffer, 'a');
    handles.free(first);
    for (const frame of [10, 11, 12, 13]) {
      handles.beginFrame(frame);
      expect(handleIndex(handles.allocate(ResourceKind.buffer, `frame ${frame}`))).toBe(frame - 9);
    }
    handles.beginFrame(14);
    const again = handles.allocate(ResourceKind.buffer, 'b');
    expect([handleIndex(again), handleGeneration(again)]).toEqual([0, 1]);
    expect(handles.isLive(first)).toBe(false);
    expect(handles.isLive(again)).toBe(true);
  });

  it('L9 lists the resources that were not freed, with kind, label and frame', () => {
    const handles = new HandleAllocator(2);
    handles.beginFrame(3);
    const freed = handles.allocate(ResourceKind.buffer, 'freed');
    handles.allocate(ResourceKind.buffer, 'kept');
    handles.beginFrame(4);
    handles.allocate(ResourceKind.bindGroupLayout, 'layout');
    handles.free(freed);
    expect(handles.leaks()).toEqual([
      { kind: 'buffer', label: 'kept', createdInFrame: 3 },
      { kind: 'bind group layout', label: 'layout', createdInFrame: 4 },
    ]);
  });

  it('keeps the slots of each kind apart', () => {
    const handles = new HandleAllocator(2);
    expect(handleIndex(handles.allocate(ResourceKind.buffer, ''))).toBe(0);
    expect(handleIndex(handles.allocate(ResourceKind.texture, ''))).toBe(0);
  });

  it('retires a slot instead of letting its generation wrap', () => {
    const handles = new HandleAllocator(0);
    let frame = 0;
    for (let generation = 0; generation <= MAXIMUM_GENERATION; generation++) {
      handles.beginFrame(frame);
      const handle = handles.allocate(ResourceKind.sampler, 's');
      expect([handleIndex(handle), handleGeneration(handle)]).toEqual([0, generation]);
      handles.free(handle);
      frame += 2;
    }
    handles.beginFrame(frame);
    expect(handles.retiredCount).toBe(1);
    expect(handleIndex(handles.allocate(ResourceKind.sampler, 's'))).toBe(1);
  });

  it('reuses retired slots if no other slot is left, longest retired first, after the usual wait', () => {
    const handles = new HandleAllocator(2);
    const allocate = () => handles.allocate(ResourceKind.bindGroup, 'g');
    for (let i = 2; i <= MAXIMUM_INDEX; i++) allocate();
    for (let generation = 0; generation <= MAXIMUM_GENERATION; generation++) {
      handles.beginFrame(generation * 4);
      const pair = [allocate(), allocate()];
      expect(pair.map(handleGeneration)).toEqual([generation, generation]);
      for (const handle of pair) handles.free(handle);
    }
    expect(handles.retiredCount).toBe(2);
    handles.beginFrame(MAXIMUM_GENERATION * 4 + 3);
    expect(allocate).toThrow(expect.objectContaining({ code: 'too-many-resources' }));
    handles.beginFrame(MAXIMUM_GENERATION * 4 + 4);
    const first = allocate();
    expect([handleIndex(first), handleGeneration(first)]).toEqual([MAXIMUM_INDEX - 1, 0]);
    expect([handleIndex(allocate()), handles.retiredCount]).toEqual([MAXIMUM_INDEX, 0]);
    expect(allocate).toThrow(/or wait a few frames/);
  });

  it('names the object in errors of double and stale use', () => {
    const handles = new HandleAllocator(0);
    const handle = handles.allocate(ResourceKind.texture, 'shadow map');
    handles.free(handle);
    expect(() => handles.free(handle)).toThrow(/texture "shadow map".*destroyed before/);
    handles.beginFrame(2);
    handles.allocate(ResourceKind.texture, 'sky');
    expect(() => handles.free(handle)).toThrow(/its slot was reused/);
    expect(() => handles.free(makeHandle(ResourceKind.texture, 0, 99))).toThrow(
      /never created\. Pass a handle that a create… call has returned/,
    );
    expect(() => handles.free(0)).toThrow(expect.objectContaining({ code: 'stale-handle' }));
  });

  it('never allocates a live handle twice, and never reuses a slot too early (model)', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('allocate' as const) }),
      fc.record({ kind: fc.constant('free' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('frame' as const) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 200 }), (inFlight, steps) => {
        const handles = new HandleAllocator(inFlight);
        const live: number[] = [];
        const seen = new Set<number>();
        const freedIn = new Map<number, number>();
        let frame = 0;
        for (const step of steps) {
          if (step.kind === 'frame') handles.beginFrame(++frame);
          else if (step.kind === 'allocate') {
            const handle = handles.allocate(ResourceKind.buffer, '');
            expect(seen.has(handle)).toBe(false);
            seen.add(handle);
            const freed = freedIn.get(handleIndex(handle));
            if (freed !== undefined) expect(frame).toBeGreaterThanOrEqual(freed + inFlight + 2);
            live.push(handle);
          } else if (live.length > 0) {
            const [handle] = live.splice(step.which % live.length, 1);
            handles.free(handle);
            freedIn.set(handleIndex(handle), frame);
          }
          expect(handles.liveCount).toBe(live.length);
          for (const handle of live) expect(handles.isLive(handle)).toBe(true);
        }
      }),
    );
  });
});
