/** How workers are asked: loaded with the first question. */
import { PeerControl } from '../control/thread-control.js';
import {
  type ControlledWorker,
  type WorkerLimits,
  WorkerPeer,
  type WorkerPeerOptions,
} from '../control/worker-peer.js';

export const controlWorkers = (
  workers: readonly ControlledWorker[],
  options: WorkerPeerOptions,
  limits: WorkerLimits,
): PeerControl =>
  new PeerControl(
    workers.map((worker) => new WorkerPeer(worker, options, limits)),
    options.clock,
  );
