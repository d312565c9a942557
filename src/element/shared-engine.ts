/**
 * The engine that all elements of a page share: one device, one set of workers. Each element has a world and a view
 * with its own canvas. The first element that needs the engine creates it. The engine ends some seconds after the last
 * element has left.
 *
 *   element ── join ──► engine ◄── join ── element        choose: threading, renderer; the latest value counts
 *                         │                               setMoving: runs while any visible model moves
 *                         └─ error ──► the element whose file it names, or else all elements
 */
import type { Engine, EngineOptions, FencepostError, RendererName, ThreadingMode } from '../index.js';

/** An element that uses the shared engine. */
export interface EngineMember {
  /** Address of the file that the element shows, as errors of the engine quote it; `null` for none. */
  readonly fileName: string | null;
  /** Receives errors of the engine. */
  report(error: FencepostError): void;
}

/** Settings that exist once per engine. */
export interface EngineWishes {
  threading: ThreadingMode;
  renderer: RendererName;
}

const DEFAULTS: EngineWishes = { threading: 'render', renderer: 'forward' };

/** Time without any element after which the engine ends, in milliseconds. */
const IDLE_MILLISECONDS = 10_000;

export class SharedEngine {
  readonly #create: (options: EngineOptions) => Promise<Engine>;
  readonly #members = new Set<EngineMember>();
  readonly #moving = new Set<EngineMember>();
  /** Wishes by element, the latest last. */
  readonly #wishes = {
    threading: new Map<EngineMember, ThreadingMode>(),
    renderer: new Map<EngineMember, RendererName>(),
  };
  #opening: Promise<Engine> | null = null;
  #engine: Engine | null = null;
  /** Whether this object has started the engine. */
  #isStarted = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Settles when the last change of threads has ended. Changes run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param create creates the engine, without a canvas of its own in the page */
  constructor(create: (options: EngineOptions) => Promise<Engine>) {
    this.#create = create;
  }

  /**
   * Adds an element, and creates the engine if there is none.
   * @param options options for an engine that is created now
   * @throws the errors of `createEngine`
   */
  async join(member: EngineMember, options: EngineOptions): Promise<Engine> {
    this.#members.add(member);
    clearTimeout(this.#idle);
    this.#opening ??= this.#open(options);
    const opening = this.#opening;
    try {
      return await opening;
    } catch (error) {
      this.#members.delete(member);
      // The next element tries again.
      if (this.#opening === opening) this.#opening = null;
      throw error;
    }
  }

  /** Removes an element. Without elements, the engine ends after a while. */
  leave(member: EngineMember): void {
    if (!this.#members.delete(member)) return;
    this.#wishes.threading.delete(member);
    this.#wishes.renderer.delete(member);
    this.setMoving(member, false);
    if (this.#members.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), IDLE_MILLISECONDS);
  }

  /** Sets whether the element's model moves in view. The engine runs while any model does. */
  setMoving(member: EngineMember, isMoving: boolean): void {
    if (isMoving) this.#moving.add(member);
    else this.#moving.delete(member);
    const isNeeded = this.#moving.size > 0;
    const engine = this.#engine;
    if (!engine || isNeeded === this.#isStarted) return;
    this.#isStarted = isNeeded;
    if (isNeeded) engine.start();
    else engine.stop();
  }

  /**
   * Sets a setting of the engine for an element. The latest value of all elements counts, or else the default.
   * @param value `null` withdraws the element's value
   * @throws OptionError `option-invalid`
   */
  async choose<Name extends keyof EngineWishes>(
    member: EngineMember,
    name: Name,
    value: EngineWishes[Name] | null,
  ): Promise<void> {
    const wishes = this.#wishes[name] as Map<EngineMember, EngineWishes[Name]>;
    wishes.delete(member);
    if (value !== null) wishes.set(member, value);
    const chosen = value ?? [...wishes.values()].at(-1) ?? DEFAULTS[name];
    const turn = this.#turn.then(() => this.#apply(name, chosen));
    this.#turn = turn.catch(() => {});
    try {
      await turn;
    } catch (error) {
      if (wishes.get(member) === value) wishes.delete(member);
      throw error;
    }
  }

  async #apply<Name extends keyof EngineWishes>(name: Name, value: EngineWishes[Name]): Promise<void> {
    const engine = this.#engine;
    if (!engine || engine[name] === value) return;
    if (name === 'threading') await engine.setThreading(value as ThreadingMode);
    else engine.renderer = value as RendererName;
  }

  async #open(options: EngineOptions): Promise<Engine> {
    const engine = await this.#create(options);
    this.#engine = engine;
    engine.addEventListener('error', ({ detail }) => this.#report(detail));
    engine.world.disposed.addEventListener('abort', () => this.#forget(engine));
    return engine;
  }

  /** Ends an engine that no element uses. */
  #end(): void {
    if (this.#members.size > 0 || !this.#opening) return;
    // An engine that could not be created has been reported to the elements that waited for it.
    this.#opening.then((engine) => engine.dispose()).catch(() => {});
    this.#opening = null;
  }

  /** Lets the next element create an engine, because this one was disposed of. */
  #forget(engine: Engine): void {
    if (this.#engine !== engine) return;
    this.#engine = this.#opening = null;
    this.#isStarted = false;
    this.#moving.clear();
  }

  #report(error: FencepostError): void {
    const members = [...this.#members];
    const named = members.filter(({ fileName }) => fileName && error.message.startsWith(`"${fileName}`));
    for (const member of named.length > 0 ? named : members) member.report(error);
  }
}
