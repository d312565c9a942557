import { disposedError, messageOf, OptionError, StateError, typedError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, oneOf, optional } from '../../core/options/members.js';
import type { FrameProducer } from '../../engine/frames/frame-producer.js';
import type { FrameScheduler } from '../../engine/frames/frame-scheduler.js';
import type { ThreadCalls } from '../../engine/frames/thread-calls.js';
import type { World } from '../../game/world/world.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { RenderCommandFence } from '../../sync/render-command-fence.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import {
  type EncodedData,
  encodeData,
  type RenderCommandData,
  unknownCommand,
} from '../render-module-messages.js';
import { RenderCommandQueue } from './render-command-queue.js';
import { linkEnded, RenderLink } from './render-link.js';
import { type AnyRenderModule, RenderModule, wrongThread } from './render-module.js';

export interface RenderWorkHost {
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  readonly scheduler: FrameScheduler;
  readonly world: World;
  /** Repeats a call if the threads end before they have answered. */
  readonly calls: Pick<ThreadCalls, 'ask'>;
  /** Roles of this thread. In `single` mode the render thread's work is one of them. */
  readonly roles: ThreadRoles;
  readonly reportError: (error: unknown) => void;
  /** Clock of the deadlines; replaced in tests. */
  readonly clock?: Clock;
}

const MODULE_OPTIONS = {
  /** Name in messages. Default: the last part of an HTTP URL's path, or else the URL's scheme. */
  name: optional(anything<string>()),
  /** Data for the module (`api.data`): any cloneable value. It is cloned each time the module is loaded. */
  data: optional(anything()),
};

export type RenderModuleOptions = Shaped<typeof MODULE_OPTIONS>;

/**
 * Stage of work that a fence waits for. `render`: recorded by the render thread. `present`: submitted to the canvas.
 * `gpu`: completed by the GPU.
 */
export type FenceReach = 'render' | 'present' | 'gpu';

/** A point in the sequence of frames and commands that the game has sent. */
export interface RenderFence {
  /** Whether the work before the fence has reached its stage, as far as this thread knows. Never throws. */
  readonly isComplete: boolean;
  /** Resolves when the work before the fence has reached its stage. Rejects if the engine ends first. */
  wait(): Promise<void>;
}

/** Most bytes of a command's data. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;
const FENCE_OPTIONS = { through: byDefault(oneOf('render|present|gpu'), 'render') };

/**
 * The page's render modules and render command fences (SYSTEMS R2, R4): work of the render thread besides drawing.
 * Pending commands are in `render-command-queue.ts`.
 *
 *   RenderWork ─┬─ RenderLink, one per connection ── load ──────────────────────► render thread
 *               │                                 ◄── loaded, executed, posted ──
 *               └─ RenderCommandQueue ── FrameProducer.writeCommands ── stream ──► render thread
 */
export class RenderWork {
  readonly world: World;
  readonly #host: RenderWorkHost;
  readonly #clock: Clock;
  readonly #modules = new Map<number, AnyRenderModule>();
  #numbers = 0;
  readonly #queue: RenderCommandQueue;
  #link: { readonly connection: RenderConnection; readonly opened: Promise<RenderLink> } | null = null;
  /** The last opened link. Its connection may have ended. */
  #linked: RenderLink | null = null;

