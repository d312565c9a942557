/** Babylon.js in its fast snapshot mode: draws recorded once and replayed, only transforms uploaded. */
import { createBabylonScene } from './babylon.js';

export const bench = createBabylonScene('babylon (snapshot)', true);
