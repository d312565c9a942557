/**
 * Distributes a device's errors among the RHIs that share it. A device has a single event for errors outside error
 * scopes. One listener per device passes each error on to the RHI that has probably caused it.
 *
 *   device ── uncapturederror ──► hub ─┬─ message names the encoder "rhi 2, frame 7"  ► the second RHI
 *                                      ├─ message has a label of only one RHI         ► that RHI
 *                                      └─ other messages                              ► the oldest RHI
 */
import type { Resources } from '../resources/resources.js';

type ErrorListener = (event: GPUUncapturedErrorEvent) => void;

/** The errors of a device that belong to one RHI. */
export class GpuErrors {
  /** Prefix for the labels of the RHI's command encoders. The first RHI of a device has an empty prefix. */
  readonly owner: string;
  readonly dispose: () => void;

  /** @param resources resources of the RHI, whose labels are searched */
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

/** The RHIs of one device. */
class Hub {
  readonly members = new Set<GpuErrors>();
  /** Number of RHIs created since the device last had no RHI. */
  created = 0;

  readonly onError: ErrorListener = (event) => {
    const members = [...this.members];
    const { message } = event.error;
    const named =
      members.length > 1 ? (byEncoder(members, message) ?? byLabels(members, message)) : undefined;
    (named ?? members[0])?.listener(event);
  };
}

/** Hubs by device. */
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
