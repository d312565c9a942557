import { describe, expect, it } from 'vitest';
import { ThreadError } from '../core/errors.js';
import { PrivateFence } from './fences/private-fence.js';
import { canSubmit } from './in-flight-limit.js';

describe('in-flight limit', () => {
  it('allows lists up to exactly the limit, and one more after a completion', () => {
    const [submitted, completed] = [new PrivateFence('submitted'), new PrivateFence('completed')];
    expect(canSubmit(submitted, completed, 2)).toBe(true);
    submitted.signal(1);
    expect(canSubmit(submitted, completed, 2)).toBe(true);
    submitted.signal(2);
    expect(canSubmit(submitted, completed, 2)).toBe(false);
    completed.signal(1);
    expect(canSubmit(submitted, completed, 2)).toBe(true);
  });

  it('allows no list after the GPU has failed', () => {
    const [submitted, completed] = [new PrivateFence('submitted'), new PrivateFence('completed')];
    completed.fail(new ThreadError('rhi-crashed', 'Gone.'));
    expect(canSubmit(submitted, completed, 1)).toBe(false);
  });
});
