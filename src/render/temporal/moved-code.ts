import motionCode from '../../../shaders/motion.wgsl?raw';
import deformedCode from '../../../shaders/motion-deformed.wgsl?raw';

/**
 * Turns off WGSL's check that derivatives are in uniform control flow. The check assumes that a private variable may
 * differ between neighbouring pixels. The private variable `view` is the same in all pixels.
 */
const UNIFORMITY = 'diagnostic(off, derivative_uniformity);\n';

/**
 * Returns a mesh shader that places each vertex twice: as it was in the last frame, and as it is in this frame.
 * Functions of WGSL cannot take buffers as arguments. So this function replaces the names by which the mesh shader
 * reads the view, its primitive, joints and weights. The new names are variables and functions that switch between both
 * frames.
 *
 *   var<uniform> view            ─► currentView,       var<private> view
 *   primitives[slot]             ─► currentPrimitives, var<private> posed
 *   palettes[…], morphs[…]       ─► paletteRow(…), morphWord(…)
 *
 * @param mesh WGSL of the mesh shader and of `isFadedOut`
 * @param isDeformed whether the vertex policy is one of `deformers/`
 */
export function movedCode(mesh: string, isDeformed: boolean): string {
  const code = mesh
    .replace('var<uniform> view: View;', 'var<uniform> currentView: View;\nvar<private> view: View;')
    .replace(
      'primitives: array<Primitive>;',
      'currentPrimitives: array<Primitive>;\nvar<private> posed: Primitive;',
    )
    .replaceAll('primitives[slot]', 'posed')
    .replace(/\bpalettes\[([^\]]+)\]/g, 'paletteRow($1)')
    .replace(/\bmorphs\[([^\]]+)\]/g, 'morphWord($1)')
    .replace('struct Varying {\n', 'struct Varying {\n  @location(15) before: vec4f,\n');
  return `${UNIFORMITY}${code}${motionCode}${isDeformed ? deformedCode : ''}`;
}
