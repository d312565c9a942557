import {
  BoxGeometry,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const renderer = new WebGPURenderer({ canvas, antialias: true });
renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
const scene = new Scene();
const camera = new PerspectiveCamera(60, canvas.clientWidth / canvas.clientHeight);
camera.position.set(3, 2, 4);
camera.lookAt(0, 0, 0);
const light = new DirectionalLight(0xffffff, 3);
light.position.set(1, 2, 1.5);
const cube = new Mesh(new BoxGeometry(), new MeshStandardMaterial({ color: '#ff7a1a' }));
scene.add(light, cube);
renderer.setAnimationLoop((time) => {
  cube.rotation.y = time / 1000;
  renderer.render(scene, camera);
});
