/** Builds the skins of a file: their joints, which are nodes, and the matrices from mesh space to joint space. */
import type { Document, Node, Skin } from '@gltf-transform/core';
import type { SkinDescription } from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { accessorFloats } from './accessor-floats.js';

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/**
 * Builds the skins. A faulty skin becomes null with a warning, as does a skin with a joint outside of the scene.
 * @param indexOf indices of the scene's nodes
 */
export function buildSkins(
  document: Document,
  indexOf: ReadonlyMap<Node, number>,
  file: string,
  warnings: string[],
): (SkinDescription | null)[] {
  const skins = document.getRoot().listSkins();
  return skins.map((skin, index) =>
    orWarn(warnings, 'The skin is left out.', null, () =>
      buildSkin(skin, `skins[${index}]`, indexOf, file, warnings),
    ),
  );
}

function buildSkin(
  skin: Skin,
  jsonPath: string,
  indexOf: ReadonlyMap<Node, number>,
  file: string,
  warnings: string[],
): SkinDescription | null {
  const nodes = skin.listJoints();
  // `gltf-optional.ts` has removed the joints of a faulty skin with a warning.
  if (nodes.length === 0) return null;
  const joints = nodes.map((node) => indexOf.get(node));
  if (joints.includes(undefined)) {
    warnings.push(`"${file}", ${jsonPath}: It has a joint that is not in the scene, and is left out.`);
    return null;
  }
  const matrices = new Float32Array(nodes.length * 12);
  const accessor = skin.getInverseBindMatrices();
  const columns = accessor && accessorFloats(accessor, [16], file, `${jsonPath}.inverseBindMatrices`);
  if (columns && columns.length < nodes.length * 16) {
    throw invalidGltf(
      file,
      `${jsonPath}.inverseBindMatrices`,
      `It has ${columns.length / 16} matrices for ${nodes.length} joints.`,
    );
  }
  for (let joint = 0; joint < nodes.length; joint++) {
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        const value = columns
          ? (columns[joint * 16 + column * 4 + row] as number)
          : (IDENTITY[row * 4 + column] as number);
        if (!Number.isFinite(value)) {
          throw invalidGltf(file, `${jsonPath}.inverseBindMatrices`, 'It has a number that is not finite.');
        }
        matrices[joint * 12 + row * 4 + column] = value;
      }
    }
  }
  return { joints: joints as number[], matrices };
}
