import { LightKind } from '../../proxy/commands.js';
import type { LightStore } from '../lights/light-store.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from '../views/view.js';
import { type CascadeSphere, fitCascades } from './fit-cascades.js';
import { LightBasis } from './light-basis.js';
import type { ShadowView } from './shadow-view.js';
import type { VisibleRange } from './visible-range.js';

/** See the render command `setShadow`. */
export interface ShadowSettings {
  readonly mapSize: number;
  readonly cascades: number;
  readonly distance: number;
  readonly softness: number;
}

/** The part of the scene that a camera sees, for lights that shade all of it. */
export interface ShadedView {
  view: View;
  parameters: ViewParameters;
  /** Width over height of the area that the view is drawn for. */
  aspect: number;
  readonly range: VisibleRange;
}

/** A light that casts shadows, and its views: from index `first` on, `count` of them that belong together, `sets` times. */
export interface Caster {
  readonly light: number;
  readonly first: number;
  readonly count: number;
  /** A directional light has cascades for each camera's view; the others have one set. */
  readonly sets: number;
}

/** A spot light that is wider than this, in radians from its axis, is drawn on the six sides of a cube, as a point light is. */
const WIDEST_SPOT = 1.05;
const SIDES = 6;

/** In the order of `sideOf` in shadows.wgsl. */
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

/** How many maps the light has for a camera's view. */
export function countViews(lights: LightStore, light: number, settings: ShadowSettings): number {
  const kind = lights.kind[light];
  if (kind === LightKind.directional) return settings.cascades;
  return kind === LightKind.point || lights.outerConeAngle(light) > WIDEST_SPOT ? SIDES : 1;
}

/** For how many of `views` a light has maps of their own. */
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
 * Per frame and light: turns its shadow views to where it shines.
 *
 *   directional   a square around each part of what a camera sees
 *   spot          its cone
 *   point         six sides of a cube
 *
 * @param views of all lights
 * @param shaded what each camera sees
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
