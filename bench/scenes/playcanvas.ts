/**
 * PlayCanvas on WebGPU: an Entity with a render component per box, one Mesh, StandardMaterial without textures. The
 * scene calls the engine's `update` and `render` like the engine's own tick, without its animation-frame loop.
 */
import {
  AppBase,
  AppOptions,
  BoxGeometry,
  CameraComponentSystem,
  Color,
  createGraphicsDevice,
  DEVICETYPE_WEBGPU,
  Entity,
  FILLMODE_NONE,
  LightComponentSystem,
  Mesh,
  MeshInstance,
  RESOLUTION_FIXED,
  RenderComponentSystem,
  StandardMaterial,
  version,
} from 'playcanvas';
import {
  type BenchScene,
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  METALLIC,
  moveBoxes,
  ROUGHNESS,
} from '../lib/scene.js';

let app: AppBase;
let layout: Layout;
const entities: Entity[] = [];

export const bench: BenchScene = {
  name: 'playcanvas',
  version,
  async init(canvas, count) {
    const device = await createGraphicsDevice(canvas, { deviceTypes: [DEVICETYPE_WEBGPU], antialias: true });
    if (!device.isWebGPU) throw new Error('PlayCanvas fell back to WebGL.');
    const options = new AppOptions();
    options.graphicsDevice = device;
    options.componentSystems = [RenderComponentSystem, CameraComponentSystem, LightComponentSystem];
    app = new AppBase(canvas);
    app.init(options);
    app.setCanvasFillMode(FILLMODE_NONE);
    app.setCanvasResolution(RESOLUTION_FIXED, canvas.width, canvas.height);
    app.scene.ambientLight = new Color(0, 0, 0);
    layout = createLayout(count);

    const camera = new Entity('camera');
    camera.addComponent('camera', {
      clearColor: new Color(0, 0, 0),
      fov: (FOV_Y * 180) / Math.PI,
      nearClip: layout.near,
      farClip: layout.far,
    });
    camera.setPosition(...layout.cameraPosition);
    camera.lookAt(0, 0, 0);
    app.root.addChild(camera);
    const light = new Entity('light');
    light.addComponent('light', { type: 'directional', intensity: 1 });
    // A PlayCanvas light shines along its −Y.
    light.lookAt(...LIGHT_DIRECTION);
    light.rotateLocal(90, 0, 0);
    app.root.addChild(light);

    const mesh = Mesh.fromGeometry(device, new BoxGeometry());
    const materials = COLORS.map((color) => {
      const material = new StandardMaterial();
      material.diffuse = new Color(color[0] ** (1 / 2.2), color[1] ** (1 / 2.2), color[2] ** (1 / 2.2));
      material.useMetalness = true;
      material.metalness = METALLIC;
      material.gloss = 1 - ROUGHNESS;
      material.update();
      return material;
    });
    for (let i = 0; i < count; i++) {
      const entity = new Entity();
      entity.addComponent('render', {
        castShadows: false,
        receiveShadows: false,
        meshInstances: [new MeshInstance(mesh, materials[i % materials.length] as StandardMaterial)],
      });
      app.root.addChild(entity);
      entities.push(entity);
    }
    app.start();
    cancelAnimationFrame((app as unknown as { frameRequestId: number }).frameRequestId);
  },
  update(timeSeconds) {
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const entity = entities[i] as Entity;
      entity.setLocalPosition(x, y, z);
      entity.setLocalRotation(qx, qy, qz, qw);
    });
  },
  render() {
    app.update(1 / 60);
    app.render();
  },
};
