/**
 * Steps through a capture. A session lists the frames, passes and commands, and shows a pass's target after any of its
 * commands. For each picture, the capture is executed again from its beginning, and the pass is cut after the command:
 *
 *   snapshot ─► frames before ─► commands of the frame ─► beginRenderPass · draw · draw ✂ rest of the pass ─► picture
 *
 * The cut pass still ends, so it resolves multisampled targets. Targets that the original pass discards are stored.
 */
import { isTyped, messageOf, RhiError } from '../../core/errors.js';
import { concatenate } from '../../core/records/concatenate.js';
import { encodeJson, jsonAt } from '../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { checkDevice } from '../commands/class-arguments.js';
import { RhiOpcode } from '../commands/commands.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../commands/descriptors.js';
import type { Capture } from './capture-file.js';
import { type BoundState, CaptureListing, type ListedFrame, type ListedPass } from './capture-listing.js';
import { type CaptureInput, openCapture } from './decode-capture.js';
import { type Picture, readPicture } from './picture.js';
import { ReplayRun } from './replay-run.js';

export interface TargetPicture extends Picture {
  /** The texture's name as in listed commands, such as `<texture 3.0 "scene color">`. */
  readonly target: string;
  readonly format: string;
  /** Errors of the executor during the replay. */
  readonly errors: readonly unknown[];
}

/** Opens a capture for stepping through it. @throws OptionError `device-option`; RhiError like `decodeCapture` */
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
   * Returns the state that is bound when the command is executed.
   * @param frame index in `frames`
   * @throws RhiError `out-of-range`
   */
  boundState(frame: number, command: number): BoundState {
    return this.#listing.boundState(this.#frame(frame, command), command);
  }

  /**
   * Returns a picture of a render pass's target after the command. The pass is the one that contains the command, or
   * else the last render pass that began before the command. Returns null if there is no such pass, or if its target
   * does not exist.
   * @param frame index in `frames`
   * @throws RhiError `out-of-range`, `readback-failed`, `device-lost`
   */
  async pictureAfter(frame: number, command: number): Promise<TargetPicture | null> {
    const listed = this.#frame(frame, command);
    const pass = lastRenderPass(listed, command);
    if (pass === undefined) return null;
    try {
      return await this.#picture(listed, pass, command);
    } catch (cause) {
      if (isTyped(cause)) throw cause;
      // A forged capture may have a target that WebGPU can't convert.
      throw new RhiError(
        'readback-failed',
        `The target of the pass "${pass.label}" can't be shown: ${messageOf(cause)} Choose another pass.`,
        { cause },
      );
    }
  }

  async #picture(frame: ListedFrame, pass: ListedPass, command: number): Promise<TargetPicture | null> {
    const { words, fields } = this.#listing.record(frame, pass.firstCommand);
    const descriptor = jsonAt<RenderPassDescriptor>(words, fields);
    const view = shownView(descriptor);
    if (view === undefined) return null;
    const errors: unknown[] = [];
    const run = await ReplayRun.begin(this.capture, this.#device, { onError: (error) => errors.push(error) });
    try {
      await run.execute(this.#cut(frame, pass, descriptor, command));
      const { backend } = run;
      backend.endForgottenPass();
      if (backend.resources.textures.find(view.texture) === undefined) return null;
      const texture = backend.texture(view.texture)?.gpu ?? null;
      if (texture === null) return null;
      const { baseMipLevel: mipLevel, baseArrayLayer: arrayLayer } = view;
      const { format } = texture;
      const picture = await readPicture(backend, { texture, mipLevel, arrayLayer });
      return { ...picture, target: this.#listing.handle(view.texture), format, errors };
    } finally {
      run.dispose();
    }
  }

  /** Returns the frame with this index. @throws RhiError `out-of-range` if the frame or its command does not exist */
  #frame(index: number, command: number): ListedFrame {
    const listed: ListedFrame | undefined = this.frames[index];
    if (this.frames.length === 0) {
      throw new RhiError(
        'out-of-range',
        `The capture has no frames, so frame ${index} does not exist. Capture at least one frame.`,
      );
    }
    if (listed === undefined) {
      throw new RhiError(
        'out-of-range',
        `The capture has ${this.frames.length} frames; frame ${index} does not exist. Ask for 0 to ${this.frames.length - 1}.`,
      );
    }
    const { frame, commands } = listed;
    if (commands[command] !== undefined) return listed;
    throw new RhiError(
      'out-of-range',
      `Frame ${frame} of the capture has ${commands.length} commands; command ${command} does not exist. Ask for 0 to ${commands.length - 1}.`,
    );
  }

  /**
   * Returns the records up to the command, or up to the pass's end if that comes first. The pass stores its targets.
   * The rest of the pass follows without its draws. Its other commands end open queries, debug groups and the pass.
   */
  #cut(frame: ListedFrame, pass: ListedPass, descriptor: RenderPassDescriptor, command: number): Uint32Array {
    const { stream } = this.capture;
    const rest: Uint32Array[] = [];
    for (let index = command + 1; index <= pass.lastCommand; index++) {
      if (!frame.commands[index].isWork) rest.push(stream.subarray(...this.#bounds(frame, index)));
    }
    const [from, after] = this.#bounds(frame, pass.firstCommand);
    const [, end] = this.#bounds(frame, Math.min(command, pass.lastCommand));
    return concatenate([
      stream.subarray(0, from),
      beginRenderPass(keepTargets(descriptor)),
      stream.subarray(after, end),
      ...rest,
    ]);
  }

  /** Returns the first word and the end of the command's record in the stream. */
  #bounds(frame: ListedFrame, command: number): [number, number] {
    const { fields, fieldWords } = this.#listing.record(frame, command);
    return [fields - 1, fields + fieldWords];
  }
}

function lastRenderPass({ passes }: ListedFrame, command: number): ListedPass | undefined {
  return passes.findLast(({ kind, firstCommand }) => kind === 'render' && firstCommand <= command);
}

/**
 * Returns the view to show. For the first colour attachment, this is its slice if it has one, else its resolve target,
 * else its view. A pass without colour attachments shows its depth-stencil attachment.
 */
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
    // A depth-stencil attachment without depth, or with read-only depth, has no depth store operation to change.
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
