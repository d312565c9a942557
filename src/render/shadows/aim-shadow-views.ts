import { LightKind } from '../../proxy/commands.js';
import type { LightStore } from '../lights/light-store.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from '../views/view.js';
import { type CascadeSphere, fitCascades } from './fit-cascades.js';
import { LightBasis } from './light-basis.js';
import type { ShadowView } from './shadow-view.js';
import type { VisibleRange } from './visible-range.js';

/** Parameters of the render command `setShadow`. */
export interface ShadowSettings {
  readonly mapSize: number;
  readonly cascades: number;
  readonly distance: number;
  readonly softness: number;
}

/** A camera's view, and the range of depths that it sees. Directional lights fit their cascades to this range. */
export interface ShadedView {
  view: View;
  parameters: ViewParameters;
  /** Width divided by height of the area that the view is drawn into. */
  aspect: number;
  readonly range: VisibleRange;
}

/**
 * A light that casts shadows, and its shadow views: `sets` sets of `count` views, one after another from
 * index `first` on.
 */
export interface Caster {
  readonly light: number;
  readonly first: number;
  readonly count: number;
  /** A directional light has a set of cascades for each camera's view. Other lights have one set. */
  readonly sets: number;
}

/**
 * Largest angle of a spot light with a single map, in radians from its axis. A wider spot light has six maps,
 * one per side of a cube, like a point light.
 */
const WIDEST_SPOT = 1.05;
const SIDES = 6;

/** The sides of a cube, in the order of `sideOf` in shadows.wgsl. */
const sides = /* @__PURE__ */ [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
].map(([x = 0, y = 0, z = 0]) => {
  const basis = new LightBasis();
  basis.lookAlong(x, y, z);
  return basis;
});

/** Returns the number of maps that a light has for a camera's view. */
export function countViews(lights: LightStore, light: number, settings: ShadowSettings): number {
  const kind = lights.kind[light];
  if (kind === LightKind.directional) return settings.cascades;
  return kind === LightKind.point || lights.outerConeAngle(light) > WIDEST_SPOT ? SIDES : 1;
}

/** Returns the number of sets of maps that a light has in a frame with `views` camera views. */
export function countSets(lights: LightStore, light: number, views: number): number {
  return lights.kind[light] === LightKind.directional ? views : 1;
}

const lightBasis = /* @__PURE__ */ new LightBasis();
const position = /* @__PURE__ */ new Float64Array(3);
const spheres: readonly CascadeSphere[] = /* @__PURE__ */ Array.from({ length: 4 }, () => ({
  center: new Float64Array(3),
  radius: 0,
}));

/**
 * Per frame and light: aims the light's shadow views at the places that it lights.
 *
 *   directional   a square around each part of the camera's view
 *   spot          its cone
 *   point         six sides of a cube
 *
 * @param views shadow views of all lights
 * @param shaded one entry per camera view of the frame
 */
export function aimShadowViews(
  views: readonly ShadowView[],
  { light, first, count, sets }: Caster,
  settings: ShadowSettings,
  shaded: readonly ShadedView[],
  { lights, nodes, renderOrigin }: Scene,
): void {
  const { world } = nodes;
  const matrix = (lights.node[light] as number) * 12;
  // Lights shine along −Z of their node.
  const x = -(world[matrix + 2] as number);
  const y = -(world[matrix + 6] as number);
  const z = -(world[matrix + 10] as number);
  if (x !== 0 || y !== 0 || z !== 0) lightBasis.lookAlong(x, y, z);
  if (lights.kind[light] === LightKind.directional) {
    for (let set = 0; set < sets; set++) {
      const { view, parameters, aspect, range } = shaded[set] as ShadedView;
      fitCascades(view, parameters, aspect, range, settings.distance, count, spheres);
      for (let cascade = 0; cascade < count; cascade++) {
        const { center, radius } = spheres[cascade] as CascadeSphere;
        const shadowView = views[first + set * count + cascade] as ShadowView;
        if (radius > 0) shadowView.aimAtSphere(lightBasis, center, radius);
        else shadowView.close();
      }
    }
    return;
  }
  for (let axis = 0; axis < 3; axis++) {
    position[axis] = (world[matrix + axis * 4 + 3] as number) - (renderOrigin[axis] as number);
  }
  const reach = Math.min(lights.range(light), settings.distance);
  if (count === 1) {
    const tangent = Math.tan(lights.outerConeAngle(light));
    (views[first] as ShadowView).aimFromPoint(lightBasis, position, tangent, reach);
    return;
  }
  for (let side = 0; side < SIDES; side++) {
    (views[first + side] as ShadowView).aimFromPoint(sides[side] as LightBasis, position, 1, reach);
  }
}
