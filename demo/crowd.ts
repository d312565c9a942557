/**
 * Shows a hundred thousand objects that have no actors. One call of `addInstances` draws them from arrays of positions
 * and colours. Most objects stand still, and are culled in groups. The objects in a ring walk, and are culled one by
 * one. The switch selects the number of helpers, which cull beside the render thread.
 */
import { boxGeometry, type Engine, instanceColors, standardMaterial } from '../src/index.js';
import { addBackdrop, type SkyStops } from './backdrop.js';
import { byId } from './elements.js';
import { isStill, numberFromAddress, writeToAddress } from './page-options.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { seedAngle, seedDistance } from './swarm-motion.js';
import type { Viewpoint } from './viewpoint.js';

const MAXIMUM_COUNT = 100_000;
/** Radius of the crowd, in metres. */
const RADIUS = 120;
/** Begin and end of the ring of walking objects, as shares of the crowd from the middle outwards. */
const WALK_BEGIN = 0.25;
const WALK_END = 0.6;

const DUSK: SkyStops = [
  [-1, 0.01, 0.008, 0.016],
  [0, 0.12, 0.05, 0.07],
  [0.3, 0.03, 0.02, 0.06],
  [1, 0.006, 0.006, 0.02],
];

const count = numberFromAddress('count', MAXIMUM_COUNT, 1, MAXIMUM_COUNT);
const workers = byId('workers', HTMLSelectElement);
const taskWorkers = numberFromAddress('workers', 2, 0, 4);
const container = byId('stage', HTMLElement);
byId('count-label', HTMLElement).textContent = count.toLocaleString('en');
workers.value = String(taskWorkers);
// The number of helpers is fixed when an engine is created.
workers.addEventListener('change', () => {
  writeToAddress('workers', workers.value);
  location.reload();
});

const stage = new Stage(container, {
  engine: { toneMapping: 'khronos-neutral', background: '#0d0b1d', taskWorkers },
  build,
});

async function build(engine: Engine, viewpoint: Viewpoint): Promise<void> {
  const { world } = engine;
  viewpoint.attach(engine, {
    position: [0, 14, 52],
    target: [0, 0, 20],
    fovY: 0.8,
    near: 0.5,
    minDistance: 5,
    maxDistance: 200,
    autoRotate: 0,
  });
  addBackdrop(world, { sky: DUSK, radius: 400, stars: 400 });
  world.addDirectionalLight({ direction: [-0.5, -1, -0.75], color: [1, 0.9, 0.8], intensity: 2.4 });
  world.addDirectionalLight({ direction: [0.9, -0.3, 0.6], color: [0.5, 0.6, 1], intensity: 1.2 });
  const crowd = world.addInstances({
    geometry: boxGeometry({ size: [0.34, 1, 0.34] }),
    material: standardMaterial({ roughness: 0.6 }),
    count,
    colors: instanceColors('rgb'),
  });
  const { positions, rotations, colors } = crowd;
  const stand = (place: number, turn: number): void => {
    const distance = seedDistance(place, count) * RADIUS;
    const angle = seedAngle(place) + turn;
    positions[place * 3] = Math.cos(angle) * distance;
    positions[place * 3 + 2] = Math.sin(angle) * distance;
    rotations[place * 4 + 1] = Math.sin(angle / -2);
    rotations[place * 4 + 3] = Math.cos(angle / -2);
  };
  for (let place = 0; place < count; place++) {
    stand(place, 0);
    positions[place * 3 + 1] = 0.5;
    const hue = (place % 37) / 37;
    colors[place * 3] = 0.25 + 0.75 * hue;
    colors[place * 3 + 1] = 0.15 + 0.35 * ((place * 7) % 11) * 0.1;
    colors[place * 3 + 2] = 0.9 - 0.7 * hue;
  }
  crowd.touch();
  const begin = Math.floor(count * WALK_BEGIN);
  const end = Math.floor(count * WALK_END);
  let time = 0;
  world.onTick((deltaSeconds) => {
    if (isStill) return;
    time += deltaSeconds;
    for (let place = begin; place < end; place++) {
      stand(place, time * 0.05);
      positions[place * 3 + 1] = 0.5 + 0.06 * Math.abs(Math.sin(time * 6 + place));
    }
    crowd.touch(begin, end - begin);
  });
}

new Panel(byId('panel', HTMLElement), stage, () => ({
  declared: 'nothing',
  pageDriven: 'the crowd',
}));
void stage.open();
