import {
  GltfState,
  GltfView,
  type ResourceLoader,
} from '@khronosgroup/gltf-viewer/dist/gltf-viewer.module.js';
import { mat4 } from 'gl-matrix';
import type { Picture } from '../parity/scene.js';
import { depthsOf, FOV_Y, type Shot, type Stand } from './shot.js';

/** The path of the libraries that the sample renderer fetches, on the test's server. */
export const LIBRARIES = '/node_modules/@khronosgroup/gltf-viewer/dist/libs/';

/**
 * Draws shots with the Khronos sample renderer, on WebGL 2. glTF's authors wrote that renderer, so its pictures
 * define the expected result.
 */
export class KhronosStage {
  readonly #size: number;
  readonly #context: WebGL2RenderingContext;
  readonly #view: GltfView;
  readonly #loader: ResourceLoader;
  /** Filtered environments by address. Filtering one takes a software renderer many seconds. */
  readonly #environments = new Map<string, Promise<unknown>>();

  constructor(size: number) {
    this.#size = size;
    const context = new OffscreenCanvas(size, size).getContext('webgl2', { antialias: false, alpha: false });
    if (!context) throw new Error('This browser has no WebGL 2.');
    this.#context = context as WebGL2RenderingContext;
    this.#view = new GltfView(this.#context);
    this.#loader = this.#view.createResourceLoader(undefined, undefined, LIBRARIES);
  }

  async draw({ file, plainFile = file, environment, pose, variant }: Shot, stand: Stand): Promise<Picture> {
    const state = this.#view.createState();
    state.environment = await this.#environmentOf(environment);
    const gltf = await this.#loader.loadGltf(plainFile);
    state.gltf = gltf;
    state.sceneIndex = gltf.scene ?? 0;
    state.cameraIndex = undefined;
    state.variant = variant;
    state.animationIndices = pose ? [pose.clip] : [];
    // The renderer treats 0 as "not set".
    if (pose) state.animationTimer.setFixedTime(Math.max(pose.seconds, 1e-9));
    Object.assign(state.renderingParameters, {
      clearColor: [0, 0, 0, 255],
      toneMap: GltfState.ToneMaps.NONE,
      usePunctual: true,
      useIBL: true,
      renderEnvironmentMap: false,
      environmentRotation: 0,
    });
    const { near, far } = depthsOf(stand);
    state.userCamera.transform = mat4.targetTo(
      mat4.create(),
      stand.position,
      stand.target,
      [0, 1, 0],
    ) as Float32Array;
    Object.assign(state.userCamera.perspective, { yfov: FOV_Y, znear: near, zfar: far });
    // Some textures are uploaded while the first frame is drawn.
    for (let frame = 0; frame < 2; frame++) this.#view.renderFrame(state, this.#size, this.#size);
    return this.#read();
  }

  #environmentOf(address: string): Promise<unknown> {
    const environment = this.#environments.get(address) ?? this.#loader.loadEnvironment(address);
    this.#environments.set(address, environment);
    return environment;
  }

  #read(): Picture {
    const size = this.#size;
    const bottomUp = new Uint8Array(size * size * 4);
    this.#context.readPixels(0, 0, size, size, this.#context.RGBA, this.#context.UNSIGNED_BYTE, bottomUp);
    const data = new Uint8ClampedArray(bottomUp.length);
    for (let y = 0; y < size; y++) {
      data.set(bottomUp.subarray((size - 1 - y) * size * 4, (size - y) * size * 4), y * size * 4);
    }
    for (let at = 0; at < data.length; at++) if ((at & 3) !== 3) data[at] = BY_THE_CURVE[data[at]!]!;
    return { width: size, height: size, data };
  }
}

/** Converts from the renderer's encoding, a power of 2.2, to sRGB's curve. */
const BY_THE_CURVE = Uint8Array.from({ length: 256 }, (_, value) => {
  const light = (value / 255) ** 2.2;
  const encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255);
});
