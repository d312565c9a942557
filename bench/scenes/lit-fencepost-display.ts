/** B10 with this engine without high dynamic range: it draws straight into the canvas, like PlayCanvas by default. */
import { sceneWith } from './lit-fencepost.js';

export const scene = sceneWith('fencepost-display', { hdr: false });
