import { expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import { createFences } from '../../sync/fences/fences.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import type { WorkerNotice } from '../task-messages.js';
import { createTestSystem } from '../testing/worker-bench.js';

const modules = { 'test:tasks': { where: () => 'here', never: () => new Promise(() => {}) } };

/** A pool whose workers join a group of fences. @param hasLocks whether the browser reports when a worker has ended */
async function setUp(hasLocks: boolean) {
  const fences = createFences({ shared: true });
  const invitations: FenceInvitation[] = [];
  const clock = new ManualClock();
  let release = (): void => {};
  const inviteToFences = () => {
    const { invitation, transfer } = fences.invite();
    invitations.push(invitation);
    return { invitation, transfer, evict: () => fences.evict(invitation) };
  };
  const whenReleased = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const host = { inviteToFences, clock, ...(hasLocks && { whenReleased }) };
  const { module, started, system } = await createTestSystem(modules, 1, true, host);
  /** Makes the worker join the fences, and kills it during a task. Returns its invitation. */
  const joinAndDie = async () => {
    expect(await module.run('where')).toBe('here');
    const worker = started.at(-1);
    const say = (notice: WorkerNotice) => worker?.onmessage?.({ data: notice } as MessageEvent);
    say({ kind: 'alive', lock: 'of the worker' });
    say({ kind: 'fences', request: 1 });
    const lost = module.run('never');
    await waitFor(() => expect(lost.state).toBe('running'));
    worker?.die();
    await expect(lost).rejects.toMatchObject({ code: 'task-worker-died' });
    return invitations.at(-1) as FenceInvitation;
  };
  const { memory } = fences.core;
  const isFree = ({ thread = 0, generation = 0 }: FenceInvitation) =>
    memory.generationOf(thread) !== generation;
  return { clock, fences, system, joinAndDie, isFree, release: () => release() };
}

it('F7: the places of dead task workers are freed, so that any number of workers can join the fences', async () => {
  const { fences, joinAndDie, isFree, release } = await setUp(true);
  for (let round = 0; round < 20; round++) {
    const invitation = await joinAndDie();
    release();
    await waitFor(() => expect(isFree(invitation)).toBe(true));
  }
  let places = 0;
  expect(() => {
    for (; places < 20; places++) fences.invite();
  }).toThrow(expect.objectContaining({ code: 'too-many-fence-threads' }));
  expect(places).toBe(15);
});

it('F7: a place stays taken until the browser has ended the worker, which may still write there', async () => {
  const { joinAndDie, isFree, release } = await setUp(true);
  const invitation = await joinAndDie();
  expect(isFree(invitation)).toBe(false);
  release();
  await waitFor(() => expect(isFree(invitation)).toBe(true));
});

it('F7: if the browser does not report the end of a worker, the worker’s place is freed after 10 s', async () => {
  const { clock, joinAndDie, isFree } = await setUp(false);
  const invitation = await joinAndDie();
  clock.advance(9999);
  expect(isFree(invitation)).toBe(false);
  clock.advance(1);
  expect(isFree(invitation)).toBe(true);
});
