import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { DRACOLoader } from 'three/addons/loaders/DRACOLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { HDRLoader } from 'three/addons/loaders/HDRLoader.js';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import * as three from 'three/webgpu';
import type { Picture } from '../parity/scene.js';
import { depthsOf, FOV_Y, type Shot, type Stand } from './shot.js';

const LIBRARIES = '/node_modules/three/examples/jsm/libs/';

/** Draws shots with unchanged three.js on WebGPU. */
export class ThreeStage {
  readonly #renderer = new three.WebGPURenderer({ antialias: false, alpha: false });
  readonly #size: number;
  readonly #environments = new Map<string, Promise<three.Texture>>();

  constructor(size: number) {
    this.#size = size;
    this.#renderer.toneMapping = three.NoToneMapping;
    this.#renderer.setPixelRatio(1);
    this.#renderer.setSize(size, size);
  }

  async draw({ file, environment, pose, variant }: Shot, stand: Stand): Promise<Picture> {
    const renderer = this.#renderer;
    await renderer.init();
    const loader = new GLTFLoader()
      .setMeshoptDecoder(MeshoptDecoder)
      .setDRACOLoader(new DRACOLoader().setDecoderPath(`${LIBRARIES}draco/gltf/`))
      .setKTX2Loader(new KTX2Loader().setTranscoderPath(`${LIBRARIES}basis/`).detectSupport(renderer));
    const scene = new three.Scene();
    scene.background = new three.Color(0);
    scene.environment = await this.#environmentOf(environment);
    const loaded = await loader.loadAsync(file);
    scene.add(loaded.scene);
    if (variant !== undefined) throw new Error('three shows no variants by itself.');
    if (pose) {
      const mixer = new three.AnimationMixer(loaded.scene);
      const action = mixer.clipAction(loaded.animations[pose.clip]!);
      action.play();
      action.time = pose.seconds;
      action.setEffectiveTimeScale(0);
      mixer.update(0);
    }
    loaded.scene.traverse((object) => {
      object.frustumCulled = false;
    });
    const { near, far } = depthsOf(stand);
    const camera = new three.PerspectiveCamera((FOV_Y * 180) / Math.PI, 1, near, far);
    camera.position.set(...stand.position);
    camera.lookAt(...stand.target);
    scene.updateMatrixWorld(true);
    await renderer.compileAsync(scene, camera);
    renderer.render(scene, camera);
    const copy = new OffscreenCanvas(this.#size, this.#size).getContext('2d', { willReadFrequently: true })!;
    copy.drawImage(renderer.domElement, 0, 0);
    const { data } = copy.getImageData(0, 0, this.#size, this.#size);
    return { width: this.#size, height: this.#size, data: new Uint8ClampedArray(data) };
  }

  #environmentOf(address: string): Promise<three.Texture> {
    const environment = this.#environments.get(address) ?? loadEnvironment(address);
    this.#environments.set(address, environment);
    return environment;
  }
}

async function loadEnvironment(address: string): Promise<three.Texture> {
  const image = await new HDRLoader().loadAsync(address);
  image.mapping = three.EquirectangularReflectionMapping;
  return image;
}
