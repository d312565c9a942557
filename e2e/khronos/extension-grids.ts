/** Makes grids of spheres whose materials use an extension of glTF, in image-based light and the light of a sun. */
import { Document, type Material } from '@gltf-transform/core';
import {
  KHRLightsPunctual,
  KHRMaterialsAnisotropy,
  KHRMaterialsClearcoat,
  KHRMaterialsIOR,
  KHRMaterialsIridescence,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
} from '@gltf-transform/extensions';
import { gridOf } from './sphere-grid.js';

interface Grid {
  /** Returns a function that gives a material the extension, by the share of its row and column, each from 0 to 1. */
  readonly dress: (document: Document) => (material: Material, row: number, column: number) => void;
  readonly baseColor: readonly [number, number, number];
  readonly metallic?: number;
  /** Roughness by column. Default 0.3. */
  readonly roughness?: (column: number) => number;
}

const GRIDS = {
  clearcoat: {
    baseColor: [0.6, 0.05, 0.05],
    roughness: () => 0.7,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsClearcoat);
      return (material, row, column) =>
        material.setExtension(
          'KHR_materials_clearcoat',
          extension
            .createClearcoat()
            .setClearcoatFactor(row)
            .setClearcoatRoughnessFactor(0.1 + column * 0.8),
        );
    },
  },
  ior: {
    baseColor: [0.05, 0.1, 0.3],
    roughness: (column) => 0.15 + column * 0.8,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsIOR);
      return (material, row) =>
        material.setExtension('KHR_materials_ior', extension.createIOR().setIOR(1 + row * 1.6));
    },
  },
  specular: {
    baseColor: [0.3, 0.3, 0.3],
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsSpecular);
      return (material, row, column) =>
        material.setExtension(
          'KHR_materials_specular',
          extension
            .createSpecular()
            .setSpecularFactor(row)
            .setSpecularColorFactor([1, column * 4, 0.2]),
        );
    },
  },
  anisotropy: {
    baseColor: [0.9, 0.6, 0.3],
    metallic: 1,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsAnisotropy);
      return (material, row, column) =>
        material.setExtension(
          'KHR_materials_anisotropy',
          extension
            .createAnisotropy()
            .setAnisotropyStrength(row)
            .setAnisotropyRotation((column * Math.PI) / 2),
        );
    },
  },
  iridescence: {
    baseColor: [0.4, 0.4, 0.4],
    roughness: () => 0.2,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsIridescence);
      return (material, row, column) =>
        material.setMetallicFactor(row).setExtension(
          'KHR_materials_iridescence',
          extension
            .createIridescence()
            .setIridescenceFactor(1)
            .setIridescenceIOR(1.3 + row * 0.4)
            .setIridescenceThicknessMaximum(150 + column * 600),
        );
    },
  },
  sheen: {
    baseColor: [0.2, 0.04, 0.04],
    roughness: () => 0.8,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsSheen);
      return (material, row, column) =>
        material.setExtension(
          'KHR_materials_sheen',
          extension
            .createSheen()
            .setSheenColorFactor([row, row * 0.8, row * 0.5])
            .setSheenRoughnessFactor(0.15 + column * 0.8),
        );
    },
  },
} satisfies Record<string, Grid>;

export type ExtensionName = keyof typeof GRIDS;
export const EXTENSIONS = Object.keys(GRIDS) as readonly ExtensionName[];

export function extensionGrid(name: ExtensionName): Promise<Buffer> {
  const { dress, baseColor, metallic = 0, roughness = () => 0.3 }: Grid = GRIDS[name];
  const document = new Document();
  const clothe = dress(document);
  const sun = document
    .createExtension(KHRLightsPunctual)
    .createLight()
    .setType('directional')
    .setIntensity(2);
  return gridOf(
    document,
    (row, column) => {
      const material = document
        .createMaterial()
        .setBaseColorFactor([...baseColor, 1])
        .setMetallicFactor(metallic)
        .setRoughnessFactor(roughness(column));
      clothe(material, row, column);
      return material;
    },
    (scene) =>
      scene.addChild(
        document
          .createNode()
          .setExtension('KHR_lights_punctual', sun)
          .setRotation(
            [-0.3, 0.35, 0.12, 0.88].map((value) => value / Math.hypot(0.3, 0.35, 0.12, 0.88)) as never,
          ),
      ),
    name === 'anisotropy',
  );
}
