import { describe, expect, it } from 'vitest';
import {
  handleGeneration,
  handleIndex,
  handleKind,
  MAXIMUM_GENERATION,
  MAXIMUM_INDEX,
  makeHandle,
  ResourceKind,
} from './handles.js';

describe('handles', () => {
  it('pack kind, generation and index, and are never 0', () => {
    expect(MAXIMUM_GENERATION).toBe(1023);
    expect(MAXIMUM_INDEX).toBe(262143);
    expect(makeHandle(ResourceKind.buffer, 0, 0)).toBe(1);
    expect(makeHandle(ResourceKind.texture, 3, 5)).toBe(5 * 16384 + 3 * 16 + 2);
    const largest = makeHandle(15, MAXIMUM_GENERATION, MAXIMUM_INDEX);
    expect(largest).toBe(0xffffffff);
    expect([handleKind(largest), handleGeneration(largest), handleIndex(largest)]).toEqual([
      15, 1023, 262143,
    ]);
  });
});
