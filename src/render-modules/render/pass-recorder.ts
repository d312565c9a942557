import { RhiError } from '../../core/errors.js';
import { type CommandRow, SCOPES, Scope } from '../../rhi/commands/command-rows.js';
import { commandRows } from '../../rhi/commands/commands.js';
import { type ArgumentChecks, argumentChecks } from '../../rhi/record/argument-checks.js';

/** Commands reserved for the frame graph and the render thread. */
const REFUSED = new Set([
  'beginFrame',
  'endFrame',
  'beginRenderPass',
  'endRenderPass',
  'beginComputePass',
  'endComputePass',
  'beginDrawingViewport',
  'endDrawingViewport',
  'createViewportTarget',
  'setQueue',
]);

const rows: Readonly<Record<string, CommandRow | undefined>> = commandRows;
const WORDS = { raster: 'in its render pass', compute: 'in its compute pass', copy: 'outside passes' };
const SCOPE_OF = { raster: Scope.renderPass, compute: Scope.computePass, copy: Scope.outside };

/** Checks each command that a pass of a module records: its arguments, and whether the pass may record it. */
export class PassChecks implements ArgumentChecks {
  readonly #arguments = argumentChecks();
  #pass = '';
  #call = '';
  #scope = 0;
  #where = '';

  /**
   * Prepares the checks for a call of a pass.
   * @param kind whether the call records in the pass's own render or compute pass, or outside passes (`copy`)
   */
  begin(pass: string, call: string, kind: keyof typeof SCOPE_OF): void {
    this.#pass = pass;
    this.#call = call;
    this.#scope = SCOPE_OF[kind];
    this.#where = WORDS[kind];
  }

  checkCall(...call: Parameters<ArgumentChecks['checkCall']>): void {
    const [, name] = call;
    const scope = rows[name]?.scope;
    const isRefused = REFUSED.has(name);
    if (isRefused || (scope !== undefined && (SCOPES[scope] & this.#scope) === 0)) {
      const reason = isRefused
        ? 'is reserved for the frame graph. The graph begins and ends passes and frames'
        : `is only allowed ${scope === 'outside passes' ? scope : `in ${scope}`}`;
      throw new RhiError(
        'pass-command-refused',
        `${this.#call}() of the pass "${this.#pass}" records ${name}, which ${reason}. This call records ${this.#where}. Only setup(), prepare() and passes of the kind "copy" record outside passes.`,
      );
    }
    this.#arguments.checkCall(...call);
  }

  checkOwn(...call: Parameters<ArgumentChecks['checkOwn']>): void {
    this.#arguments.checkOwn(...call);
  }

  recorded<Descriptor extends object>(descriptor: Descriptor): Descriptor {
    return this.#arguments.recorded(descriptor);
  }
}
