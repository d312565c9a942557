/**
 * Shows one example per feature: a picture, and its code as a user would write it. Each example has its own engine,
 * which is disposed of when another example is shown. `#shadows` in the address shows the example of shadows.
 */
import {
  type Actor,
  type CameraComponent,
  createEngine,
  type DebugView,
  type Engine,
  type OrbitControls,
  orbitControls,
} from '../src/index.js';
import { byId } from './elements.js';
import ambientOcclusion from './gallery/ambient-occlusion.js';
import ambientOcclusionCode from './gallery/ambient-occlusion.ts?raw';
import bloom from './gallery/bloom.js';
import bloomCode from './gallery/bloom.ts?raw';
import characters from './gallery/characters.js';
import charactersCode from './gallery/characters.ts?raw';
import decals from './gallery/decals.js';
import decalsCode from './gallery/decals.ts?raw';
import depthOfField from './gallery/depth-of-field.js';
import depthOfFieldCode from './gallery/depth-of-field.ts?raw';
import drawing from './gallery/drawing.js';
import drawingCode from './gallery/drawing.ts?raw';
import edges from './gallery/edges.js';
import edgesCode from './gallery/edges.ts?raw';
import effects from './gallery/effects.js';
import effectsCode from './gallery/effects.ts?raw';
import environment from './gallery/environment.js';
import environmentCode from './gallery/environment.ts?raw';
import exposure from './gallery/exposure.js';
import exposureCode from './gallery/exposure.ts?raw';
import film from './gallery/film.js';
import filmCode from './gallery/film.ts?raw';
import fog from './gallery/fog.js';
import fogCode from './gallery/fog.ts?raw';
import glass from './gallery/glass.js';
import glassCode from './gallery/glass.ts?raw';
import instances from './gallery/instances.js';
import instancesCode from './gallery/instances.ts?raw';
import labels from './gallery/labels.js';
import labelsCode from './gallery/labels.ts?raw';
import lights from './gallery/lights.js';
import lightsCode from './gallery/lights.ts?raw';
import motion from './gallery/motion.js';
import motionCode from './gallery/motion.ts?raw';
import outline from './gallery/outline.js';
import outlineCode from './gallery/outline.ts?raw';
import particles from './gallery/particles.js';
import particlesCode from './gallery/particles.ts?raw';
import passes from './gallery/passes.js';
import passesCode from './gallery/passes.ts?raw';
import picking from './gallery/picking.js';
import pickingCode from './gallery/picking.ts?raw';
import poster from './gallery/poster.js';
import posterCode from './gallery/poster.ts?raw';
import resolution from './gallery/resolution.js';
import resolutionCode from './gallery/resolution.ts?raw';
import shaders from './gallery/shaders.js';
import shadersCode from './gallery/shaders.ts?raw';
import shadowCatcher from './gallery/shadow-catcher.js';
import shadowCatcherCode from './gallery/shadow-catcher.ts?raw';
import shadows from './gallery/shadows.js';
import shadowsCode from './gallery/shadows.ts?raw';
import sky from './gallery/sky.js';
import skyCode from './gallery/sky.ts?raw';
import transparency from './gallery/transparency.js';
import transparencyCode from './gallery/transparency.ts?raw';
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
  sky: {
    title: 'Sky',
    note: 'An evening in Berlin. The place and the time decide where the sun is, and the sky and the sun light the houses.',
    build: sky,
    code: skyCode,
  },
  glass: {
    title: 'Glass',
    note: 'Clear, tinted and frosted glass, and glass with dispersion. The pane in front shows the balls behind it.',
    build: glass,
    code: glassCode,
  },
  decals: {
    title: 'Decals',
    note: 'Pictures that are projected onto the surfaces in a box. They bend around the columns and keep the gloss.',
    build: decals,
    code: decalsCode,
  },
  transparency: {
    title: 'Transparency',
    note: 'Panes that cross each other are added up with weights, in any order.',
    build: transparency,
    code: transparencyCode,
  },
  shadows: {
    title: 'Shadows',
    note: 'A sun with soft shadows. The render thread turns the ball.',
    build: shadows,
    code: shadowsCode,
  },
  'shadow-catcher': {
    title: 'Shadow catcher',
    note: 'A ground that shows only the soft shadow of the things above it, on the page behind the canvas.',
    build: shadowCatcher,
    code: shadowCatcherCode,
  },
  lights: {
    title: '120 lights',
    note: 'The deferred renderer. Each light costs time only for the pixels that it reaches.',
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
    note: 'A vignette over all views. The small view has a vignette of its own, in another colour.',
    build: effects,
    code: effectsCode,
  },
  fog: {
    title: 'Fog',
    note: 'Fog over a lake, dense near the water. It takes its light from the sky and from the low sun.',
    build: fog,
    code: fogCode,
  },
  bloom: {
    title: 'Bloom',
    note: 'Bright tubes scatter a part of their light, as in a lens. No light is added.',
    build: bloom,
    code: bloomCode,
  },
  'depth-of-field': {
    title: 'Depth of field',
    note: 'The lens is focused on the third post. Nearer and farther ones are blurred.',
    build: depthOfField,
    code: depthOfFieldCode,
  },
  exposure: {
    title: 'Automatic exposure',
    note: 'A night scene, exposed by its own brightness. The small view shows it with an exposure of 1.',
    build: exposure,
    code: exposureCode,
  },
  outline: {
    title: 'Outlines',
    note: 'Click a thing to select it. Its outline also shows where other things hide it.',
    build: outline,
    code: outlineCode,
  },
  edges: {
    title: 'Edges',
    note: 'A fence in two views: without smoothing on the left, with fxaa on the right.',
    build: edges,
    code: edgesCode,
  },
  particles: {
    title: 'Particles',
    note: 'Fire, smoke and sparks, simulated on the GPU. The sparks bounce off the ground.',
    build: particles,
    code: particlesCode,
  },
  'ambient-occlusion': {
    title: 'Ambient occlusion',
    note: 'Light from all around is dimmed in corners, and where things touch. The small view shows the scene without.',
    build: ambientOcclusion,
    code: ambientOcclusionCode,
  },
  film: {
    title: 'Film',
    note: 'The right view has colour grading with a table, a vignette, chromatic aberration and grain.',
    build: film,
    code: filmCode,
  },
  poster: {
    title: 'Captures',
    note: 'The picture on the wall was taken by another camera: 800 × 400 pixels, with 8 samples each.',
    build: poster,
    code: posterCode,
  },
  resolution: {
    title: 'Resolution',
    note: 'The scene is drawn with fewer pixels if the GPU is slow, and scaled up. The text stays sharp.',
    build: resolution,
    code: resolutionCode,
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
    note: 'Skinned characters. The render thread plays their clips, which fade into each other.',
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

const DEBUG_VIEWS: readonly DebugView[] = [
  'none',
  'base-color',
  'normals',
  'roughness',
  'metallic',
  'occlusion',
  'emissive',
  'uv',
  'overdraw',
  'lights',
  'cascades',
  'wireframe',
];

const stage = byId('stage', HTMLElement);
const list = byId('examples', HTMLElement);
const note = byId('note', HTMLElement);
const code = byId('code', HTMLElement);
const debugView = byId('debug-view', HTMLSelectElement);
let engine: Engine | null = null;
let controls: OrbitControls | null = null;
/** The pending changes. Examples open and close one after another, however fast the visitor clicks. */
let changes: Promise<void> = Promise.resolve();

for (const [name, { title }] of Object.entries(EXAMPLES)) {
  const link = Object.assign(document.createElement('a'), { href: `#${name}`, textContent: title });
  link.dataset.name = name;
  list.append(link);
}

for (const name of DEBUG_VIEWS) debugView.add(new Option(name));
debugView.addEventListener('change', () => {
  if (engine) engine.debugView = debugView.value as DebugView;
});

/** Returns the name of the example in the address, or of the first example. */
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
    engine.debugView = debugView.value as DebugView;
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
