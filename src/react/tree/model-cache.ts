import type { Level, LoadSource, World } from '../../index.js';
import { isSameSource, LoopGuard, sizeOf } from './model-source.js';

/** Milliseconds after which a loaded file that no mounted component uses is unloaded. */
const UNUSED_MS = 10_000;

/** A file of the cache. The level itself is hidden; each use shows a clone of it. */
export interface CachedModel {
  readonly source: LoadSource;
  /** Bytes of the source when it was loaded; 0 for other sources. */
  readonly byteLength: number;
  /** Resolves when the load has ended, with or without an error. */
  readonly settled: Promise<void>;
  level: Level | null;
  error: unknown;
  isPending: boolean;
}

interface Entry extends CachedModel {
  users: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Files that `useModel` and `<Model>` share. A component that suspends may never be mounted. So a file without users is
 * unloaded some seconds after its load.
 *
 *   read ──► pending ──► loaded or failed ──acquire──► used ──last release──► unused ──10 s──► unloaded
 *                             └──────────────────10 s without users─────────────────────────────▲
 */
export class ModelCache {
  readonly #world: World;
  readonly #entries = new Map<LoadSource, Entry>();
  readonly #guard = new LoopGuard();
  #hasEnded = false;

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Returns the entry of a file, and starts to load it the first time.
   * @throws OptionError `source-unstable` if each render passes another file
   */
  read(source: LoadSource): CachedModel {
    const known = this.#find(source);
    if (known) return known;
    this.#guard.check(source);
    return this.#load(source);
  }

  /** Keeps a file until `release`. */
  acquire(source: LoadSource): CachedModel {
    const entry = this.#find(source) ?? this.#load(source);
    entry.users++;
    this.#guard.use(entry.source);
    clearTimeout(entry.timer);
    return entry;
  }

  release(model: CachedModel): void {
    const entry = model as Entry;
    entry.users--;
    this.#expire(entry);
  }

  /** Unloads everything. */
  end(): void {
    this.#hasEnded = true;
    for (const entry of this.#entries.values()) this.#drop(entry);
  }

  #find(source: LoadSource): Entry | undefined {
    const known = this.#entries.get(source);
    return known ?? [...this.#entries.values()].find((entry) => isSameSource(source, entry));
  }

  #load(source: LoadSource): Entry {
    const load = this.#world.load(source, { visible: false });
    const entry: Entry = {
      source,
      byteLength: sizeOf(source),
      settled: load.then(
        (level) => this.#settle(entry, level, null),
        (error: unknown) => this.#settle(entry, null, error),
      ),
      level: null,
      error: null,
      isPending: true,
      users: 0,
      timer: undefined,
    };
    this.#entries.set(source, entry);
    return entry;
  }

  #settle(entry: Entry, level: Level | null, error: unknown): void {
    Object.assign(entry, { level, error, isPending: false });
    if (entry.users === 0) this.#guard.count(entry.source);
    if (this.#hasEnded) level?.unload();
    else this.#expire(entry);
  }

  #expire(entry: Entry): void {
    if (entry.users > 0 || entry.isPending || this.#hasEnded) return;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.#drop(entry), UNUSED_MS);
    // A timer of Node keeps its process alive.
    (entry.timer as { unref?: () => void }).unref?.();
  }

  #drop(entry: Entry): void {
    clearTimeout(entry.timer);
    this.#entries.delete(entry.source);
    entry.level?.unload();
  }
}
