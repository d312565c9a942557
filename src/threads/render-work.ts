import {
  disposedError,
  errorFromData,
  errorToData,
  FencepostError,
  messageOf,
  OptionError,
  StateError,
  ThreadError,
} from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import { checkChoice, checkNumber, checkOptions } from '../game/options.js';
import type { World } from '../game/world.js';
import { RenderOpcode } from '../proxy/commands.js';
import { ThreadRoles } from '../rhi/thread-guard.js';
import { type Clock, withDeadline } from '../sync/deadline.js';
import { RenderCommandFence } from '../sync/render-command-fence.js';
import type { RenderConnection } from './connection.js';
import type { FrameLoop } from './frame-loop.js';
import type { FrameProducer } from './frame-producer.js';
import type { Pipeline } from './pipeline.js';
import { RenderLink } from './render-link.js';
import { RenderModule, wrongThread } from './render-module.js';
import { type EncodedData, encodeData, type RenderCommandData } from './render-module-messages.js';
import { unknownCommand } from './unknown-command.js';

/**
 * What the game has the render thread do besides drawing, and waits for: modules and their commands, fences, and what
 * must end before a frame is drawn (SYSTEMS R2, R4, R7). Loaded with the first of these calls.
 *
 *   send a │ send b │ …                      sequence numbers 1, 2 …
 *   beginFrame 7 │ changes │ a │ b │ endFrame 7        kept here until the render thread has begun them
 *                                  ✕ a dead thread that had begun a:
 *   beginFrame 8 │ everything  │ b │ endFrame 8
 */
export interface RenderWorkHost {
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  readonly loop: FrameLoop;
  readonly world: World;
  readonly reportError: (error: unknown) => void;
  /** Another one in tests. */
  readonly clock?: { readonly clock: Clock };
}

export interface RenderModuleOptions {
  /** For messages; by default the last part of the address. */
  readonly name?: string;
  /** For the module, which has it as `api.data`: anything that can be cloned. It is cloned for each loading. */
  readonly data?: unknown;
}

/** How far a fence reaches: recorded by the render thread, submitted to the canvas, or completed by the GPU. */
export type FenceReach = 'render' | 'present' | 'gpu';

export interface PrerequisiteOptions {
  /** For messages. */
  readonly name?: string;
  /** How long it may take, 0 … 3600; 10 by default. Then the frame goes on without it. */
  readonly seconds?: number;
}

/** A point in all that the game has sent. */
export interface RenderFence {
  readonly isComplete: boolean;
  /** Rejects where the engine ends before. */
  wait(): Promise<void>;
}

/** What a frame waits for. */
export type FramePrerequisite = PromiseLike<unknown> | ((frame: number) => unknown);

interface SentCommand {
  readonly sequence: number;
  readonly module: RenderModule;
  /** Null removes the module. */
  readonly name: string | null;
  readonly data: EncodedData;
}

const MAXIMUM_BYTES = 16 * 1024 * 1024;
const FENCES = ['render', 'present', 'gpu'] as const;

export class RenderWork {
  readonly world: World;
  readonly #host: RenderWorkHost;
  /** Of this thread: in `single` mode the render thread's work is a role of it. */
  readonly #roles = new ThreadRoles('main');
  readonly #modules = new Map<number, RenderModule>();
  #numbers = 0;
  #sequence = 0;
  /** In order; the first `#written` are in the stream, and may have begun. */
  #commands: SentCommand[] = [];
  #written = 0;
  #link: { readonly connection: RenderConnection; readonly opened: Promise<RenderLink> } | null = null;
  /** Of the connection that was last linked, whether or not it still lives. */
  #linked: RenderLink | null = null;
  #onWritten: (() => void)[] = [];
  readonly #prerequisites = new Set<Promise<void>>();

  constructor(host: RenderWorkHost) {
    this.#host = host;
    this.world = host.world;
    host.producer.writeCommands = (writer) => this.#write(writer);
    const { completed } = host.pipeline;
    completed.subscribe(() => {
      if (!completed.error) return;
      this.#linked?.end(completed.error);
      this.#tellWritten();
    });
  }

  async addRenderModule(address: string | URL, options: RenderModuleOptions): Promise<RenderModule> {
    checkOptions('addRenderModule', options, 'name data');
    const url = resolve(address);
    const { name = nameOf(url), data } = options;
    const module = new RenderModule(this, ++this.#numbers, name, url, data);
    for (;;) {
      await this.#host.producer.held;
      const { connection } = this.#host.pipeline;
      try {
        const link = await this.#linkTo(connection);
        module.commands = await this.#load(link, module, false);
        if (link !== this.#linked) continue; // other threads have taken over since
        this.#modules.set(module.number, module);
        return module;
      } catch (error) {
        await this.#host.producer.held;
        if (this.#host.pipeline.completed.error) throw this.#host.pipeline.completed.error;
        if (connection === this.#host.pipeline.connection) throw error;
      }
    }
  }

  renderFence(options: { readonly through?: FenceReach }): RenderFence {
    checkOptions('renderFence', options, 'through');
    const { through = 'render' } = options;
    checkChoice('renderFence', 'through', through, FENCES);
    const { pipeline, producer } = this.#host;
    const fence = new RenderCommandFence({
      recorded: pipeline.rendered,
      presented: through === 'gpu' ? pipeline.completed : pipeline.submitted,
    });
    const begin = (): void => fence.begin(producer.frame, through !== 'render');
    let isBegun = this.#commands.length === this.#written;
    if (isBegun) begin();
    const written = this.#whenWritten().then(() => {
      if (!isBegun) begin();
      isBegun = true;
    });
    return {
      get isComplete() {
        return isBegun && fence.isComplete;
      },
      wait: async () => {
        await written;
        await fence.wait();
      },
    };
  }

  /** The next frame's drawing waits for the task, and so does `flush`. Never rejects: what goes wrong is reported. */
  prerequisite(task: FramePrerequisite, options: PrerequisiteOptions): Promise<void> {
    const work = this.#finish(task, options).catch((error: unknown) => {
      if (this.world.disposed.aborted) return;
      this.#host.reportError(
        error instanceof FencepostError
          ? error
          : new ThreadError(
              'prerequisite-failed',
              `${describe(options)} failed: ${messageOf(error)} The frame is drawn without it.`,
              { cause: error },
            ),
      );
    });
    this.#prerequisites.add(work);
    return work.finally(() => this.#prerequisites.delete(work));
  }

