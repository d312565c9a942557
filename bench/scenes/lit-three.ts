/**
 * B10 and B13 with three.js: WebGPURenderer with 4× MSAA and otherwise its defaults, GLTFLoader, HDRLoader with the
 * renderer's own prefiltering, CSMShadowNode. Shadow maps are drawn in every frame, as by default.
 */
import { CSMShadowNode } from 'three/addons/csm/CSMShadowNode.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { HDRLoader } from 'three/addons/loaders/HDRLoader.js';
import {
  DirectionalLight,
  EquirectangularReflectionMapping,
  type Light,
  Mesh,
  PerspectiveCamera,
  PointLight,
  REVISION,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { CAMERA, CASCADES, LAMPS, type LitScene, SUN } from '../lib/lit-scene.js';

let renderer: WebGPURenderer;
let lights: Light[] = [];
const world = new Scene();
const camera = new PerspectiveCamera((CAMERA.fovY * 180) / Math.PI, 1, CAMERA.near, CAMERA.far);

export const scene: LitScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async start(canvas, modelUrl) {
    renderer = new WebGPURenderer({ canvas, antialias: true });
    renderer.setSize(canvas.width, canvas.height, false);
    renderer.shadowMap.enabled = true;
    await renderer.init();
    camera.aspect = canvas.width / canvas.height;
    camera.updateProjectionMatrix();
    camera.position.set(...CAMERA.position);
    camera.lookAt(...CAMERA.target);
    const { scene: model } = await new GLTFLoader().loadAsync(modelUrl);
    const inFile: Light[] = [];
    model.traverse((object) => {
      if ('isLight' in object) inFile.push(object as Light);
      if (object instanceof Mesh) object.castShadow = object.receiveShadow = true;
    });
    for (const light of inFile) light.removeFromParent();
    world.add(model);
    await this.draw();
  },
  async light(lighting, environmentUrl) {
    for (const light of lights) {
      world.remove(light);
      light.dispose();
    }
    lights = [];
    world.environment = null;
    if (lighting === 'environment') {
      const texture = await new HDRLoader().loadAsync(environmentUrl);
      texture.mapping = EquirectangularReflectionMapping;
      world.environment = texture;
    } else {
      const sun = new DirectionalLight(0xffffff, SUN.intensity);
      sun.position.set(-SUN.direction[0], -SUN.direction[1], -SUN.direction[2]).multiplyScalar(5);
      if (lighting === 'four cascades') {
        sun.castShadow = true;
        sun.shadow.mapSize.set(CASCADES.mapSize, CASCADES.mapSize);
        const { count: cascades, distance: maxFar } = CASCADES;
        sun.shadow.shadowNode = new CSMShadowNode(sun, { cascades, maxFar, mode: 'practical' });
      }
      lights.push(sun);
    }
    if (lighting === 'five lights') {
      for (const position of LAMPS.positions) {
        const lamp = new PointLight(0xffffff, LAMPS.intensity, LAMPS.range);
        const [x, y, z] = position;
        lamp.position.set(x, y, z);
        lights.push(lamp);
      }
    }
    world.add(...lights);
    await this.draw();
  },
  async draw() {
    renderer.render(world, camera);
    await (renderer.backend as unknown as { device: GPUDevice }).device.queue.onSubmittedWorkDone();
  },
};
