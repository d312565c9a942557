import { isInterpolated, unpackVaryings } from '../../proxy/materials/varying-types.js';

/** Location of the first varying. mesh.wgsl uses the locations before. */
const FIRST_LOCATION = 8;
const STRUCTURE = 'struct Varying {\n';

/**
 * Returns mesh.wgsl with the varyings of a custom shader as members `own0`, `own1` … of its structure `Varying`. The
 * custom shader copies them by name (`game/materials/shader-varyings.ts`).
 *
 * @param varyings types, as `packVaryings` returns them
 */
export function withVaryings(mesh: string, varyings: number): string {
  if (varyings === 0) return mesh;
  const members = unpackVaryings(varyings).map((type, index) => {
    const flat = isInterpolated(type) ? '' : '@interpolate(flat) ';
    return `@location(${FIRST_LOCATION + index}) ${flat}own${index}: ${type},\n`;
  });
  return mesh.replace(STRUCTURE, `${STRUCTURE}${members.join('')}`);
}
