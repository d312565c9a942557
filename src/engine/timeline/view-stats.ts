import { canShareMemory } from '../../core/browser/opaque-origin.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { View } from '../../game/world/view.js';
import type { World } from '../../game/world/world.js';
import { FIGURES_PER_VIEW, MOST_SLOTS } from '../../render/picture/view-figures.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { ViewStats } from '../../threads/control/frame-stats.js';

/** The counts of the last frame per view, for `stats()`. This object is created with the first added view. */
export class ViewCounts {
  readonly #world: World;
  readonly #reportError: (error: unknown) => void;
  #block: Uint32Array = new Uint32Array(0);
  /** Port for the counts of threads without shared memory; else null. */
  #port: MessagePort | null = null;

  constructor(pipeline: Pipeline, world: World, reportError: (error: unknown) => void) {
    this.#world = world;
    this.#reportError = reportError;
    world.disposed.addEventListener('abort', () => this.#port?.close());
    pipeline.takeovers.add((next) => this.#follow(next));
    this.#follow(pipeline.connection).catch(() => {}); // If the threads have ended, their replacement is followed.
  }

  /** The counts of the active camera, then of the added views in their order. */
  get stats(): ViewStats[] {
    const views = this.#world.updates.views?.views ?? [];
    return [this.#of(null, 0), ...[...views].map((view) => this.#of(view, view.id + 1))];
  }

  #of(view: View | null, slot: number): ViewStats {
    const at = slot * FIGURES_PER_VIEW;
    const [isDrawn = 0, visible = 0, drawCalls = 0, instances = 0] = this.#block.subarray(at, at + 4);
    return { view, isDrawn: isDrawn === 1, visible, drawCalls, instances };
  }

  async #follow(connection: RenderConnection): Promise<void> {
    const isShared = canShareMemory();
    const shared = isShared ? new SharedArrayBuffer(MOST_SLOTS * FIGURES_PER_VIEW * 4) : null;
    this.#block = new Uint32Array(shared ?? new ArrayBuffer(0));
    let port: MessagePort | null = null;
    this.#port?.close();
    this.#port = null;
    if (!shared && !this.#world.disposed.aborted) {
      const { port1, port2 } = new MessageChannel();
      port = port2;
      this.#port = port1;
      port1.onmessage = ({ data }: MessageEvent<Uint32Array<ArrayBuffer>>) => {
        this.#block = data;
      };
      hearLosses(
        port1,
        'counts per view',
        this.#reportError,
        'Counts stay as they were until they change again.',
      );
    }
    await connection.control.followViews(shared, port);
  }
}
