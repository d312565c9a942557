/**
 * The landing page: a procedural island (public/island.glb, made by scripts/make-demo-assets.mjs) that brings its
 * own lights, or the visitor's own model under a studio's lights, with orbit controls.
 */
import type { Bounds, Engine, Level } from '../src/index.js';
import { addBackdrop, DUSK, STUDIO } from './backdrop.js';
import { watchFiles } from './dropped-files.js';
import { byId } from './elements.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { addStudio } from './studio.js';
import type { View, Viewpoint } from './viewpoint.js';

const island = new URL('./island.glb', document.baseURI).href;
const note = byId('model-note', HTMLElement);
const restore = byId('restore', HTMLButtonElement);
const container = byId('stage', HTMLElement);
const title = byId('model-title', HTMLElement);
const initialNote = note.textContent ?? '';
const initialTitle = title.textContent ?? '';

/** What is shown; `null` is the island. Kept when the engine is made anew. */
let files: File[] | null = null;

const stage = new Stage(container, {
  engine: { toneMapping: 'khronos-neutral', background: '#120f26' },
  build: (engine, viewpoint) => (files ? showFiles(engine, viewpoint, files) : showIsland(engine, viewpoint)),
});

async function showIsland(engine: Engine, viewpoint: Viewpoint): Promise<void> {
  const { world } = engine;
  // On a narrow screen the whole island is only seen from farther away.
  const aspect = container.clientWidth / Math.max(1, container.clientHeight);
  const away = Math.max(1, 1.32 / aspect);
  viewpoint.attach(
    engine,
    {
      position: [-2.75 * away, 0.95 + 0.62 * away, 6.35 * away],
      target: [0.05, 0.34, 0],
      fovY: 0.6,
      near: 0.05,
    },
    { minDistance: 1.2, maxDistance: 18 },
  );
  addBackdrop(world, { sky: DUSK, radius: 60, stars: 420 });
  const level = await load(engine, island);
  const fireflies = level.actors.filter((actor) => actor.name === 'Firefly');
  const homes = fireflies.map(({ position }) => [position.x, position.y, position.z] as const);
  const moon = level.actors.find((actor) => actor.name === 'Moon');
  const lantern = level.actors.find((actor) => actor.name === 'Lantern');
  let time = 0;
  world.onTick((deltaSeconds) => {
    time += deltaSeconds;
    for (let index = 0; index < fireflies.length; index++) {
      const [x, y, z] = homes[index] ?? [0, 0, 0];
      const phase = index * 2.4;
      fireflies[index]?.position.set(
        x + 0.16 * Math.sin(time * 0.61 + phase),
        y + 0.09 * Math.sin(time * 1.13 + phase * 1.7),
        z + 0.16 * Math.sin(time * 0.47 + phase * 0.6),
      );
    }
    moon?.rotateY(deltaSeconds * 0.03);
    const swing = 0.06 * Math.sin(time * 1.4) + 0.03 * Math.sin(time * 2.3);
    lantern?.rotation.set(0, 0, Math.sin(swing / 2), Math.cos(swing / 2));
  });
}

async function showFiles(engine: Engine, viewpoint: Viewpoint, chosen: File[]): Promise<void> {
  const level = await load(engine, chosen);
  const { center, radius } = sphereAround(level.bounds);
  viewpoint.attach(engine, viewOf(center, radius), { minDistance: radius * 0.05, maxDistance: radius * 12 });
  addBackdrop(engine.world, { sky: STUDIO, radius: radius * 60, center });
  addStudio(engine.world, { center, radius, floor: level.bounds.min[1] });
  const main = chosen.find((file) => /\.(glb|gltf)$/i.test(file.name)) ?? chosen[0];
  title.textContent = main?.name ?? 'Your model';
  const count = level.actors.length.toLocaleString('en');
  note.textContent = [`${count} nodes. Drop another one here.`, ...level.warnings].join(' ');
}

function viewOf([x, y, z]: readonly [number, number, number], radius: number): View {
  const fovY = 0.6;
  const aspect = container.clientWidth / Math.max(1, container.clientHeight);
  const distance = (radius * 1.02) / Math.sin((fovY / 2) * Math.min(1, aspect));
  const [dx, dy, dz] = [-0.42, 0.3, 0.86];
  return {
    position: [x + dx * distance, y + dy * distance, z + dz * distance],
    target: [x, y, z],
    fovY,
    near: Math.max(radius * 0.004, 1e-5),
  };
}

function sphereAround({ min, max }: Bounds): { center: [number, number, number]; radius: number } {
  const center: [number, number, number] = [
    (min[0] + max[0]) / 2,
    (min[1] + max[1]) / 2,
    (min[2] + max[2]) / 2,
  ];
  const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2;
  return { center, radius: radius > 0 && Number.isFinite(radius) ? radius : 1 };
}

async function load(engine: Engine, source: string | File[]): Promise<Level> {
  const bar = document.createElement('div');
  bar.className = 'progress';
  container.append(bar);
  try {
    return await engine.world.load(source, {
      onProgress: ({ loadedBytes, totalBytes }) => {
        bar.style.width = `${totalBytes > 0 ? Math.round((100 * loadedBytes) / totalBytes) : 50}%`;
      },
    });
  } finally {
    bar.remove();
  }
}

/** Tries the files first on the engine that runs: if they are refused, what was there stays. */
async function open(next: File[] | null): Promise<void> {
  const { engine } = stage;
  try {
    if (next && engine) (await load(engine, next)).unload();
  } catch (error) {
    stage.showError(error, 'This model can’t be shown');
    return;
  }
  files = next;
  restore.hidden = next === null;
  if (!next) {
    note.textContent = initialNote;
    title.textContent = initialTitle;
  }
  stage.viewpoint.reset();
  await stage.open();
}

watchFiles(
  { stage: container, input: byId('file', HTMLInputElement), button: byId('choose', HTMLElement) },
  (next) => {
    void open(next);
  },
);
restore.addEventListener('click', () => void open(null));
new Panel(byId('panel', HTMLElement), stage);
void stage.open();
