/** Exports of shared fences in `fencepost/rhi`. */

export { canShareFences } from './fence-environment.js';
export type {
  FenceCounts,
  FenceInvitation,
  FenceOptions,
  FencesOptions,
  InviteOptions,
  JoinOptions,
  WaitOptions,
} from './fence-options.js';
export type { FenceQueueEvent, QueuedFence } from './fence-queue.js';
export { createFences, type Fences, joinFences } from './fences.js';
export type { FenceLogEntry, FenceLogReader, FenceLogReading, FenceOperationName } from './logs/fence-log.js';
export type { FenceDescriptor, FencePoint, MonitoredFence } from './monitored-fence.js';
export type { PlainFence } from './plain-fences.js';
