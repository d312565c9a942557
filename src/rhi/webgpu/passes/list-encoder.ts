/**
 * The command encoder of the list being executed. It comes to life with the first command that needs it, so
 * that writes before it can go straight to the queue, which keeps them in order at no cost.
 */
import type { ErrorScopes } from '../device/error-scopes.js';

export class ListEncoder {
  readonly #device: GPUDevice;
  readonly #owner: string;
  readonly #scopes: ErrorScopes | null;
  readonly #beforeSubmit: () => void;
  readonly #commandBuffers: GPUCommandBuffer[] = [];
  readonly #groups: string[] = [];
  readonly #descriptor = { label: '' };
  #encoder: GPUCommandEncoder | null = null;
  /** Which one, for the GPU's own messages: they come later, and name what they are about by its label. */
  name = '';

  /**
   * @param owner whose lists these are, where a device has several executors; it begins the label
   * @param scopes told of what the GPU finds wrong with a list, where validation is on
   * @param beforeSubmit closes what the submission reads from
   */
  constructor(device: GPUDevice, owner: string, scopes: ErrorScopes | null, beforeSubmit: () => void) {
    this.#device = device;
    this.#owner = owner;
    this.#scopes = scopes;
    this.#beforeSubmit = beforeSubmit;
  }

  /** True while a write may go straight to the queue. */
  get isEmpty(): boolean {
    return this.#encoder === null;
  }

  get current(): GPUCommandEncoder {
    if (this.#encoder === null) {
      this.#descriptor.label = this.#owner + this.name;
      this.#encoder = this.#device.createCommandEncoder(this.#descriptor);
      for (const label of this.#groups) this.#encoder.pushDebugGroup(label);
    }
    return this.#encoder;
  }

  pushGroup(label: string): void {
    this.current.pushDebugGroup(label);
    this.#groups.push(label);
  }

  popGroup(): void {
    // With no encoder it was closed at the last split, and will not be opened in the next one.
    if (this.#groups.pop() !== undefined) this.#encoder?.popDebugGroup();
  }

  /** Gives what is encoded to the queue; in the middle of a list nothing is numbered by it. */
  submit(): void {
    const encoder = this.#encoder;
    if (encoder === null) return;
    for (let i = 0; i < this.#groups.length; i++) encoder.popDebugGroup();
    this.#encoder = null;
    this.#beforeSubmit();
    const finish = (): void => {
      this.#commandBuffers[0] = encoder.finish();
      this.#device.queue.submit(this.#commandBuffers);
    };
    if (this.#scopes === null) finish();
    else this.#scopes.submit(this.name, finish);
  }

  /** Submits the rest of the list. Groups do not outlive it. True when it gave the GPU anything, here or before. */
  end(): boolean {
    this.submit();
    const hasSubmitted = this.#commandBuffers.length > 0;
    this.#groups.length = 0;
    this.#commandBuffers.length = 0;
    return hasSubmitted;
  }
}
