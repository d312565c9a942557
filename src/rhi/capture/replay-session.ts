/**
 * Steps through a capture: lists its frames, passes and commands, and shows a pass's target as it is after any of
 * its commands. For a picture everything is executed again from the capture's beginning, and the pass is cut:
 *
 *   snapshot ─► frames before ─► commands of the frame ─► beginRenderPass · draw · draw ✂ endRenderPass ─► picture
 *
 * The pass's end resolves multisampled targets, so they show too; what it would throw away is kept.
 */
import { RhiError } from '../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../commands/descriptors.js';
import { encodeJson } from '../commands/record-fields.js';
import { checkDevice } from '../record/rhi-options.js';
import type { Capture } from './capture-file.js';
import { type BoundState, CaptureListing, type ListedFrame, type ListedPass } from './capture-listing.js';
import { concatenate } from './concatenate.js';
import { type CaptureInput, openCapture } from './decode-capture.js';
import { type Picture, readPicture } from './picture.js';
import { ReplayRun } from './replay-run.js';

export interface TargetPicture extends Picture {
  /** The texture, as lines show it: `<texture 3.0 "scene color">`. */
  readonly target: string;
  readonly format: string;
  /** What the executor refused on the way. */
  readonly errors: readonly unknown[];
}

/** @throws OptionError `device-option`; RhiError as `decodeCapture` does */
export function openReplay(file: CaptureInput, device: GPUDevice): ReplaySession {
  checkDevice(device, 'A replay');
  return new ReplaySession(openCapture(file), device);
}

export class ReplaySession {
  readonly capture: Capture;
  readonly #device: GPUDevice;
  readonly #listing: CaptureListing;

  constructor(capture: Capture, device: GPUDevice) {
    this.capture = capture;
    this.#device = device;
    this.#listing = new CaptureListing(capture);
  }

  get frames(): readonly ListedFrame[] {
    return this.#listing.frames;
  }

  /**
   * What is set when the command is executed.
   * @param frame index in `frames`
   * @throws RhiError `out-of-range`
   */
  boundState(frame: number, command: number): BoundState {
    const listed = this.#frame(frame);
    checkCommand(listed, command);
    return this.#listing.boundState(listed, command);
  }

