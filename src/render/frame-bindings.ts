import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  ShaderStage,
} from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';

/**
 * Bind group 0 of the forward pass: everything a frame's draws share. It names whole buffers and no offsets, so
 * it is made anew only when a buffer grew.
 *
 *   0 view (uniform) │ 1 primitives │ 2 instances │ 3 materials │ 4 lights      (storage, read-only)
 */
export class FrameBindings {
  #groupLayout: BindGroupLayoutHandle | undefined;
  #group: BindGroupHandle | undefined;
  #groupVersion = -1;

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get layout(): BindGroupLayoutHandle {
    const storage = { type: 'read-only-storage' } as const;
    this.#groupLayout ??= this.#rhi.createBindGroupLayout({
      label: 'frame',
      entries: [
        { binding: 0, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: { type: 'uniform' } },
        { binding: 1, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 2, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 3, visibility: ShaderStage.fragment, buffer: storage },
        { binding: 4, visibility: ShaderStage.fragment, buffer: storage },
      ],
    });
    return this.#groupLayout;
  }

  get bindGroup(): BindGroupHandle {
    if (this.#group === undefined) throw new Error('the frame bind group is used before it was made');
    return this.#group;
  }

  /**
   * Per frame.
   * @param version rises when one of the buffers is another one
   */
  record(version: number, buffers: () => readonly BufferHandle[]): void {
    if (version === this.#groupVersion) return;
    this.#groupVersion = version;
    this.#rhi.destroy(this.#group);
    this.#group = this.#rhi.createBindGroup({
      label: 'frame',
      layout: this.layout,
      entries: buffers().map((buffer, binding) => ({ binding, buffer })),
    });
  }

  dispose(): void {
    this.#rhi.destroy(this.#group);
    this.#rhi.destroy(this.#groupLayout);
    this.#group = this.#groupLayout = undefined;
    this.#groupVersion = -1;
  }
}
