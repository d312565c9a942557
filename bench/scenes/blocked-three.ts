/** B3 with three.js: the page turns the bar and draws it at every animation frame, as in its documentation. */
import {
  BoxGeometry,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  REVISION,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { BAR, type BlockedScene, DISTANCE, RATE } from '../lib/blocked.js';

export function three(): BlockedScene {
  let presented = 0;
  const bar = new Mesh(new BoxGeometry(...BAR), new MeshBasicMaterial({ color: 0xffffff }));
  return {
    name: 'three',
    version: `0.${REVISION}.0`,
    async start(canvas) {
      const renderer = new WebGPURenderer({ canvas, antialias: true });
      renderer.setSize(canvas.width, canvas.height, false);
      await renderer.init();
      const scene = new Scene();
      scene.add(bar);
      const camera = new PerspectiveCamera(45, 1);
      camera.position.z = DISTANCE;
      const began = performance.now();
      renderer.setAnimationLoop(() => {
        bar.rotation.z = ((performance.now() - began) / 1000) * RATE;
        renderer.render(scene, camera);
        presented++;
      });
    },
    presentedFrames: () => presented,
    // Only the loop above draws, so the bar still has the angle of the last picture.
    shownRadians: async () => bar.rotation.z,
  };
}