  /**
   * The target of the command's pass after the command; outside passes, that of the last pass before it. Null when
   * the frame has drawn nothing yet, or its target can't be shown.
   * @param frame index in `frames`
   * @throws RhiError `out-of-range`, `readback-failed`, `device-lost`
   */
  async pictureAfter(frame: number, command: number): Promise<TargetPicture | null> {
    const listed = this.#frame(frame);
    checkCommand(listed, command);
    const pass = lastRenderPass(listed, command);
    const descriptor = pass && this.#listing.passDescriptor(listed, pass);
    if (!pass || !descriptor) return null;
    const view = shownView(descriptor);
    if (view === undefined) return null;
    const errors: unknown[] = [];
    const run = await ReplayRun.begin(this.capture, this.#device, { onError: (error) => errors.push(error) });
    try {
      await run.execute(this.#cut(listed, pass, descriptor, command));
      const { parts } = run;
      if (parts.resources.textures.find(view.texture) === undefined) return null;
      const texture = parts.transfers.texture(view.texture);
      if (texture === null) return null;
      const { baseMipLevel: mipLevel, baseArrayLayer: arrayLayer } = view;
      const { format } = texture;
      const picture = await readPicture(parts, { texture, mipLevel, arrayLayer });
      return { ...picture, target: this.#listing.handle(view.texture), format, errors };
    } finally {
      run.dispose();
    }
  }

  #frame(index: number): ListedFrame {
    const frame: ListedFrame | undefined = this.frames[index];
    if (frame !== undefined) return frame;
    throw new RhiError(
      'out-of-range',
      `The capture has ${this.frames.length} frames, and number ${index} was asked for. Ask for 0 to ${this.frames.length - 1}.`,
    );
  }

  /** The records up to the command, with the pass kept from throwing its target away, and ended. */
  #cut(frame: ListedFrame, pass: ListedPass, descriptor: RenderPassDescriptor, command: number): Uint32Array {
    const last = Math.min(command, pass.lastCommand);
    const { stream } = this.capture;
    const begin = this.#listing.record(frame, pass.firstCommand);
    const { fields, fieldWords } = this.#listing.record(frame, last);
    return concatenate([
      stream.subarray(0, begin.fields - 1),
      beginRenderPass(keepTargets(descriptor)),
      stream.subarray(begin.fields + begin.fieldWords, fields + fieldWords),
      this.#closing(frame, pass, last),
    ]);
  }

  /** Ends what is open after the command: queries, debug groups and the pass. */
  #closing(frame: ListedFrame, pass: ListedPass, last: number): Uint32Array {
    let queries = 0;
    let groups = 0;
    for (let index = pass.firstCommand; index <= last; index++) {
      const { opcode } = this.#listing.record(frame, index);
      if (opcode === RhiOpcode.endRenderPass) return new Uint32Array(0);
      if (opcode === RhiOpcode.beginOcclusionQuery) queries = 1;
      if (opcode === RhiOpcode.endOcclusionQuery) queries = 0;
      if (opcode === RhiOpcode.pushDebugGroup) groups++;
      if (opcode === RhiOpcode.popDebugGroup) groups = Math.max(0, groups - 1);
    }
    return Uint32Array.from([
      ...Array.from({ length: queries }, () => bare(RhiOpcode.endOcclusionQuery)),
      ...Array.from({ length: groups }, () => bare(RhiOpcode.popDebugGroup)),
      bare(RhiOpcode.endRenderPass),
    ]);
  }
}

/** @throws RhiError `out-of-range` */
function checkCommand({ frame, commands }: ListedFrame, index: number): void {
  if (commands[index] !== undefined) return;
  throw new RhiError(
    'out-of-range',
    `Frame ${frame} of the capture has ${commands.length} commands, and number ${index} was asked for. Ask for 0 to ${commands.length - 1}.`,
  );
}

const bare = (opcode: number): number => opcode | (1 << HEADER_LENGTH_SHIFT);

function lastRenderPass({ passes }: ListedFrame, command: number): ListedPass | undefined {
  return passes.findLast(({ kind, firstCommand }) => kind === 'render' && firstCommand <= command);
}

/** The first colour as it is after the pass, resolved where it is, or its slice as a layer; else the depth. */
function shownView({
  colorAttachments,
  depthStencilAttachment,
}: RenderPassDescriptor): TextureViewDescriptor | undefined {
  const color = colorAttachments?.find((attachment) => attachment !== null);
  if (color?.depthSlice !== undefined) return { ...color.view, baseArrayLayer: color.depthSlice };
  return color?.resolveTarget ?? color?.view ?? depthStencilAttachment?.view;
}

function keepTargets(descriptor: RenderPassDescriptor): RenderPassDescriptor {
  const { colorAttachments, depthStencilAttachment: depth } = descriptor;
  return {
    ...descriptor,
    colorAttachments: colorAttachments.map(
      (attachment) => attachment && { ...attachment, storeOp: 'store' as const },
    ),
    // A depth buffer that is only read, or has no depth, has no operation to change.
    depthStencilAttachment: depth?.depthStoreOp ? { ...depth, depthStoreOp: 'store' } : depth,
  };
}

function beginRenderPass(descriptor: RenderPassDescriptor): Uint32Array {
  const json = encodeJson(descriptor);
  const record = new Uint32Array(2 + ((json.length + 3) >>> 2));
  record.set([RhiOpcode.beginRenderPass | (record.length << HEADER_LENGTH_SHIFT), json.length]);
  new Uint8Array(record.buffer, 8, json.length).set(json);
  return record;
}
