/**
 * B10 and B13 with PlayCanvas on WebGPU: 4× MSAA, its glTF container, its prefiltered environment atlas, and four
 * cascades of the sun's shadow. The scene calls the engine's functions like the engine's own tick.
 */
import {
  AppBase,
  AppOptions,
  Asset,
  CameraComponentSystem,
  Color,
  ContainerHandler,
  type ContainerResource,
  createGraphicsDevice,
  DEVICETYPE_WEBGPU,
  Entity,
  EnvLighting,
  FILLMODE_NONE,
  LightComponentSystem,
  RESOLUTION_FIXED,
  type RenderComponent,
  RenderComponentSystem,
  type Texture,
  TextureHandler,
  version,
} from 'playcanvas';
import { CAMERA, CASCADES, LAMPS, type LitScene, SUN } from '../lib/lit-scene.js';

let app: AppBase;
let lights: Entity[] = [];

function load<T>(name: string, kind: string, url: string): Promise<T> {
  const asset = new Asset(name, kind, { url });
  return new Promise((resolve, reject) => {
    asset.once('load', () => resolve(asset.resource as T));
    asset.once('error', (message: string) => reject(new Error(message)));
    app.assets.add(asset);
    app.assets.load(asset);
  });
}

export const scene: LitScene = {
  name: 'playcanvas',
  version,
  async start(canvas, modelUrl) {
    const device = await createGraphicsDevice(canvas, { deviceTypes: [DEVICETYPE_WEBGPU], antialias: true });
    if (!device.isWebGPU) throw new Error('PlayCanvas fell back to WebGL.');
    const options = new AppOptions();
    options.graphicsDevice = device;
    options.componentSystems = [RenderComponentSystem, CameraComponentSystem, LightComponentSystem];
    options.resourceHandlers = [ContainerHandler, TextureHandler];
    app = new AppBase(canvas);
    app.init(options);
    app.setCanvasFillMode(FILLMODE_NONE);
    app.setCanvasResolution(RESOLUTION_FIXED, canvas.width, canvas.height);
    app.scene.ambientLight = new Color(0, 0, 0);
    const camera = new Entity('camera');
    camera.addComponent('camera', {
      clearColor: new Color(0, 0, 0),
      fov: (CAMERA.fovY * 180) / Math.PI,
      nearClip: CAMERA.near,
      farClip: CAMERA.far,
    });
    camera.setPosition(...CAMERA.position);
    camera.lookAt(...CAMERA.target);
    app.root.addChild(camera);
    app.start();
    cancelAnimationFrame((app as unknown as { frameRequestId: number }).frameRequestId);
    const container = await load<ContainerResource>('model', 'container', modelUrl);
    const model = container.instantiateRenderEntity({ castShadows: true });
    for (const entity of model.find((each) => (each as Entity).light !== undefined) as Entity[])
      entity.removeComponent('light');
    for (const render of model.findComponents('render') as RenderComponent[]) render.receiveShadows = true;
    app.root.addChild(model);
    await this.draw();
  },
  async light(lighting, environmentUrl) {
    for (const light of lights) light.destroy();
    lights = [];
    // Assigned untyped, because the type declarations don't allow null here.
    Object.assign(app.scene, { envAtlas: null });
    if (lighting === 'environment') {
      const image = await load<Texture>('environment', 'texture', environmentUrl);
      const lighting = EnvLighting.generateLightingSource(image);
      app.scene.envAtlas = EnvLighting.generateAtlas(lighting);
      lighting.destroy();
    } else {
      const sun = new Entity('sun');
      sun.addComponent('light', {
        type: 'directional',
        intensity: 1,
        castShadows: lighting === 'four cascades',
        numCascades: CASCADES.count,
        shadowResolution: CASCADES.mapSize,
        shadowDistance: CASCADES.distance,
      });
      // A PlayCanvas light shines along its −Y.
      sun.lookAt(...SUN.direction);
      sun.rotateLocal(90, 0, 0);
      lights.push(sun);
    }
    if (lighting === 'five lights') {
      for (const position of LAMPS.positions) {
        const lamp = new Entity('lamp');
        lamp.addComponent('light', { type: 'omni', intensity: LAMPS.intensity, range: LAMPS.range });
        const [x, y, z] = position;
        lamp.setPosition(x, y, z);
        lights.push(lamp);
      }
    }
    for (const light of lights) app.root.addChild(light);
    await this.draw();
  },
  async draw() {
    app.update(1 / 60);
    app.render();
    const { wgpu } = app.graphicsDevice as unknown as { wgpu: GPUDevice };
    await wgpu.queue.onSubmittedWorkDone();
  },
};
