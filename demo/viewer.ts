/**
 * The landing page: a procedural island (public/island.glb, made by scripts/make-demo-assets.mjs) with its own lights,
 * or the visitor's model under a studio's lights, with orbit controls. One engine shows all models.
 *
 *   load(file) ─► the new level is loaded ─► everything else is removed ─► camera, sky, light and motion for it
 */
import {
  type Actor,
  type Bounds,
  type Engine,
  keyframes,
  type Level,
  LightComponent,
  MeshComponent,
  type RenderModule,
  type ShadowOptions,
  spin,
  type World,
} from '../src/index.js';
import { addBackdrop, DUSK, STUDIO } from './backdrop.js';
import { watchFiles } from './dropped-files.js';
import { byId } from './elements.js';
import { addGraphSwitch } from './graph-switch.js';
import { ModelMenu } from './model-menu.js';
import { hasNightAtFirst, setNight } from './night.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { addStudio, setKeyShadow } from './studio.js';
import type { View, Viewpoint } from './viewpoint.js';

const island = new URL('./island.glb', document.baseURI).href;
/** URL of the figure that walks on the island. */
const walker = new URL('./walker.glb', document.baseURI).href;
const note = byId('model-note', HTMLElement);
const restore = byId('restore', HTMLButtonElement);
const container = byId('stage', HTMLElement);
const title = byId('model-title', HTMLElement);
const menu = new ModelMenu(byId('model-menu', HTMLElement));
const initialNote = note.innerHTML;
const initialTitle = title.textContent;

/**
 * Radians per second by which the camera circles a visitor's model. The island is designed to be seen from one side, so
 * its camera does not circle.
 */
const MODEL_TURN = 0.25;
/** Duration of a firefly's closed path, in seconds. */
const FLIGHT_SECONDS = 14;
/** Number of intervals between keys of a firefly's path. */
const FLIGHT_KEYS = 24;
/** Speed factor of the walking clip, so that the feet do not slide on the ground. */
const WALK_SPEED = 0.86;
/** Start of the walk on the path, in seconds. */
const WALK_BEGIN = 2.5;

/** Shadows of the island's lights, by name. All other lights are short-range glows, or brighten dark places. */
const ISLAND_SHADOWS: Readonly<Record<string, ShadowOptions>> = {
  Moonlight: { cascades: 1 },
  'Front lamp': { mapSize: 512 },
};
/** Matches emissive objects, which cast no shadows. */
const SHINING = /^(Firefly|Moon|Lantern (flame|glass))$/;

let isIsland = true;
let hasShadows = true;
let hasNight = await hasNightAtFirst();
/** Pending changes. A model is loaded only after the previous one. */
let changes: Promise<void> = Promise.resolve();
let endTicks = (): void => {};

const stage = new Stage(container, {
  engine: { toneMapping: 'khronos-neutral', background: '#120f26' },
  build: async (engine, viewpoint) => {
    if (hasNight) setNight(engine, true);
    await showIsland(engine, viewpoint, await load(engine, island));
  },
});

const panel = new Panel(byId('panel', HTMLElement), stage, () =>
  isIsland
    ? { declared: 'the fireflies and the walker', pageDriven: 'the lantern' }
    : { declared: 'the camera’s turns', pageDriven: 'all buttons' },
);

panel.addSwitch('shadows', 'Lights cast shadows', hasShadows, (isOn) => {
  hasShadows = isOn;
  const { engine } = stage;
  if (!engine) return;
  for (const level of engine.world.levels) castShadows(level);
  setKeyShadow(engine.world, isOn);
});

panel.addSwitch('effects', 'Bloom, ambient occlusion, fog and TAA', hasNight, (isOn) => {
  hasNight = isOn;
  if (stage.engine) setNight(stage.engine, isOn);
});

let isDeferred = false;
let isHdr = true;
panel.addSwitch('deferred', 'Deferred renderer', isDeferred, (isOn) => {
  isDeferred = isOn;
  chooseRenderer();
});
panel.addSwitch('hdr', 'High dynamic range (always on in the deferred renderer)', isHdr, (isOn) => {
  isHdr = isOn;
  chooseRenderer();
});

function chooseRenderer(): void {
  const { engine } = stage;
  if (!engine) return;
  // The deferred renderer requires `hdr`. The change goes through the forward renderer, which allows both settings.
  engine.renderer = 'forward';
  engine.hdr = isHdr || isDeferred;
  engine.renderer = isDeferred ? 'deferred' : 'forward';
}

let outline: Promise<RenderModule> | null = null;
panel.addSwitch('outline', 'Outlines, drawn by a pass of this page', false, (isOn) => {
  void outline?.then((module) => module.remove());
  outline = null;
  if (!isOn || !stage.engine) return;
  outline = stage.engine.addRenderModule(new URL('./outline.js', document.baseURI).href);
  outline.catch((error: unknown) => stage.showError(error));
});

addGraphSwitch(panel, stage);

