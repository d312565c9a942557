import {
  addToScene,
  createBox,
  createDirectionalLight,
  createEngine,
  createFreeCamera,
  createSceneContext,
  createStandardMaterial,
  onBeforeRender,
  registerScene,
  startEngine,
} from '@babylonjs/lite';

const engine = await createEngine(document.querySelector('canvas') as HTMLCanvasElement);
const scene = createSceneContext(engine);
scene.camera = createFreeCamera({ x: 3, y: 2, z: 4 }, { x: 0, y: 0, z: 0 });
addToScene(scene, createDirectionalLight([-1, -2, -1.5], 1));
const cube = createBox(engine);
const material = createStandardMaterial();
material.diffuseColor = [1, 0.48, 0.1];
cube.material = material;
addToScene(scene, cube);
onBeforeRender(scene, (milliseconds) => {
  cube.rotation.y += milliseconds / 1000;
});
await registerScene(scene);
await startEngine(engine);
