/**
 * Limits the memory of the models of a page. If the models need more than the budget, the model that was seen least
 * recently is unloaded first. A model in view is never unloaded.
 *
 *   seen least recently ─► [ A  B  C  D ] ◄─ seen last        over the budget: A goes, then B
 */

import { OptionError } from '../index.js';

/** An element with a model that can be unloaded. */
export interface Tenant {
  readonly isInView: boolean;
  readonly isLoaded: boolean;
  /** Unloads the model. Resolves when its memory is free. */
  rest(): Promise<void>;
}

export class MemoryBudget {
  #bytes = 512 * 2 ** 20;
  /** Elements in the order in which they were last seen. */
  readonly #tenants = new Set<Tenant>();
  #isTrimming = false;

  /** Largest memory of all models, in bytes, from 0. Throws OptionError `option-out-of-range`. */
  get bytes(): number {
    return this.#bytes;
  }
  set bytes(bytes: number) {
    if (!(bytes >= 0)) {
      const message = `FencepostViewer.memoryBudget is ${String(bytes)}; it has to be a number of bytes from 0.`;
      throw new OptionError('option-out-of-range', message);
    }
    this.#bytes = bytes;
  }

  /** Notes that an element is seen now. */
  see(tenant: Tenant): void {
    this.#tenants.delete(tenant);
    this.#tenants.add(tenant);
  }

  remove(tenant: Tenant): void {
    this.#tenants.delete(tenant);
  }

  /**
   * Unloads models until the budget suffices or all models are in view.
   * @param used returns the memory of all models, in bytes
   */
  async trim(used: () => number): Promise<void> {
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    try {
      for (;;) {
        const tenant = [...this.#tenants].find(({ isInView, isLoaded }) => isLoaded && !isInView);
        // Measure only if something can be unloaded, because the measurement has a cost.
        if (!tenant || used() <= this.bytes) return;
        await tenant.rest();
      }
    } finally {
      this.#isTrimming = false;
    }
  }
}
