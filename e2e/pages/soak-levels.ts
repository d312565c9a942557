/** The files of a soak's scene, which are loaded, cloned and played. Each lies in a slot. */
import * as fencepost from 'fencepost';
import { LEVEL_COUNT, type LevelState, type PlaybackState } from './soak-state.js';

interface LiveLevel {
  state: LevelState;
  level: fencepost.Level | null;
  readonly end: AbortController;
  /** Playbacks that are active or fading out. */
  playbacks: { readonly clip: number; readonly additive: boolean; readonly playback: fencepost.Playback }[];
}

export class SoakLevels {
  readonly #world: fencepost.World;
  readonly #slots: (LiveLevel | null)[] = new Array(LEVEL_COUNT).fill(null);

  constructor(world: fencepost.World) {
    this.#world = world;
  }

  /** Returns the state of all slots at this moment, with their playbacks. */
  snapshot(): (LevelState | null)[] {
    return this.#slots.map((live) => {
      if (!live) return null;
      const playbacks: PlaybackState[] = [];
      for (const { clip, additive, playback } of live.playbacks) {
        if (!playback.isPlaying) continue;
        playbacks.push({ clip, additive, seconds: playback.time, weight: playback.weight });
      }
      return { ...live.state, playbacks };
    });
  }

  clear(): void {
    for (const slot of this.#slots.keys()) this.unload(slot);
  }

  /** Loads a file into a slot. Rejects if the file is refused, or unloaded meanwhile. */
  async load(slot: number, state: LevelState): Promise<void> {
    this.unload(slot);
    const live: LiveLevel = { state, level: null, end: new AbortController(), playbacks: [] };
    this.#slots[slot] = live;
    const { signal } = live.end;
    const source =
      state.as === 'bytes'
        ? await fetch(state.file, { signal }).then((response) => response.arrayBuffer())
        : state.file;
    live.level = await this.#world.load(source, { signal });
    this.#place(live);
    for (const { clip, additive, seconds, weight } of state.playbacks) {
      this.play(slot, clip, { startSeconds: seconds, weight, additive, speed: 0 });
    }
  }

  /** Clones a level into another slot. Does nothing if the source slot has no loaded level. */
  clone(from: number, to: number, position: readonly number[]): void {
    const original = this.#slots[from];
    if (!original?.level || from === to) return;
    const level = original.level.clone();
    this.unload(to);
    const state = { ...original.state, position, playbacks: [] };
    const live: LiveLevel = { state, level, end: new AbortController(), playbacks: [] };
    this.#slots[to] = live;
    this.#place(live);
  }

  /** Plays a clip of a slot's level. @param clip any number; it wraps around at the number of clips */
  play(slot: number, clip: number, options: fencepost.PlayOptions): void {
    const live = this.#slots[slot];
    const count = live?.level?.animations.length ?? 0;
    if (!live?.level || count === 0) return;
    const playback = live.level.play(clip % count, options);
    live.playbacks.push({ clip: clip % count, additive: options.additive ?? false, playback });
  }

  change(slot: number, which: number, change: (playback: fencepost.Playback) => void): void {
    const live = this.#slots[slot];
    if (!live) return;
    live.playbacks = live.playbacks.filter(({ playback }) => playback.isPlaying);
    const { length } = live.playbacks;
    if (length > 0) change(live.playbacks[which % length]!.playback);
  }

  move(slot: number, position: readonly number[], scale: number): void {
    const live = this.#slots[slot];
    if (!live) return;
    live.state = { ...live.state, position, scale };
    this.#place(live);
  }

  unload(slot: number): void {
    const live = this.#slots[slot];
    if (!live) return;
    this.#slots[slot] = null;
    live.end.abort();
    live.level?.unload();
  }

  #place({ level, state }: LiveLevel): void {
    const [x = 0, y = 0, z = 0] = state.position;
    level?.root?.position.set(x, y, z);
    level?.root?.scale.set(state.scale, state.scale, state.scale);
  }
}

/** Ignores typed errors. Both engines refuse the same files, and the comparison of pictures checks that. */
export function ignoreRefused(error: unknown): void {
  if (error instanceof fencepost.FencepostError) return;
  throw error;
}
