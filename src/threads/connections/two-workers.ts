import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { createFenceLink } from '../../sync/fences/fence-link.js';
import { connectWorkersBy, EngineWorker } from './worker-connection.js';

/**
 * Starts the two workers of `render+rhi` mode:
 *
 *   main ══ commands ══► render worker ══ RHI commands ══► RHI worker (device, canvas)
 */
export const connectTwoWorkers = /* @__PURE__ */ connectWorkersBy((context, add, commandPort, before) => {
  const { owner: keptOwner, other: keptOther } = before?.workers ?? {};
  // Both scripts load at once.
  const owner = add(new EngineWorker('RHI', context, ['submitted', 'completed'], keptOwner));
  const other = add(new EngineWorker('render', context, ['rendered'], keptOther));
  const rhi = new MessageChannel();
  const [listsSent, listsReceived] = createFenceLink(['completed']);
  const startOwner = (): Promise<RhiCapabilities> =>
    owner.start({ kind: 'rhi', rhiPort: rhi.port2, fences: listsSent }, null);
  const startOther = async (capabilities: RhiCapabilities): Promise<void> => {
    const role = { kind: 'render', rhiPort: rhi.port1, fences: listsReceived, capabilities } as const;
    await other.start(role, commandPort);
  };
  return async () => {
    // If the RHI worker is kept and the render worker is new, start the render worker first. If its start fails,
    // nothing has changed yet.
    const isNewFirst = before && keptOwner && !keptOther;
    if (isNewFirst) await startOther(before.capabilities as RhiCapabilities);
    await before?.beforeReuse();
    const capabilities = await startOwner();
    if (!isNewFirst) await startOther(capabilities);
    return capabilities;
  };
});
