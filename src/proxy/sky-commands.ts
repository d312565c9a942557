/** The fields of the command for skies, for `command-table.ts`. */
import type { RecordFields } from '../core/records/record-table.js';

export const skyCommands = {
  /**
   * Sets the numbers of the atmosphere. The next `setEnvironment` shows the atmosphere, and lights the scene by it.
   * - `turbidity`: optical depth of air and haze, as a multiple of the optical depth of air
   * - `groundRed` to `groundBlue`: linear colour of the ground
   * - `sunRed` to `sunBlue`: light of the sun on a surface on the ground that faces it, in lux of the scene
   * - `stars`: brightness of the stars; 0: there are none
   * - `starRows`: rows of the 3×3 matrix from a direction in the world to a direction among the stars
   */
  setSky: {
    turbidity: 'f32',
    groundRed: 'f32',
    groundGreen: 'f32',
    groundBlue: 'f32',
    sunRed: 'f32',
    sunGreen: 'f32',
    sunBlue: 'f32',
    stars: 'f32',
    starRows: 'f32[]',
  },
} as const satisfies Readonly<Record<string, RecordFields>>;
