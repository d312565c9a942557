import type { Scene } from '../scene/scene.js';
import { ALL_LAYERS } from '../scene/view-parameters.js';

/** Selects the primitives that a view may show: drawable primitives in its layers. */
export class LayerFilter {
  /** One bit per layer. */
  layers = ALL_LAYERS;
  #bits = new Uint32Array(0);
  #bitsVersion = -1;
  #bitsLayers = 0;

  /** Returns one bit per primitive that the view may show. Called per frame, after the scene's update. */
  select({ primitives, version }: Scene): Uint32Array {
    const { drawableBits, layers, length, hasUnseen } = primitives;
    const mask = this.layers;
    if (mask === ALL_LAYERS && !hasUnseen) return drawableBits;
    if (version === this.#bitsVersion && mask === this.#bitsLayers) return this.#bits;
    this.#bitsVersion = version;
    this.#bitsLayers = mask;
    if (this.#bits.length !== drawableBits.length) this.#bits = new Uint32Array(drawableBits.length);
    const bits = this.#bits;
    const words = (length + 31) >>> 5;
    for (let word = 0; word < words; word++) {
      let rest = drawableBits[word] as number;
      let selected = 0;
      while (rest !== 0) {
        const lowest = rest & -rest;
        rest ^= lowest;
        const primitive = (word << 5) + 31 - Math.clz32(lowest);
        if (((layers[primitive] as number) & mask) !== 0) selected |= lowest;
      }
      bits[word] = selected;
    }
    return bits;
  }
}