async function showIsland(engine: Engine, viewpoint: Viewpoint, level: Level): Promise<void> {
  const { world } = engine;
  // On a narrow screen the camera has to be farther away to show the whole island.
  const aspect = container.clientWidth / Math.max(1, container.clientHeight);
  const away = Math.max(1, 1.32 / aspect);
  viewpoint.attach(engine, {
    position: [-2.75 * away, 0.95 + 0.62 * away, 6.35 * away],
    target: [0.05, 0.34, 0],
    fovY: 0.6,
    near: 0.05,
    minDistance: 1.2,
    maxDistance: 18,
    autoRotate: 0,
  });
  addBackdrop(world, { sky: DUSK, radius: 60, stars: 420 });
  castShadows(level);
  const actorsNamed = (name: string): Actor[] => level.actors.filter((actor) => actor.name === name);
  // The render thread moves the fireflies and the moon, because their motion is declared.
  actorsNamed('Firefly').forEach((firefly, index) => {
    firefly.motion = flight(firefly, index * 2.4);
  });
  for (const moon of actorsNamed('Moon')) moon.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.03 });
  // The page moves the lantern in every frame.
  const [lantern] = actorsNamed('Lantern');
  let time = 0;
  endTicks = world.onTick((deltaSeconds) => {
    time += deltaSeconds;
    const swing = 0.06 * Math.sin(time * 1.4) + 0.03 * Math.sin(time * 2.3);
    lantern?.rotation.set(0, 0, Math.sin(swing / 2), Math.cos(swing / 2));
  });
  const figure = await world.load(walker);
  castShadows(figure);
  // Clips run on the render thread, too. One clip moves the figure along the path, and the other moves its legs.
  figure.play('path', { startSeconds: WALK_BEGIN });
  figure.play('walk', { speed: WALK_SPEED });
}

/** Sets which lights and meshes of a level cast shadows. Lights do so only while the panel's switch is on. */
function castShadows({ actors }: Level): void {
  for (const { name, components } of actors) {
    const shadow = ISLAND_SHADOWS[name];
    for (const component of components) {
      if (component instanceof LightComponent && shadow) component.castShadow = hasShadows && shadow;
      if (component instanceof MeshComponent && SHINING.test(name)) component.castShadow = false;
    }
  }
}

/**
 * Returns a closed path around a firefly's position.
 *
 * @param phase radians, different for each firefly
 */
function flight({ position: { x, y, z } }: Actor, phase: number) {
  const keys = Array.from({ length: FLIGHT_KEYS + 1 }, (_, key) => key / FLIGHT_KEYS);
  const sine = (turns: number, shift: number) => Math.sin(turns * 2 * Math.PI + shift);
  return keyframes({
    times: keys.map((part) => part * FLIGHT_SECONDS),
    positions: keys.map((part) => [
      x + 0.16 * sine(2 * part, phase),
      y + 0.09 * sine(3 * part, phase * 1.7),
      z + 0.16 * sine(part, phase * 0.6),
    ]),
    interpolation: 'cubic',
    loop: true,
  });
}

async function showFiles(engine: Engine, viewpoint: Viewpoint, level: Level, chosen: File[]): Promise<void> {
  const { center, radius } = sphereAround(level.bounds);
  viewpoint.attach(engine, viewOf(center, radius));
  addBackdrop(engine.world, { sky: STUDIO, radius: radius * 60, center });
  await addStudio(engine.world, { center, radius, floor: level.bounds.min[1] });
  setKeyShadow(engine.world, hasShadows);
  const main = chosen.find((file) => /\.(glb|gltf)$/i.test(file.name)) ?? chosen[0];
  title.textContent = main?.name ?? 'Your model';
  const count = level.actors.length.toLocaleString('en');
  note.textContent = [`${count} nodes. Drop another model here.`, ...level.warnings].join(' ');
  menu.show(level);
}

/** Returns whether the visitor's system asks for reduced motion. */
function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
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
    minDistance: radius * 0.05,
    maxDistance: radius * 12,
    autoRotate: prefersStillness() ? 0 : MODEL_TURN,
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

/** Shows files, or the island for `null`. If the load fails, the current model stays. */
async function open(next: File[] | null): Promise<void> {
  const { engine, viewpoint } = stage;
  if (!engine) return;
  stage.closeMessage();
  try {
    const level = await load(engine, next ?? island);
    clear(engine.world, level);
    if (next) await showFiles(engine, viewpoint, level, next);
    else {
      // The island has its own lamps, so its first display needs no code for an environment.
      if (!isIsland) await engine.world.setEnvironment(null);
      await showIsland(engine, viewpoint, level);
    }
  } catch (error) {
    stage.showError(error, 'This model can’t be shown');
    return;
  }
  isIsland = next === null;
  restore.hidden = isIsland;
  panel.sceneChanged();
  if (next) return;
  menu.clear();
  note.innerHTML = initialNote;
  title.textContent = initialTitle;
}

/** Removes everything from the world except one level. */
function clear(world: World, kept: Level): void {
  endTicks();
  endTicks = () => {};
  for (const actor of world.persistentLevel.actors) if (!actor.isDestroyed) actor.destroy();
  for (const level of world.levels) if (level !== kept && level !== world.persistentLevel) level.unload();
}

function change(next: File[] | null): void {
  changes = changes.then(() => open(next));
}

watchFiles(
  { stage: container, input: byId('file', HTMLInputElement), button: byId('choose', HTMLElement) },
  change,
);
restore.addEventListener('click', () => change(null));
changes = stage.open();
