/** Creates the components of `world.addLines`, `addPoints`, `addSprite` and `addText`, and exports the debug drawer. */

import { loadFont, TextComponent, type TextOptions } from '../text/text-component.js';
import { LinesComponent, type LinesOptions } from './lines-component.js';
import { PointsComponent, type PointsOptions } from './points-component.js';
import { SpriteComponent, type SpriteOptions } from './sprite-component.js';

export { DebugDrawer } from './debug-drawer.js';

export interface BillboardComponents {
  readonly lines: LinesComponent;
  readonly points: PointsComponent;
  readonly sprite: SpriteComponent;
  readonly text: TextComponent;
}

export interface BillboardOptions {
  readonly lines: LinesOptions;
  readonly points: PointsOptions;
  readonly sprite: SpriteOptions;
  readonly text: TextOptions;
}

export type BillboardKind = keyof BillboardComponents;

const FACTORIES: {
  readonly [Kind in BillboardKind]: (
    options: BillboardOptions[Kind],
  ) => BillboardComponents[Kind] | Promise<BillboardComponents[Kind]>;
} = {
  lines: (options) => new LinesComponent(options),
  points: (options) => new PointsComponent(options),
  sprite: (options) => new SpriteComponent(options),
  async text(options) {
    await loadFont(options?.font, options?.text);
    return new TextComponent(options);
  },
};

/** @throws OptionError */
export async function makeBillboard<Kind extends BillboardKind>(
  kind: Kind,
  options: BillboardOptions[Kind] | undefined,
): Promise<BillboardComponents[Kind]> {
  // Each constructor validates its own options.
  return FACTORIES[kind](options as BillboardOptions[Kind]);
}
