import {
  AppBase,
  AppOptions,
  BoxGeometry,
  CameraComponentSystem,
  Color,
  createGraphicsDevice,
  DEVICETYPE_WEBGPU,
  Entity,
  LightComponentSystem,
  Mesh,
  MeshInstance,
  RenderComponentSystem,
  StandardMaterial,
} from 'playcanvas';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const device = await createGraphicsDevice(canvas, { deviceTypes: [DEVICETYPE_WEBGPU], antialias: true });
const options = new AppOptions();
options.graphicsDevice = device;
options.componentSystems = [RenderComponentSystem, CameraComponentSystem, LightComponentSystem];
const app = new AppBase(canvas);
app.init(options);
const camera = new Entity();
camera.addComponent('camera', { clearColor: new Color(0, 0, 0) });
camera.setPosition(3, 2, 4);
camera.lookAt(0, 0, 0);
app.root.addChild(camera);
const light = new Entity();
light.addComponent('light', { type: 'directional' });
light.setEulerAngles(45, 30, 0);
app.root.addChild(light);
const material = new StandardMaterial();
material.diffuse = new Color().fromString('#ff7a1a');
material.update();
const cube = new Entity();
cube.addComponent('render', {
  meshInstances: [new MeshInstance(Mesh.fromGeometry(device, new BoxGeometry()), material)],
});
app.root.addChild(cube);
app.on('update', (deltaSeconds: number) => cube.rotate(0, (deltaSeconds * 180) / Math.PI, 0));
app.start();
