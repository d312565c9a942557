/**
 * B15 with three.js: WebGPURenderer, and GLTFLoader with its DRACOLoader and KTX2Loader, whose decoders lie beside the
 * page.
 */
import { DRACOLoader } from 'three/addons/loaders/DRACOLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import { DirectionalLight, PerspectiveCamera, REVISION, Scene, WebGPURenderer } from 'three/webgpu';
import type { LoadingScene } from '../pages/load.js';

export const scene: LoadingScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async start(canvas) {
    const renderer = new WebGPURenderer({ canvas, antialias: false });
    renderer.setSize(canvas.width, canvas.height, false);
    await renderer.init();
    const world = new Scene();
    const camera = new PerspectiveCamera((0.9 * 180) / Math.PI, 1, 0.1, 100);
    camera.position.set(0, 6, 9);
    camera.lookAt(0, 0, 0);
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(1, 2, 1.5);
    world.add(sun);
    const draw = async (): Promise<void> => {
      renderer.render(world, camera);
      await (renderer.backend as unknown as { device: GPUDevice }).device.queue.onSubmittedWorkDone();
    };
    await draw();
    const loader = new GLTFLoader()
      .setDRACOLoader(new DRACOLoader().setDecoderPath('../draco/'))
      .setKTX2Loader(new KTX2Loader().setTranscoderPath('../basis/').detectSupport(renderer));
    return async (url) => {
      const { scene: model } = await loader.loadAsync(url);
      world.add(model);
      await draw();
    };
  },
};
