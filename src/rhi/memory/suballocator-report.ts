/**
 * How a suballocator's free space lies, for figures and benchmarks: it walks every range, so it is not for each
 * frame. Fragmentation is the share of the free space that the largest free range does not have.
 *
 *   │ used │ free 100 │ used │ free 300 │      400 free, largest 300: fragmentation 0.25
 */
import { checkOption } from '../../core/option-names.js';
import { Suballocator } from './suballocator.js';

export interface SuballocatorReport {
  readonly allocationCount: number;
  readonly usedSize: number;
  readonly freeSize: number;
  readonly freeRangeCount: number;
  /** The largest request of alignment 1 that would succeed. */
  readonly largestFreeSize: number;
  /** 0: all that is free is one range; towards 1: it is splinters. */
  readonly fragmentation: number;
}

/** @throws OptionError `option-invalid` */
export function reportSuballocator(allocator: Suballocator): SuballocatorReport {
  const what = 'The suballocator of reportSuballocator';
  checkOption(what, allocator, allocator instanceof Suballocator, 'one that new Suballocator has made');
  let freeRangeCount = 0;
  let largestFreeSize = 0;
  allocator.forEachFree((_, size) => {
    freeRangeCount++;
    largestFreeSize = Math.max(largestFreeSize, size);
  });
  const { allocationCount, usedSize } = allocator;
  const freeSize = allocator.capacity - usedSize;
  const fragmentation = freeSize === 0 ? 0 : 1 - largestFreeSize / freeSize;
  return { allocationCount, usedSize, freeSize, freeRangeCount, largestFreeSize, fragmentation };
}
