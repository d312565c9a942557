/**
 * Several RHIs may share a device, which has one event for the errors that no error scope catches. Here one listener
 * per device passes each on to the RHI it comes from, as far as the message tells.
 *
 *   device ── uncapturederror ──► hub ─┬─ names the encoder "rhi 2, frame 7"         ► that one
 *                                      ├─ names what only one of them has, by label  ► that one
 *                                      └─ neither                                    ► the oldest
 */
import type { Resources } from './resources.js';

export type ErrorListener = (event: GPUUncapturedErrorEvent) => void;

/** One RHI's part of its device's errors. */
export class GpuErrors {
  /** Begins the labels of its command encoders. */
  readonly owner: string;
  /** What it has, by label. */
  readonly resources: Resources;
  readonly listener: ErrorListener;
  readonly #hub: Hub;

  constructor(device: GPUDevice, resources: Resources, listener: ErrorListener) {
    this.resources = resources;
    this.listener = listener;
    const hub = hubs.get(device) ?? new Hub(device);
    hubs.set(device, hub);
    this.#hub = hub;
    this.owner = hub.nextOwner();
    hub.add(this);
  }

  dispose(): void {
    this.#hub.remove(this);
  }
}

class Hub {
  readonly #device: GPUDevice;
  readonly #members = new Set<GpuErrors>();
  #created = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** The first one is alone as a rule, and has none. */
  nextOwner(): string {
    return this.#created++ === 0 ? '' : `rhi ${this.#created}, `;
  }

  add(member: GpuErrors): void {
    if (this.#members.size === 0) this.#device.addEventListener('uncapturederror', this.#onError);
    this.#members.add(member);
  }

  remove(member: GpuErrors): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#created = 0;
    this.#device.removeEventListener('uncapturederror', this.#onError);
  }

  readonly #onError: ErrorListener = (event) => {
    const members = [...this.#members];
    const { message } = event.error;
    const member =
      members.length > 1 ? (byEncoder(members, message) ?? byLabels(members, message)) : undefined;
    (member ?? members[0])?.listener(event);
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
