import { describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { FenceTable } from './fence-table.js';

describe('fence table', () => {
  it('F2: a fence in a release queue with a pending signal fails when the device is lost', () => {
    const table = new FenceTable();
    const handle = 0x0700_0001;
    table.create(handle, 0, 'uploads', 1);
    const resource = table.beginSignal(handle, 1);
    // A destroy takes the fence from the table. A release queue would call `gpu.destroy` later.
    table.take(handle);
    const loss = new RhiError('device-lost', 'The GPU device was lost.');
    table.fail(loss);
    resource.gpu.destroy();
    expect(resource.fence.error).toBe(loss);
  });
});
