/**
 * The command encoder of the list being executed. The first command that needs the encoder creates it. Before that,
 * writes go straight to the queue. The queue executes them before the list, so they need no copy.
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
  /**
   * The list's name, which is part of the encoder's label. The GPU's error messages contain that label, and arrive
   * after the list has ended.
   */
  name = '';

  /**
   * @param owner prefix of the label, for a device with several executors
   * @param scopes error scopes that surround each submission; null without validation
   * @param beforeSubmit called before each submission, to unmap the upload pages that it reads
   */
  constructor(device: GPUDevice, owner: string, scopes: ErrorScopes | null, beforeSubmit: () => void) {
    this.#device = device;
    this.#owner = owner;
    this.#scopes = scopes;
    this.#beforeSubmit = beforeSubmit;
  }

  /** Whether no unsubmitted command is encoded, so that a write may go straight to the queue. */
  get isEmpty(): boolean {
    return this.#encoder === null;
  }

  /** The encoder. If there is none, it is created, and the open debug groups are pushed. */
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
    // If there is no encoder, `submit` has closed the group. The group is removed, so that the next encoder does not
    // open it again.
    if (this.#groups.pop() !== undefined) this.#encoder?.popDebugGroup();
  }

  /** Submits the encoded commands. Further commands of the list may follow, in the same debug groups. */
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

  /** Submits the rest of the list, and closes its debug groups. @returns whether any part of it was submitted */
  end(): boolean {
    this.submit();
    const hasSubmitted = this.#commandBuffers.length > 0;
    this.#groups.length = 0;
    this.#commandBuffers.length = 0;
    return hasSubmitted;
  }
}
