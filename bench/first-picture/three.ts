/** FIRST_PICTURE's page with three.js: WebGPURenderer, GLTFLoader, HDRLoader and OrbitControls, as in its manual. */
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { HDRLoader } from 'three/addons/loaders/HDRLoader.js';
import {
  DirectionalLight,
  EquirectangularReflectionMapping,
  PerspectiveCamera,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import type { Ingredient } from '../lib/first-picture-pages.js';

/** The ingredient that is omitted, as in Fencepost's page. */
declare const LACKING: Ingredient | '';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const renderer = new WebGPURenderer({ canvas, antialias: true });
renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
renderer.shadowMap.enabled = true;
const scene = new Scene();
const camera = new PerspectiveCamera(60, canvas.clientWidth / canvas.clientHeight);
camera.position.set(0, 2.5, 3.5);
const controls = new OrbitControls(camera, canvas);
const sun = new DirectionalLight(0xffffff, 5);
sun.position.set(-3, 4.5, -0.6);
sun.castShadow = LACKING !== 'shadows';
scene.add(sun);
renderer.setAnimationLoop(() => {
  controls.update();
  renderer.render(scene, camera);
});

async function loadModel(): Promise<void> {
  const { scene: model } = await new GLTFLoader().loadAsync('model.glb');
  model.traverse((object) => {
    object.castShadow = object.receiveShadow = true;
  });
  scene.add(model);
}

async function loadEnvironment(): Promise<void> {
  const sky = await new HDRLoader().loadAsync('sky.hdr');
  sky.mapping = EquirectangularReflectionMapping;
  scene.environment = scene.background = sky;
}

await Promise.all([LACKING !== 'model' && loadModel(), LACKING !== 'environment' && loadEnvironment()]);
performance.mark('loaded');
