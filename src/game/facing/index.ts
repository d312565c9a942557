/** What `world.addLines` and the like load. */
export { DebugDrawer } from './debug-drawer.js';
export { LinesComponent } from './lines-component.js';
export { PointsComponent } from './points-component.js';
export { SpriteComponent } from './sprite-component.js';
export { loadFont, TextComponent } from './text-component.js';