  async #finish(task: FramePrerequisite, options: PrerequisiteOptions): Promise<void> {
    checkOptions('addFramePrerequisite', options, 'name seconds');
    const { seconds = 10 } = options;
    checkNumber('addFramePrerequisite', 'seconds', seconds, 0, 3600);
    const frame = this.#host.producer.frame + 1;
    const { disposed } = this.world;
    const done = Promise.resolve(typeof task === 'function' ? task(frame) : task);
    await new Promise((resolve, reject) => {
      const end = (): void => reject(disposedError());
      disposed.addEventListener('abort', end);
      withDeadline(done, {
        milliseconds: seconds * 1000,
        waiter: `Frame ${frame}`,
        awaited: describe(options),
        ...this.#host.clock,
      })
        .then(resolve, reject)
        .finally(() => disposed.removeEventListener('abort', end));
    });
  }

  /** For `flush`: ends when nothing waits to be sent any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#prerequisites);
    await this.#whenWritten();
  }

  /** Other threads take over: modules are loaded there, and commands that have not begun go there. */
  async moveTo(connection: RenderConnection): Promise<void> {
    const before = this.#linked;
    if (!before) return;
    this.#forgetExecuted(before.executed);
    before.end();
    this.#written = 0;
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
    const { current } = this.#roles;
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
    this.#enqueue(module, name, encoded);
  }

  remove(module: RenderModule): void {
    if (module.isRemoved) return;
    this.#check(module, 'remove()');
    module.isRemoved = true;
    this.#enqueue(module, null, encodeData(undefined));
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

  #enqueue(module: RenderModule, name: string | null, data: EncodedData): void {
    this.#commands.push({ sequence: ++this.#sequence, module, name, data });
  }

  /** Per frame: writes what was sent since the last one. */
  #write(writer: StreamWriter): void {
    const commands = this.#commands;
    for (; this.#written < commands.length; this.#written++) {
      const { sequence, module, name, data } = commands[this.#written] as SentCommand;
      const command = name === null ? 0 : module.commands.indexOf(name) + 1;
      if (name !== null && command === 0) {
        // It was loaded again, and is another one.
        this.#host.reportError(unknownCommand(module.name, name, module.commands));
        commands.splice(this.#written--, 1);
        continue;
      }
      const { bytes, kind } = data;
      const count = (bytes.length + 3) >> 2;
      const at = writer.reserve(RenderOpcode.callModule, 5 + count);
      const { words } = writer;
      words[at] = module.number;
      words[at + 1] = command;
      words[at + 2] = sequence;
      words[at + 3] = kind;
      words[at + 4] = bytes.length;
      words.fill(0, at + 5, at + 5 + count);
      new Uint8Array(words.buffer, words.byteOffset + (at + 5) * 4, bytes.length).set(bytes);
      if (name === null) this.#modules.delete(module.number);
    }
    if (this.#onWritten.length) queueMicrotask(() => this.#tellWritten());
  }

  #tellWritten(): void {
    const told = this.#onWritten;
    this.#onWritten = [];
    for (const tell of told) tell();
  }

  /** Resolves when a frame has taken along all that was sent; where none comes by itself, one is made. */
  async #whenWritten(): Promise<void> {
    const { loop, pipeline } = this.#host;
    if (this.#written === this.#commands.length) return;
    const written = new Promise<void>((tell) => this.#onWritten.push(tell));
    await Promise.resolve(); // a tick that is running makes a frame
    if (this.#written === this.#commands.length || pipeline.completed.error) return;
    if (!loop.isRunning || globalThis.document?.hidden) {
      loop.produceOnce(0, 0, 'update', () => {}).catch(() => this.#tellWritten());
    }
    await written;
  }

  #forgetExecuted(sequence: number): void {
    let count = 0;
    while ((this.#commands[count]?.sequence ?? Infinity) <= sequence) count++;
    this.#commands.splice(0, count);
    this.#written = Math.max(this.#written - count, 0);
  }

  #linkTo(connection: RenderConnection): Promise<RenderLink> {
    if (this.#link?.connection === connection) return this.#link.opened;
    const executed = this.#linked?.executed ?? 0;
    const opened = RenderLink.open(connection, this.#roles, executed, {
      onExecuted: (sequence) => this.#forgetExecuted(sequence),
      onThrown: (error) => this.#host.reportError(error),
      onPosted: (number, value) => {
        for (const callback of this.#modules.get(number)?.messages ?? []) this.#call(() => callback(value));
      },
    }).then((link) => {
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
      this.#host.reportError(errorFromData(errorToData(error)));
    }
  }
}

const describe = ({ name }: PrerequisiteOptions): string =>
  name ? `the frame prerequisite "${name}"` : 'a frame prerequisite';

/** Against the document, as a page's own addresses are. */
function resolve(address: string | URL): string {
  try {
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
