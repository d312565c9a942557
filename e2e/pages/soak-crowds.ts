/**
 * The instances, lines and points of a soak's scene. Each set lies in a slot, and each of its places is
 * computed from a seed.
 */
import * as fencepost from 'fencepost';
import { geometryOf } from './soak-parts.js';
import { Random } from './soak-random.js';
import { CROWD_COUNT, type CrowdState } from './soak-state.js';

type Crowd =
  | fencepost.InstancesComponent
  | fencepost.Actor<fencepost.LinesComponent>
  | fencepost.Actor<fencepost.PointsComponent>;

interface LiveCrowd {
  state: CrowdState;
  /** `null` until the object exists. The code of lines and points is loaded with the first of them. */
  crowd: Crowd | null;
}

export class SoakCrowds {
  readonly #world: fencepost.World;
  readonly #materialOf: (slot: number) => fencepost.Material;
  readonly #slots: (LiveCrowd | null)[] = new Array(CROWD_COUNT).fill(null);

  constructor(world: fencepost.World, materialOf: (slot: number) => fencepost.Material) {
    this.#world = world;
    this.#materialOf = materialOf;
  }

  snapshot(): (CrowdState | null)[] {
    return this.#slots.map((live) => live?.state ?? null);
  }

  clear(): void {
    for (const slot of this.#slots.keys()) this.#remove(slot);
  }

  /** Replaces a slot's content. Resolves when the object exists. */
  async set(slot: number, state: CrowdState | null): Promise<void> {
    this.#remove(slot);
    if (!state) return;
    const live: LiveCrowd = { state, crowd: null };
    this.#slots[slot] = live;
    const crowd = state.kind === 'instances' ? this.#addInstances(state) : await this.#addBillboard(state);
    if (this.#slots[slot] !== live) {
      crowd.destroy();
      return;
    }
    live.crowd = crowd;
    // The state may have changed while the code was loading.
    if (live.state !== state) this.#write(live, 0);
  }

  /** Replaces the places from index `from` on. Their number may change. */
  move(slot: number, from: number, places: readonly number[]): void {
    const live = this.#slots[slot];
    if (!live) return;
    const kept = live.state.places.slice(0, from);
    live.state = { ...live.state, places: [...kept, ...places] };
    this.#write(live, kept.length);
  }

  /** Applies a replaced material to the instances that use its slot. */
  replaceMaterial(slot: number): void {
    for (const live of this.#slots) {
      if (live?.state.material === slot && live.crowd instanceof fencepost.InstancesComponent)
        live.crowd.material = this.#materialOf(slot);
    }
  }

  #remove(slot: number): void {
    const live = this.#slots[slot];
    this.#slots[slot] = null;
    live?.crowd?.destroy();
  }

  #addInstances({ shape, material, isColored, places }: CrowdState): fencepost.InstancesComponent {
    const crowd = this.#world.addInstances({
      geometry: geometryOf(0, shape),
      material: this.#materialOf(material),
      count: places.length,
      ...(isColored ? { colors: fencepost.instanceColors('rgb') } : {}),
    });
    writeInstances(crowd, places, 0);
    return crowd;
  }

  #addBillboard({ kind, isColored, places }: CrowdState): Promise<Crowd> {
    const options = numbersOf(places, isColored);
    return kind === 'lines'
      ? this.#world.addLines({ ...options, width: 2 })
      : this.#world.addPoints({ ...options, size: 5 });
  }

  /** Writes the places to the component. @param from index of the first changed place */
  #write({ crowd, state: { isColored, places } }: LiveCrowd, from: number): void {
    if (!crowd) return;
    if (crowd instanceof fencepost.InstancesComponent) {
      crowd.count = places.length;
      writeInstances(crowd, places, from);
    } else crowd.root.update(numbersOf(places, isColored));
  }
}

function writeInstances(crowd: fencepost.InstancesComponent, places: readonly number[], from: number): void {
  for (let place = from; place < places.length; place++) {
    const { point, color, turn, size } = placeOf(places[place]!);
    crowd.positions.set(point, place * 3);
    crowd.rotations.set([0, Math.sin(turn), 0, Math.cos(turn)], place * 4);
    crowd.scales.set([size, size, size], place * 3);
    if (crowd.colors.length > 0) crowd.colors.set(color, place * 3);
  }
  crowd.touch(from);
}

function numbersOf(
  seeds: readonly number[],
  isColored: boolean,
): { readonly positions: number[]; readonly colors?: number[] } {
  const places = seeds.map(placeOf);
  const positions = places.flatMap(({ point }) => point);
  return isColored ? { positions, colors: places.flatMap(({ color }) => color) } : { positions };
}

function placeOf(seed: number) {
  const random = new Random(seed);
  return {
    point: [random.between(-1.4, 1.4), random.between(-1, 1), random.between(-1, 1)],
    color: [random.next(), random.next(), random.next()],
    turn: random.between(0, Math.PI),
    size: random.between(0.1, 0.5),
  };
}
