/** What `world.addLines` and the like load. */
export { LinesComponent } from './lines-component.js';
export { PointsComponent } from './points-component.js';
export { SpriteComponent } from './sprite-component.js';
