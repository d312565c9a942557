/**
 * STREAM with three.js: WebGPURenderer and GLTFLoader. The file is added to the scene once it has been loaded, as in
 * its documentation.
 */
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import {
  BoxGeometry,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  REVISION,
  Scene,
  SRGBColorSpace,
  Texture,
  WebGPURenderer,
} from 'three/webgpu';
import {
  BOXES,
  boxPicture,
  boxPosition,
  CAMERA_POSITION,
  FOV_Y,
  LIGHT_DIRECTION,
  type StreamingScene,
} from '../lib/streaming.js';

export function three(): StreamingScene {
  const world = new Scene();
  let renderer: WebGPURenderer;
  let pictures: number[] = [];
  const drawn: (() => void)[] = [];
  return {
    name: 'three',
    version: `0.${REVISION}.0`,
    async start(canvas) {
      renderer = new WebGPURenderer({ canvas, antialias: false });
      renderer.setSize(canvas.width, canvas.height, false);
      await renderer.init();
      const camera = new PerspectiveCamera((FOV_Y * 180) / Math.PI, 1, 0.1, 100);
      camera.position.set(...CAMERA_POSITION);
      camera.lookAt(0, 0, 0);
      const sun = new DirectionalLight(0xffffff, 3);
      sun.position.set(-LIGHT_DIRECTION[0], -LIGHT_DIRECTION[1], -LIGHT_DIRECTION[2]);
      world.add(sun);
      const map = new Texture(await boxPicture());
      map.colorSpace = SRGBColorSpace;
      map.needsUpdate = true;
      const [geometry, material] = [new BoxGeometry(), new MeshStandardMaterial({ map })];
      const boxes = Array.from({ length: BOXES }, () => new Mesh(geometry, material));
      world.add(...boxes);
      const began = performance.now();
      renderer.setAnimationLoop(() => {
        const seconds = (performance.now() - began) / 1000;
        for (const [index, box] of boxes.entries()) box.position.set(...boxPosition(index, seconds));
        renderer.render(world, camera);
        pictures.push(performance.now());
        for (const resolve of drawn.splice(0)) resolve();
      });
      await new Promise<void>((resolve) => drawn.push(resolve));
    },
    async load(url) {
      const { scene: model } = await new GLTFLoader().loadAsync(url);
      world.add(model);
      await new Promise<void>((resolve) => drawn.push(resolve));
      await (renderer.backend as unknown as { device: GPUDevice }).device.queue.onSubmittedWorkDone();
    },
    async notePictures() {
      pictures = [performance.now()];
      return async () => [...pictures, performance.now()];
    },
  };
}
