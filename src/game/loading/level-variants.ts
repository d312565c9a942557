import { OptionError } from '../../core/errors.js';
import type { MeshComponent } from '../components/mesh-component.js';
import type { Material } from '../materials/material.js';

/** A primitive whose material differs in some variants. */
export interface VariantPart {
  readonly component: MeshComponent;
  readonly material: Material;
  /** Materials by variant index, for the variants that replace the default material. */
  readonly others: ReadonlyMap<number, Material>;
}

/** The material variants of one level (KHR_materials_variants). */
export class LevelVariants {
  readonly names: readonly string[];
  #chosen = -1;
  readonly #parts: readonly VariantPart[];

  constructor(names: readonly string[], parts: readonly VariantPart[]) {
    this.names = names;
    this.#parts = parts;
  }

  get chosen(): string | null {
    return this.names[this.#chosen] ?? null;
  }

  /** @throws OptionError `variant-unknown` */
  choose(name: string | null): void {
    const variant = name === null ? -1 : this.names.indexOf(name);
    if (name !== null && variant < 0) {
      throw new OptionError(
        'variant-unknown',
        `The level has no variant ${JSON.stringify(name)}. It has ${this.names.map((each) => JSON.stringify(each)).join(', ')}.`,
      );
    }
    this.#chosen = variant;
    for (const { component, material, others } of this.#parts) {
      if (!component.isDestroyed) component.material = others.get(variant) ?? material;
    }
  }
}
