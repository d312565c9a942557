/**
 * Distribution of a device's errors among several RHIs. The device has one event for the errors that no error scope
 * catches. One listener per device passes each error on to the RHI that caused it, as far as the message tells.
 *
 *   device ── uncapturederror ──► hub ─┬─ names the encoder "rhi 2, frame 7"         ► that RHI
 *                                      ├─ names a label that only one RHI has        ► that RHI
 *                                      └─ neither                                    ► the oldest RHI
 */
import type { Resources } from '../resources/resources.js';

type ErrorListener = (event: GPUUncapturedErrorEvent) => void;

/** One RHI's share of its device's errors. */
export class GpuErrors {
  /** Prefix of the labels of its command encoders. The first RHI, mostly the only one, has none. */
  readonly owner: string;
  readonly dispose: () => void;

  /** @param resources its resources, to find labels in */
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

/** Hubs by device, for as long as the device lives. */
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
