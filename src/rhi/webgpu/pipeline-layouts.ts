/** Pipeline layouts, by the bind group layouts that they are made of; one is forgotten with the first of those. */
import type { ResourceTable } from '../memory/resource-table.js';
import type { LayoutResource } from './resources.js';

interface KnownLayout {
  readonly handles: readonly number[];
  readonly gpu: GPUPipelineLayout;
}

export class PipelineLayouts {
  readonly #device: GPUDevice;
  readonly #layouts: ResourceTable<LayoutResource>;
  readonly #known = new Map<string, KnownLayout>();

  constructor(device: GPUDevice, layouts: ResourceTable<LayoutResource>) {
    this.#device = device;
    this.#layouts = layouts;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Null where one of them has failed. @throws RhiError `stale-handle` */
  get(handles: readonly number[]): GPUPipelineLayout | null {
    const key = handles.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known.gpu;
    const bindGroupLayouts: GPUBindGroupLayout[] = [];
    for (const handle of handles) {
      const { gpu } = this.#layouts.get(handle);
      if (gpu === null) return null;
      bindGroupLayouts.push(gpu);
    }
    const gpu = this.#device.createPipelineLayout({ bindGroupLayouts });
    this.#known.set(key, { handles, gpu });
    return gpu;
  }

  /** The bind group layout was destroyed: nobody can name it again. */
  forget(layout: number): void {
    for (const [key, { handles }] of this.#known) if (handles.includes(layout)) this.#known.delete(key);
  }
}
