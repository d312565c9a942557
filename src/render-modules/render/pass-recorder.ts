import { RhiError } from '../../core/errors.js';
import { type CommandRow, PLACES, Place } from '../../rhi/commands/command-rows.js';
import { commandRows } from '../../rhi/commands/commands.js';
import { type ArgumentChecks, argumentChecks } from '../../rhi/record/argument-checks.js';

/** Commands that are the frame graph's, or the render thread's. */
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
const PLACE_OF = { raster: Place.renderPass, compute: Place.computePass, copy: Place.outside };

/** Looks at what passes of modules record, while they do: arguments, and whether the command may stand there at all. */
export class PassChecks implements ArgumentChecks {
  readonly #arguments = argumentChecks();
  #pass = '';
  #call = '';
  #place = 0;
  #where = '';

  /** @param kind where the call records: in the pass's own render or compute pass, or outside (`copy`) */
  begin(pass: string, call: string, kind: keyof typeof PLACE_OF): void {
    this.#pass = pass;
    this.#call = call;
    this.#place = PLACE_OF[kind];
    this.#where = WORDS[kind];
  }

  checkCall(...call: Parameters<ArgumentChecks['checkCall']>): void {
    const [, name] = call;
    const place = rows[name]?.place;
    const isRefused = REFUSED.has(name);
    if (isRefused || (place !== undefined && (PLACES[place] & this.#place) === 0)) {
      throw new RhiError(
        'pass-command-refused',
        `${this.#call}() of the pass "${this.#pass}" records ${name}, which ${isRefused ? 'is left to the frame graph: it begins and ends passes and frames' : `belongs ${place}`}. It records ${this.#where}; prepare() and passes of the kind "copy" record outside passes.`,
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
