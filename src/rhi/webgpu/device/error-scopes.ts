/**
 * Reports WebGPU's validation errors as `gpu-validation`, with the RHI's names for the command, object, pass and frame.
 * Executors use this class only with validation. An error scope surrounds each command that calls the device. Another
 * scope surrounds each submission, because WebGPU finds errors of encoded commands when their encoder is finished.
 *
 *   createBuffer ─► push · device.createBuffer · pop      ─► The GPU refused createBuffer of the buffer "vertices" …
 *   draw, …, endFrame ─► push · finish · submit · pop     ─► The GPU refused draw in the pass "main" of frame 7 …
 */
import { isTyped, messageOf, RhiError } from '../../../core/errors.js';
import { jsonAt } from '../../../core/records/record-fields.js';
import { type CommandInfo, commandInfo } from '../../commands/command-info.js';
import { Scope } from '../../commands/command-rows.js';
import { rhiCommands } from '../../commands/commands.js';
import { handleKind, KIND_NAMES } from '../../commands/handles.js';
import type { Handler, WebGpuBackend } from '../webgpu-backend.js';
import { inErrorScope } from './in-error-scope.js';

/** Names of the RHI's commands by WebGPU's names, if the names differ. */
const COMMANDS: Readonly<Record<string, string | undefined>> = {
  dispatchWorkgroups: 'dispatch',
  dispatchWorkgroupsIndirect: 'dispatchIndirect',
  setBlendConstant: 'setBlendFactor',
  setStencilReference: 'setStencilRef',
  executeBundles: 'executeDrawBundle',
  // For compute passes, `commandIn` replaces `Render` and `Graphics` in the next two names by `Compute`.
  end: 'endRenderPass',
  setPipeline: 'setGraphicsPipeline',
};
/**
 * Codes of errors whose texts already name the object and the consequence. `translate` changes the code, and puts the
 * command in front of the text.
 */
const OF_OBJECTS = ['resource-creation', 'pipeline-creation', 'bundle-refused'];

export class ErrorScopes {
  readonly #device: GPUDevice;
  readonly #report: (error: unknown) => void;
  /** Labels of the passes in the list being encoded. */
  #passes: string[] = [];

  constructor(device: GPUDevice, report: (error: unknown) => void) {
    this.#device = device;
    this.#report = report;
  }

  /**
   * Returns handlers that run in an error scope, if their commands may call the device. A command that is allowed only
   * in passes calls an encoder, so its handler needs no scope and is returned unchanged.
   */
  wrap(handlers: readonly (Handler | undefined)[]): readonly (Handler | undefined)[] {
    return handlers.map((handler, opcode) => {
      const info = commandInfo[opcode];
      const isScoped = handler !== undefined && info !== undefined && (info.scopes & Scope.outside) !== 0;
      return isScoped ? this.#inScope(info, handler) : handler;
    });
  }

  /**
   * Calls `finish`, which finishes and submits a list, in an error scope.
   * @param list the list's name, like `frame 7`
   */
  submit(list: string, finish: () => void): void {
    const passes = this.#passes;
    this.#passes = [];
    const describe = ({ message }: GPUError): RhiError => {
      const command = commandIn(message);
      const pass =
        passes.find((label) => message.includes(`"${label}"`)) ??
        (passes.length === 1 ? passes[0] : undefined);
      const what = [command, pass === undefined ? '' : `the pass "${pass}"`].filter(Boolean).join(' in ');
      return new RhiError(
        'gpu-validation',
        `The GPU refused ${what || 'a command'} of ${list || 'the commands between frames'}: ${message} All commands submitted with it are left out.`,
        { details: { command, pass: pass ?? '', list, message } },
      );
    };
    inErrorScope(this.#device, 'validation', finish, (error) => this.#report(describe(error)));
  }

  /**
   * Returns the error to report. Errors that the executor has made from WebGPU's errors get the code
   * `gpu-validation`.
   */
  translate(error: unknown): unknown {
    if (!isTyped(error) || !OF_OBJECTS.includes(error.code)) return error;
    const { message, cause, details } = error;
    const place = details === undefined ? '' : `${details.command} in frame ${details.frame}: `;
    return new RhiError('gpu-validation', place + message, { cause, details });
  }

  #inScope(info: CommandInfo, handler: Handler): Handler {
    const { name, handles } = info;
    const [first] = handles;
    return (backend, record) => {
      const { words, fields } = record;
      if (name === 'beginRenderPass' || name === 'beginComputePass')
        this.#passes.push(jsonAt<{ readonly label: string }>(words, fields).label);
      const list = backend.list.name;
      const handle = first === undefined ? 0 : words[fields + first.word];
      // The label of a destroyed object is known only before the command, and the label of a created object
      // only after it.
      const before = first?.isCreated ? '' : objectOf(info, handle, backend);
      const describe = (message: string, cause: unknown): RhiError => {
        const object = before || objectOf(info, handle, backend);
        return new RhiError(
          'gpu-validation',
          `The GPU refused ${name}${object}${list && ` in ${list}`}: ${message} The command is left out.`,
          { cause, details: { command: name, list, message } },
        );
      };
      const call = (): void => {
        try {
          handler(backend, record);
        } catch (cause) {
          // WebGPU throws at once for values that it can't convert.
          throw isTyped(cause) ? cause : describe(messageOf(cause), cause);
        }
      };
      inErrorScope(this.#device, 'validation', call, (error) => this.#report(describe(error.message, error)));
    };
  }
}

/** Returns a text such as ` of the buffer "vertices"`; empty for a command without handles. */
function objectOf(info: CommandInfo, handle: number, { resources }: WebGpuBackend): string {
  if (info.handles.length === 0) return '';
  return ` of the ${KIND_NAMES[handleKind(handle)] ?? 'resource'} "${resources.labelOf(handle)}"`;
}

/**
 * Returns the command in WebGPU's message, as in `… [RenderPassEncoder "main"].DrawIndexed(3, 1, 0, 0, 0) …`. Returns
 * an empty text if the message contains no command.
 */
function commandIn(message: string): string {
  const isCompute = message.includes('ComputePassEncoder');
  for (const [, method = ''] of message.matchAll(/\.(\w+)\(/g)) {
    const name = method.charAt(0).toLowerCase() + method.slice(1);
    const command = COMMANDS[name] ?? (name in rhiCommands.opcodes ? name : '');
    if (command !== '') return isCompute ? command.replace(/Graphics|Render/, 'Compute') : command;
  }
  return '';
}
