/**
 * Shows ten thousand meshes, or up to a hundred thousand. Each is an actor that this page's code moves and turns in
 * every frame. Nothing is declared as instanced, because the engine merges equal meshes automatically. Comets circle
 * above the meshes. Their motion is declared, and continues when the page's code stops.
 */
import {
  type Actor,
  boxGeometry,
  type Engine,
  type Geometry,
  type Material,
  standardMaterial,
} from '../src/index.js';
import { addBackdrop, type SkyStops } from './backdrop.js';
import { addComets } from './comets.js';
import { byId } from './elements.js';
import { isStill, numberFromAddress, writeToAddress } from './page-options.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { MAXIMUM_COUNT, SwarmMotion, seedAngle } from './swarm-motion.js';
import type { Viewpoint } from './viewpoint.js';

const MINIMUM_COUNT = 1000;
/** Actors added or destroyed per frame while the number changes, so that the page remains responsive. */
const CHANGES_PER_FRAME = 2500;
/** The moment that `?still` shows, in seconds. */
const STILL_SECONDS = 21.4;

const NIGHT: SkyStops = [
  [-1, 0.004, 0.004, 0.012],
  [-0.3, 0.016, 0.012, 0.036],
  [0.05, 0.05, 0.03, 0.085],
  [0.4, 0.018, 0.014, 0.052],
  [1, 0.005, 0.005, 0.02],
];

/** A closed ring of colours (sRGB). The materials' colours are evenly spaced on it. */
const COLOR_RING = [
  [255, 96, 52],
  [255, 168, 52],
  [255, 222, 120],
  [64, 224, 200],
  [44, 142, 255],
  [104, 78, 255],
  [206, 76, 240],
  [255, 70, 128],
] as const;
const MATERIAL_COUNT = 32;
const COLOR_ARMS = 3;

const slider = byId('count', HTMLInputElement);
const label = byId('count-label', HTMLElement);
const container = byId('stage', HTMLElement);
let count = numberFromAddress('count', 10_000, 1, MAXIMUM_COUNT);

const stage = new Stage(container, {
  engine: { toneMapping: 'khronos-neutral', background: '#0d0b1d' },
  build,
});

async function build(engine: Engine, viewpoint: Viewpoint): Promise<void> {
  const { world } = engine;
  const aspect = container.clientWidth / Math.max(1, container.clientHeight);
  const away = Math.max(0.9, 1.62 / aspect);
  viewpoint.attach(engine, {
    position: [2, 9.6 * away, 17.5 * away],
    target: [0, -0.9, 0],
    fovY: 0.66,
    near: 0.1,
    minDistance: 3,
    maxDistance: 60,
    autoRotate: 0,
  });
  addBackdrop(world, { sky: NIGHT, radius: 180, stars: 500 });
  world.addDirectionalLight({ direction: [-0.5, -1, -0.75], color: [1, 0.94, 0.86], intensity: 1.9 });
  world.addDirectionalLight({ direction: [0.95, -0.42, 0.5], color: [0.45, 0.6, 1], intensity: 1.7 });
  world.addDirectionalLight({ direction: [-0.9, -0.3, 0.7], color: [1, 0.4, 0.7], intensity: 1.1 });
  world.addDirectionalLight({ direction: [0.2, 1, -0.4], color: [0.5, 0.4, 0.9], intensity: 0.35 });
  const lamp = world.addPointLight({ position: [0, 2, 0], color: [1, 0.62, 0.3], intensity: 26 });

  addComets(world);
  const shape = boxGeometry({ size: [1, 0.55, 1] });
  const materials = Array.from({ length: MATERIAL_COUNT }, (_, index) =>
    standardMaterial({ baseColor: ringColor(index / MATERIAL_COUNT), roughness: 0.34 }),
  );
  const swarm = new Swarm(engine, shape, materials);
  let time = STILL_SECONDS;
  swarm.resize(count, isStill ? MAXIMUM_COUNT : CHANGES_PER_FRAME);
  world.onTick((deltaSeconds) => {
    if (!isStill) time += deltaSeconds;
    swarm.resize(count, CHANGES_PER_FRAME);
    swarm.move(time);
    lamp.position.set(5.5 * Math.cos(time * 0.4), 2.3, 5.5 * Math.sin(time * 0.4));
  });
}

class Swarm {
  readonly #actors: Actor[] = [];
  #motion = new SwarmMotion(1);
  #motionCount = 0;
  #scaled = 0;

  constructor(
    private readonly engine: Engine,
    private readonly shape: Geometry,
    private readonly materials: readonly Material[],
  ) {}

  /** Adds or destroys at most `limit` actors, towards `wanted` actors. */
  resize(wanted: number, limit: number): void {
    const actors = this.#actors;
    const { world } = this.engine;
    if (this.#motionCount !== wanted) {
      this.#motion = new SwarmMotion(wanted);
      this.#motionCount = wanted;
      this.#scaled = 0;
    }
    for (let change = 0; change < limit && actors.length > wanted; change++) actors.pop()?.destroy();
    for (let change = 0; change < limit && actors.length < wanted; change++) {
      const material = this.materials[Math.floor(seedHue(actors.length) * this.materials.length)];
      if (material) actors.push(world.addMesh({ geometry: this.shape, material }));
    }
    const { size } = this.#motion;
    for (; this.#scaled < actors.length; this.#scaled++) actors[this.#scaled]?.scale.set(size, size, size);
    this.#scaled = Math.min(this.#scaled, actors.length);
  }

  move(timeSeconds: number): void {
    this.#motion.apply(this.#actors, timeSeconds);
  }
}

/** Returns a colour of the ring. @param place position on the ring, 0 to 1 */
function ringColor(place: number): string {
  const exact = place * COLOR_RING.length;
  const from = COLOR_RING[Math.floor(exact) % COLOR_RING.length] ?? COLOR_RING[0];
  const to = COLOR_RING[Math.ceil(exact) % COLOR_RING.length] ?? COLOR_RING[0];
  const part = exact - Math.floor(exact);
  return `rgb(${from.map((value, channel) => Math.round(value + ((to[channel] ?? 0) - value) * part)).join(' ')})`;
}

/**
 * Returns a seed's position on the ring of colours, 0 to 1. The colours form logarithmic spirals, which look the same
 * with any number of seeds.
 */
function seedHue(index: number): number {
  const turns = (COLOR_ARMS * seedAngle(index)) / (2 * Math.PI) + 0.62 * Math.log(index + 40);
  return turns - Math.floor(turns);
}

/**
 * Returns the count of the slider, which is logarithmic: 1,000 at the left, 10,000 in the middle, 100,000 at the right.
 */
function countFromSlider(): number {
  const exact = MINIMUM_COUNT * (MAXIMUM_COUNT / MINIMUM_COUNT) ** (Number(slider.value) / 100);
  const step = exact < 10_000 ? 100 : 1000;
  return Math.round(exact / step) * step;
}

function showCount(): void {
  label.textContent = count.toLocaleString('en');
  slider.setAttribute('aria-valuetext', `${count.toLocaleString('en')} meshes`);
}

slider.value = String(
  (100 * Math.log(Math.max(count, MINIMUM_COUNT) / MINIMUM_COUNT)) / Math.log(MAXIMUM_COUNT / MINIMUM_COUNT),
);
showCount();
const panel = new Panel(byId('panel', HTMLElement), stage, () => ({
  declared: 'the comets',
  pageDriven: 'the swarm',
}));
slider.addEventListener('input', () => {
  count = countFromSlider();
  showCount();
  panel.sceneChanged();
});
slider.addEventListener('change', () => writeToAddress('count', String(count)));
void stage.open();
