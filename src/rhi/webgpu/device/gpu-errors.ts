/**
 * Several RHIs may share a device, which has one event for the errors that no error scope catches. Here one listener
 * per device passes each on to the RHI it comes from, as far as the message tells.
 *
 *   device ── uncapturederror ──► hub ─┬─ names the encoder "rhi 2, frame 7"         ► that one
 *                                      ├─ names what only one of them has, by label  ► that one
 *                                      └─ neither                                    ► the oldest
 */
import type { Resources } from '../resources/resources.js';

type ErrorListener = (event: GPUUncapturedErrorEvent) => void;

/** One RHI's part of its device's errors. */
export class GpuErrors {
  /** Begins the labels of its command encoders. The first RHI is alone as a rule, and has none. */
  readonly owner: string;
  readonly dispose: () => void;

  /** @param resources what it has, by label */
  constructor(
    device: GPUDevice,
    readonly resources: Resources,
    readonly listener: ErrorListener,
  ) {
    const hub = hubs.get(device) ?? new Hub();
    hubs.set(device, hub);
    this.owner = hub.created++ === 0 ? '' : `rhi ${hub.created}, `;
    if (hub.members.size === 0) device.addEventListener('uncapturederror', hub.onError);
    hub.members.add(this);
    this.dispose = () => {
      hub.members.delete(this);
      if (hub.members.size > 0) return;
      hub.created = 0;
      device.removeEventListener('uncapturederror', hub.onError);
    };
  }
}

class Hub {
  readonly members = new Set<GpuErrors>();
  created = 0;

  readonly onError: ErrorListener = (event) => {
    const members = [...this.members];
    const { message } = event.error;
    const named =
      members.length > 1 ? (byEncoder(members, message) ?? byLabels(members, message)) : undefined;
    (named ?? members[0])?.listener(event);
  };
}

/** They go with their device. */
const hubs = /* @__PURE__ */ new WeakMap<GPUDevice, Hub>();

function byEncoder(members: readonly GpuErrors[], message: string): GpuErrors | undefined {
  const found = /["'`](?:(rhi \d+, )|frame \d)/.exec(message);
  return found ? members.find(({ owner }) => owner === (found[1] ?? '')) : undefined;
}

function byLabels(members: readonly GpuErrors[], message: string): GpuErrors | undefined {
  const labels = new Set([...message.matchAll(/["'`]([^"'`]+)["'`]/g)].map(([, label]) => label));
  const [first, ...others] = members.filter(({ resources }) =>
    resources.tables.some((table) => [...(table?.values() ?? [])].some(({ label }) => labels.has(label))),
  );
  return others.length === 0 ? first : undefined;
}
