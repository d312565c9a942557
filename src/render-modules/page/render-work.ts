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
import { RenderModule, wrongThread } from './render-module.js';

export interface RenderWorkHost {
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  readonly scheduler: FrameScheduler;
  readonly world: World;
  /** Asks again where threads end before they have answered. */
  readonly calls: Pick<ThreadCalls, 'ask'>;
  /** Of this thread, other ones in tests: in `single` mode the render thread's work is a role of it. */
  readonly roles: ThreadRoles;
  readonly reportError: (error: unknown) => void;
  /** Another one in tests. */
  readonly clock?: Clock;
}

const MODULE_OPTIONS = {
  /** For messages; by default the last part of the address. */
  name: optional(anything<string>()),
  /** For the module, which has it as `api.data`: anything that can be cloned. It is cloned for each loading. */
  data: optional(anything()),
};

export type RenderModuleOptions = Shaped<typeof MODULE_OPTIONS>;

/** How far a fence reaches: recorded by the render thread, submitted to the canvas, or completed by the GPU. */
export type FenceReach = 'render' | 'present' | 'gpu';

/** A point in all that the game has sent. */
export interface RenderFence {
  /** Whether all of it is through, as far as this thread has heard; it does not throw where the engine has ended. */
  readonly isComplete: boolean;
  /** Resolves when all of it is through. Rejects where the engine ends before. */
  wait(): Promise<void>;
}

/** Of a command's data. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;
const FENCE_OPTIONS = { through: byDefault(oneOf('render|present|gpu'), 'render') };

/**
 * Render modules and render command fences of the page (SYSTEMS R2, R4): work of the render thread besides drawing. Commands
 * of modules wait in `render-command-queue.ts`.
 *
 *   RenderWork ─┬─ RenderLink, one per connection ── load, executed, posted ──► render thread
 *               ├─ RenderCommandQueue ── FrameProducer.writeCommands ── stream ──► render thread
 */
export class RenderWork {
  readonly world: World;
  readonly #host: RenderWorkHost;
  readonly #clock: Clock;
  readonly #modules = new Map<number, RenderModule>();
  #numbers = 0;
  readonly #queue: RenderCommandQueue;
  #link: { readonly connection: RenderConnection; readonly opened: Promise<RenderLink> } | null = null;
  /** Of the connection that was last linked, whether or not it still lives. */
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
      this.#queue.tellWritten();
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
      // Other threads have taken over since.
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

  /** For `flush`: ends when nothing waits to be sent any more. */
  async settle(): Promise<void> {
    await this.#queue.whenWritten();
  }

  /** Other threads take over: modules are loaded there, and commands that have not begun go there. */
  async moveTo(connection: RenderConnection): Promise<void> {
    const before = this.#linked;
    if (!before) {
      this.#link = null; // one that is being opened leads to the threads before
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
        // The rest goes on without it.
        module.isRemoved = true;
        this.#modules.delete(module.number);
        this.#host.reportError(error);
      }
    }
  }

  /** Throws `wrong-thread` inside what a module does, where that is on this thread. */
  checkThread(call: string, module: RenderModule | null): void {
    const { current } = this.#host.roles;
    if (current !== 'main') throw wrongThread(call, module, current);
  }

  send(module: RenderModule, name: string, data: RenderCommandData): void {
    this.#check(module, 'send()');
    if (!module.commands.includes(name)) throw unknownCommand(module.name, name, module.commands);
    let encoded: EncodedData;
    try {
      encoded = encodeData(data);
    } catch (cause) {
      throw new OptionError(
        'option-invalid',
        `The data of "${name}" can't be sent: ${messageOf(cause)} It takes what JSON can say, an ArrayBuffer, or a view of one.`,
        { cause },
      );
    }
    checkNumber('send', 'data.byteLength', encoded.bytes.length, 0, MAXIMUM_BYTES);
    this.#queue.add(module, name, encoded);
  }

  remove(module: RenderModule): void {
    if (module.isRemoved) return;
    this.#check(module, 'remove()');
    module.isRemoved = true;
    this.#queue.add(module, null, encodeData(undefined));
  }

  #check(module: RenderModule, call: string): void {
    this.checkThread(call, module);
    if (this.world.disposed.aborted) throw disposedError();
    if (!module.isRemoved) return;
    throw new StateError(
      'render-module-removed',
      `${call} came after the render module "${module.name}" was removed, or could not be loaded again. Add it again.`,
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
        // The engine has ended, or other threads have taken over: nobody answers.
        link.end(error ?? undefined);
        throw error ?? linkEnded();
      }
      this.#linked = link;
      return link;
    });
    const opening = { connection, opened };
    this.#link = opening;
    opened.catch(() => {
      if (this.#link === opening) this.#link = null; // tried again by the next call
    });
    return opened;
  }

  #load(link: RenderLink, module: RenderModule, isRestored: boolean): Promise<readonly string[]> {
    const { name, url, data } = module;
    try {
      return link.load({ module: module.number, name, url, data, isRestored });
    } catch (cause) {
      throw new OptionError(
        'option-invalid',
        `addRenderModule's data can't be cloned: ${messageOf(cause)} It goes to another thread.`,
        { cause },
      );
    }
  }

  /** Code of the page's. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#host.reportError(typedError(error));
    }
  }
}

/** Against the document, as a page's own addresses are. */
function resolve(address: string | URL): string {
  try {
    // What is neither would become part of an address: ".../undefined".
    if (typeof address !== 'string' && !(address instanceof URL)) throw new TypeError('Not a string or URL.');
    return new URL(address, globalThis.document?.baseURI).href;
  } catch (cause) {
    throw new OptionError('option-invalid', `addRenderModule was given no address, but ${address}.`, {
      cause,
    });
  }
}

function nameOf(url: string): string {
  return /^https?:.*?([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1] ?? (/^\w+/.exec(url)?.[0] as string);
}
