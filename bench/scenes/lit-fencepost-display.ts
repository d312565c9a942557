/** B10 with this engine without high dynamic range: straight into the canvas, as PlayCanvas draws by default. */
import { sceneWith } from './lit-fencepost.js';

export const scene = sceneWith('fencepost-display', { hdr: false });
