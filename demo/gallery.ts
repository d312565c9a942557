/**
 * Shows one example per feature: a picture, and its code as a user would write it. Each example has its own engine,
 * which is disposed of when another example is shown. `#shadows` in the address shows the example of shadows.
 */
import {
  type Actor,
  type CameraComponent,
  createEngine,
  type Engine,
  type OrbitControls,
  orbitControls,
} from '../src/index.js';
import { byId } from './elements.js';
import characters from './gallery/characters.js';
import charactersCode from './gallery/characters.ts?raw';
import drawing from './gallery/drawing.js';
import drawingCode from './gallery/drawing.ts?raw';
import effects from './gallery/effects.js';
import effectsCode from './gallery/effects.ts?raw';
import environment from './gallery/environment.js';
import environmentCode from './gallery/environment.ts?raw';
import instances from './gallery/instances.js';
import instancesCode from './gallery/instances.ts?raw';
import labels from './gallery/labels.js';
import labelsCode from './gallery/labels.ts?raw';
import lights from './gallery/lights.js';
import lightsCode from './gallery/lights.ts?raw';
import motion from './gallery/motion.js';
import motionCode from './gallery/motion.ts?raw';
import passes from './gallery/passes.js';
import passesCode from './gallery/passes.ts?raw';
import picking from './gallery/picking.js';
import pickingCode from './gallery/picking.ts?raw';
import shaders from './gallery/shaders.js';
import shadersCode from './gallery/shaders.ts?raw';
import shadows from './gallery/shadows.js';
import shadowsCode from './gallery/shadows.ts?raw';
import views from './gallery/views.js';
import viewsCode from './gallery/views.ts?raw';
import worlds from './gallery/worlds.js';
import worldsCode from './gallery/worlds.ts?raw';

interface Example {
  readonly title: string;
  readonly note: string;
  readonly build: (engine: Engine) => Promise<void>;
  readonly code: string;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  environment: {
    title: 'Environment',
    note: 'A sky lights metals and plastics, from smooth to rough.',
    build: environment,
    code: environmentCode,
  },
  shadows: {
    title: 'Shadows',
    note: 'A sun with soft shadows. The render thread turns the ball.',
    build: shadows,
    code: shadowsCode,
  },
  lights: {
    title: '120 lights',
    note: 'The deferred renderer. Each light costs only the pixels that it reaches.',
    build: lights,
    code: lightsCode,
  },
  views: {
    title: 'Views',
    note: 'A split screen, and a texture with a camera of its own. All views show one scene of one engine.',
    build: views,
    code: viewsCode,
  },
  worlds: {
    title: 'Worlds',
    note: 'Two worlds of one engine, each with its own light and time. Click the cube to stop the time of its world.',
    build: worlds,
    code: worldsCode,
  },
  shaders: {
    title: 'Shaders',
    note: 'The page’s own WGSL decides how surfaces look and move. The engine lights them.',
    build: shaders,
    code: shadersCode,
  },
  passes: {
    title: 'Passes',
    note: 'A render module adds an outline to the frame graph.',
    build: passes,
    code: passesCode,
  },
  effects: {
    title: 'Effects',
    note: 'A vignette over all views. The small view has its own, in another colour.',
    build: effects,
    code: effectsCode,
  },
  instances: {
    title: 'Instances',
    note: '3,600 instances of one mesh. The page writes their positions as numbers in every frame.',
    build: instances,
    code: instancesCode,
  },
  motion: {
    title: 'Motion',
    note: 'The page declares each motion once. The render thread moves the meshes, even while the page is busy.',
    build: motion,
    code: motionCode,
  },
  characters: {
    title: '100 characters',
    note: 'Skinned characters. Each has clips that fade into each other, played by the render thread.',
    build: characters,
    code: charactersCode,
  },
  drawing: {
    title: 'Lines and texts',
    note: 'Lines, points and texts with sizes in pixels or metres, and the debug drawer for development.',
    build: drawing,
    code: drawingCode,
  },
  picking: {
    title: 'Picking',
    note: 'Visible meshes receive pointer events. Move the pointer over the rings, and click them.',
    build: picking,
    code: pickingCode,
  },
  labels: {
    title: 'Labels',
    note: 'Elements of the page that stay over actors.',
    build: labels,
    code: labelsCode,
  },
};
const [FIRST = ''] = Object.keys(EXAMPLES);

const stage = byId('stage', HTMLElement);
const list = byId('examples', HTMLElement);
const note = byId('note', HTMLElement);
const code = byId('code', HTMLElement);
let engine: Engine | null = null;
let controls: OrbitControls | null = null;
/** The pending changes. Examples open and close one after another, however fast the visitor clicks. */
let changes: Promise<void> = Promise.resolve();

for (const [name, { title }] of Object.entries(EXAMPLES)) {
  const link = Object.assign(document.createElement('a'), { href: `#${name}`, textContent: title });
  link.dataset.name = name;
  list.append(link);
}

/** Returns the example of the address, or the first one. */
function wanted(): string {
  const name = location.hash.slice(1);
  return name in EXAMPLES ? name : FIRST;
}

async function show(name: string): Promise<void> {
  // Skip this example if the visitor has chosen another example meanwhile.
  if (name !== wanted()) return;
  const example = EXAMPLES[name] as Example;
  document.documentElement.dataset.ready = 'false';
  for (const link of list.querySelectorAll('a')) {
    if (link.dataset.name === name) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  note.textContent = example.note;
  code.textContent = example.code.replace("'../../src/index.js'", "'fencepost'");
  controls?.dispose();
  await engine?.dispose();
  const box = document.createElement('div');
  box.className = 'picture';
  stage.replaceChildren(box);
  try {
    engine = await createEngine(box, { background: '#1a1730', toneMapping: 'khronos-neutral' });
    Object.assign(window, { engine });
    await example.build(engine);
    const camera = engine.world.activeCamera as Actor<CameraComponent> | null;
    controls = camera && orbitControls(engine, camera);
    await engine.whenReady();
    engine.start();
  } catch (error) {
    box.textContent = error instanceof Error ? error.message : String(error);
  }
  document.documentElement.dataset.ready = 'true';
  document.documentElement.dataset.example = name;
}

function change(): void {
  const name = wanted();
  changes = changes.then(() => show(name));
}

addEventListener('hashchange', change);
change();
