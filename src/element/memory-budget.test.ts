import { expect, it } from 'vitest';
import { MemoryBudget, type Tenant } from './memory-budget.js';

/** Elements with a model of 100 bytes each; those in `inView` are in view. */
function createTenants(names: string, inView = '') {
  const rested: string[] = [];
  const tenants = [...names].map((name) => {
    const tenant = {
      isInView: inView.includes(name),
      isLoaded: true as boolean,
      rest: async () => {
        tenant.isLoaded = false;
        rested.push(name);
      },
    } satisfies Tenant;
    return tenant;
  });
  const used = (): number => 100 * tenants.filter(({ isLoaded }) => isLoaded).length;
  return { tenants, rested, used };
}

it('unloads the models that were seen least recently, until the budget suffices', async () => {
  const { tenants, rested, used } = createTenants('abcd');
  const budget = new MemoryBudget();
  budget.bytes = 250;
  for (const tenant of tenants) budget.see(tenant);
  budget.see(tenants[0] as Tenant);
  await Promise.all([budget.trim(used), budget.trim(used)]);
  expect(rested).toEqual(['b', 'c']);
});

it('never unloads a model in view, and measures only if a model can be unloaded', async () => {
  const { tenants, rested, used } = createTenants('abc', 'ac');
  const budget = new MemoryBudget();
  budget.bytes = 0;
  for (const tenant of tenants) budget.see(tenant);
  await budget.trim(used);
  expect(rested).toEqual(['b']);
  await budget.trim(() => {
    throw new Error('measured');
  });
  budget.remove(tenants[1] as Tenant);
});

it('goes on after a failed measurement', async () => {
  const { tenants, rested, used } = createTenants('a');
  const budget = new MemoryBudget();
  budget.bytes = 0;
  budget.see(tenants[0] as Tenant);
  const fail = (): number => {
    throw new Error('disposed');
  };
  await expect(budget.trim(fail)).rejects.toThrow('disposed');
  await budget.trim(used);
  expect(rested).toEqual(['a']);
});

it.each([-1, Number.NaN, '1 GB'])('rejects the budget %s', (bytes) => {
  const budget = new MemoryBudget();
  expect(() => Object.assign(budget, { bytes })).toThrow(
    expect.objectContaining({ code: 'option-out-of-range', message: expect.stringMatching(/bytes from 0/) }),
  );
  budget.bytes = Infinity;
});
