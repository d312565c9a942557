import type { Level, LoadSource, World } from '../../index.js';

/** Milliseconds after which a loaded file that no mounted component uses is unloaded. */
const UNUSED_MS = 10_000;

/** A file of the cache. The level itself is hidden; each use shows a clone of it. */
export interface CachedModel {
  readonly source: LoadSource;
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
  #hasEnded = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the entry of a file, and starts to load it the first time. */
  read(source: LoadSource): CachedModel {
    return this.#entryOf(source);
  }

  /** Keeps a file until `release`. */
  acquire(source: LoadSource): CachedModel {
    const entry = this.#entryOf(source);
    entry.users++;
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

  #entryOf(source: LoadSource): Entry {
    const known = this.#entries.get(source);
    if (known) return known;
    const load = this.#world.load(source, { visible: false });
    const entry: Entry = {
      source,
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
