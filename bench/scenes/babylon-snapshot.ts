/** Babylon.js in its fast snapshot mode: draws are recorded once and replayed, and only transforms are uploaded. */
import { createBabylonScene } from './babylon.js';

export const bench = createBabylonScene('babylon (snapshot)', true);