  constructor(host: RenderWorkHost) {
    const { world, producer, pipeline, clock = systemClock } = host;
    this.#host = host;
    this.#clock = clock;
    this.world = world;
    this.#queue = new RenderCommandQueue({
      ...host,
      clock,
      onRemoved: (module) => this.#modules.delete(module.number),
    });
    producer.writeCommands = (writer) => this.#queue.write(writer);
    pipeline.completed.onFailure((error) => {
      this.#linked?.end(error);
      this.#queue.resolveWaits();
    });
  }

  async addRenderModule(address: string | URL, options: RenderModuleOptions): Promise<RenderModule> {
    checkOptions('addRenderModule', options, MODULE_OPTIONS);
    const url = resolve(address);
    const { name = nameOf(url), data } = options;
    const module = new RenderModule(this, ++this.#numbers, name, url, data);
    return this.#host.calls.ask(async (connection) => {
      const link = await this.#linkTo(connection);
      module.commands = await this.#load(link, module, false);
      // If other threads have taken over meanwhile, `calls.ask` repeats the call on them.
      if (link !== this.#linked) throw linkEnded();
      this.#modules.set(module.number, module);
      return module;
    });
  }

  renderFence(options: { readonly through?: FenceReach }): RenderFence {
    checkOptions('renderFence', options, FENCE_OPTIONS);
    const { through = 'render' } = options;
    const { pipeline, producer } = this.#host;
    const fence = new RenderCommandFence({
      recorded: pipeline.rendered,
      presented: through === 'gpu' ? pipeline.completed : pipeline.submitted,
    });
    const begin = (): void => fence.begin(producer.frame, through !== 'render');
    let isBegun = this.#queue.isWritten;
    if (isBegun) begin();
    const written = this.#queue.whenWritten().then(() => {
      if (!isBegun) begin();
      isBegun = true;
    });
    return {
      get isComplete() {
        return isBegun && fence.isComplete;
      },
      wait: async () => {
        producer.checkWait('wait() of a render fence');
        await written;
        await fence.wait();
      },
    };
  }

  /** Resolves when all commands have been written to the stream. `flush` uses it. */
  async settle(): Promise<void> {
    await this.#queue.whenWritten();
  }

  /** Loads the modules on the threads that take over, and sends them the commands that have not begun. */
  async moveTo(connection: RenderConnection): Promise<void> {
    const before = this.#linked;
    if (!before) {
      this.#link = null; // a link that is being opened belongs to the previous threads
      return;
    }
    this.#queue.forgetExecuted(before.executed);
    before.end();
    this.#queue.rewind();
    const link = await this.#linkTo(connection);
    for (const module of this.#modules.values()) {
      try {
        module.commands = await this.#load(link, module, true);
        for (const callback of module.restorations) this.#call(callback);
      } catch (error) {
        if (link !== this.#linked || this.#host.pipeline.completed.error) return;
        // Continue without this module.
        module.isRemoved = true;
        this.#modules.delete(module.number);
        this.#host.reportError(error);
      }
    }
  }

  /** Checks the caller's thread. @throws ThreadError `wrong-thread` if code of a module is running on this thread */
  checkThread(call: string, module: AnyRenderModule | null): void {
    const { current } = this.#host.roles;
    if (current !== 'main') throw wrongThread(call, module, current);
  }

  send(module: AnyRenderModule, name: string, data: RenderCommandData): void {
    this.#check(module, 'send()');
    this.#host.producer.checkWait('send() of a render module');
    if (!module.commands.includes(name)) throw unknownCommand(module.name, name, module.commands);
    let encoded: EncodedData;
    try {
      encoded = encodeData(data);
    } catch (cause) {
      throw new OptionError(
        'option-invalid',
        `The data of "${name}" can't be sent: ${messageOf(cause)} It takes JSON data, an ArrayBuffer, or a view of one.`,
        { cause },
      );
    }
    checkNumber('send', 'data.byteLength', encoded.bytes.length, 0, MAXIMUM_BYTES);
    this.#queue.add(module, name, encoded);
  }

  remove(module: AnyRenderModule): void {
    if (module.isRemoved) return;
    this.#check(module, 'remove()');
    module.isRemoved = true;
    this.#queue.add(module, null, encodeData(undefined));
  }

  #check(module: AnyRenderModule, call: string): void {
    this.checkThread(call, module);
    if (this.world.disposed.aborted) throw disposedError();
    if (!module.isRemoved) return;
    throw new StateError(
      'render-module-removed',
      `${call} was called after the render module "${module.name}" was removed, or could not be loaded again. Add it again.`,
    );
  }

  #linkTo(connection: RenderConnection): Promise<RenderLink> {
    if (this.#link?.connection === connection) return this.#link.opened;
    const executed = this.#linked?.executed ?? 0;
    const opened = RenderLink.open(connection, executed, {
      onExecuted: (sequence) => this.#queue.forgetExecuted(sequence),
      onThrown: (error) => this.#host.reportError(error),
      onPosted: (number, value) => {
        for (const callback of this.#modules.get(number)?.messages ?? []) this.#call(() => callback(value));
      },
      clock: this.#clock,
    }).then((link) => {
      const { error } = this.#host.pipeline.completed;
      if (error || this.#link !== opening) {
        // The engine has ended, or other threads have taken over, so this link gets no answers.
        link.end(error ?? undefined);
        throw error ?? linkEnded();
      }
      this.#linked = link;
      return link;
    });
    const opening = { connection, opened };
    this.#link = opening;
    opened.catch(() => {
      if (this.#link === opening) this.#link = null; // the next call tries again
    });
    return opened;
  }

  #load(link: RenderLink, module: AnyRenderModule, isRestored: boolean): Promise<readonly string[]> {
    const { name, url, data } = module;
    try {
      return link.load({ module: module.number, name, url, data, isRestored });
    } catch (cause) {
      throw new OptionError(
        'option-invalid',
        `addRenderModule's data can't be cloned: ${messageOf(cause)} The data is sent to another thread.`,
        { cause },
      );
    }
  }

  /** Calls a callback of the page, and reports its error. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#host.reportError(typedError(error));
    }
  }
}

/** Resolves a module's URL against the document. @throws OptionError `option-invalid` */
function resolve(address: string | URL): string {
  try {
    // Other values would become part of a URL: ".../undefined".
    if (typeof address !== 'string' && !(address instanceof URL)) throw new TypeError('Not a string or URL.');
    return new URL(address, globalThis.document?.baseURI).href;
  } catch (cause) {
    throw new OptionError('option-invalid', `addRenderModule takes a valid URL, not ${address}.`, {
      cause,
    });
  }
}

function nameOf(url: string): string {
  return /^https?:.*?([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1] ?? (/^\w+/.exec(url)?.[0] as string);
}
