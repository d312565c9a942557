// Declarations of the part of the Khronos sample renderer (Apache-2.0) that the tests use. The renderer's
// package has no declarations.
declare module '@khronosgroup/gltf-viewer/dist/gltf-viewer.module.js' {
  export interface RenderingParameters {
    /** Red, green, blue and alpha, 0 to 255. */
    clearColor: [number, number, number, number];
    toneMap: string;
    exposure: number;
    usePunctual: boolean;
    useIBL: boolean;
    renderEnvironmentMap: boolean;
    /** Rotation about Y, in degrees. At 0, an image's centre lies towards +X. */
    environmentRotation: number;
  }

  export class GltfState {
    static readonly ToneMaps: { readonly NONE: string };
    gltf: unknown;
    environment: unknown;
    sceneIndex: number;
    cameraIndex: number | undefined;
    animationIndices: number[];
    readonly animationTimer: { setFixedTime(seconds: number): void };
    variant: string | undefined;
    readonly renderingParameters: RenderingParameters;
    readonly userCamera: {
      /** World from camera, in column-major order. */
      transform: Float32Array;
      /** `yfov` in radians, distances in metres. */
      readonly perspective: { yfov: number; znear: number; zfar: number };
    };
  }

  export class ResourceLoader {
    loadEnvironment(file: string | ArrayBuffer): Promise<unknown>;
    loadGltf(file: string | ArrayBuffer): Promise<{ readonly scene?: number }>;
  }

  export class GltfView {
    constructor(context: WebGL2RenderingContext);
    createState(): GltfState;
    createResourceLoader(draco: unknown, ktx: unknown, libraries: string): ResourceLoader;
    renderFrame(state: GltfState, width: number, height: number): void;
  }
}
