import cascadesCode from '../../../shaders/debug-cascades.wgsl?raw';
import clustersCode from '../../../shaders/debug-clusters.wgsl?raw';
import viewCode from '../../../shaders/debug-view.wgsl?raw';
import fadingCode from '../../../shaders/debug-view-fading.wgsl?raw';
import { DEBUG_VIEWS, type DebugView } from '../../proxy/commands.js';
import { debugViewOf } from '../keys/pass-format.js';
import { FADING_CODE } from '../materials/fading.js';

const NUMBERS = /* @__PURE__ */ DEBUG_VIEWS.map(
  (name, number) => `const DEBUG_${name.toUpperCase().replace('-', '_')} = ${number}u;\n`,
).join('');
const NO_CASCADES = 'fn cascadeAt(place: ShadedPlace) -> u32 { return WITHOUT_CASCADE; }\n';
const NO_CLUSTERS = 'fn clusterLights(position: vec3f, pixel: vec2f) -> u32 { return 0u; }\n';
const OVERDRAW: number = /* @__PURE__ */ DEBUG_VIEWS.indexOf('overdraw' satisfies DebugView);
const WIREFRAME: number = /* @__PURE__ */ DEBUG_VIEWS.indexOf('wireframe' satisfies DebugView);

/**
 * Debug views show a property of surfaces, or the work that a pixel takes. All debug views share one entry point of the
 * mesh shader. Only shader modules for passes with a debug view contain it. A view with a debug view is drawn forward,
 * without glass, exposure, tone mapping and effects. Only overdraw blends: its draws add up.
 *
 *   pass format: number of the debug view ─► mesh shader + debug-view.wgsl ─► showDebugView, override debugView
 *
 * @param hasShadows whether the mesh shader contains shadows.wgsl
 * @param hasClusters whether the mesh shader contains light-clusters.wgsl
 */
export const debugViewCode = (hasShadows: boolean, hasClusters: boolean, isFading: boolean): string =>
  [
    NUMBERS,
    viewCode,
    hasShadows ? cascadesCode : NO_CASCADES,
    hasClusters ? clustersCode : NO_CLUSTERS,
    isFading ? `${FADING_CODE}${fadingCode}` : '',
  ].join('');

/** Whether draws add up in the picture instead of replacing farther ones. @param format bits of `PassFormat` */
export const addsUp = (format: number): boolean => debugViewOf(format) === OVERDRAW;

/** Whether triangles are drawn as their edges. @param format bits of `PassFormat` */
export const drawsEdges = (format: number): boolean => debugViewOf(format) === WIREFRAME;

/** Returns the colour target of draws. @param color format of scene colour */
export const debugTarget = (format: number, color: GPUTextureFormat): GPUColorTargetState =>
  addsUp(format) ? { format: color, blend: { color: SUM, alpha: SUM } } : { format: color };

const SUM = { srcFactor: 'one', dstFactor: 'one' } as const;
