import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { WebGPUEngine } from '@babylonjs/core/Engines/webgpuEngine.js';
import { DirectionalLight } from '@babylonjs/core/Lights/directionalLight.js';
import { StandardMaterial } from '@babylonjs/core/Materials/standardMaterial.js';
import { Color3 } from '@babylonjs/core/Maths/math.color.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { CreateBox } from '@babylonjs/core/Meshes/Builders/boxBuilder.js';
import { Scene } from '@babylonjs/core/scene.js';

const engine = new WebGPUEngine(document.querySelector('canvas') as HTMLCanvasElement, { antialias: true });
await engine.initAsync();
const scene = new Scene(engine);
scene.useRightHandedSystem = true;
const camera = new FreeCamera('camera', new Vector3(3, 2, 4), scene);
camera.setTarget(Vector3.Zero());
new DirectionalLight('light', new Vector3(-1, -2, -1.5), scene);
const material = new StandardMaterial('orange', scene);
material.diffuseColor = Color3.FromHexString('#ff7a1a');
const cube = CreateBox('cube', {}, scene);
cube.material = material;
engine.runRenderLoop(() => {
  cube.rotation.y += engine.getDeltaTime() / 1000;
  scene.render();
});
