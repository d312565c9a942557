/** Makes grids of spheres whose materials use an extension of glTF, in image-based light and the light of a sun. */
import { Document, type Material, type Scene } from '@gltf-transform/core';
import {
  KHRLightsPunctual,
  KHRMaterialsAnisotropy,
  KHRMaterialsClearcoat,
  KHRMaterialsDiffuseTransmission,
  KHRMaterialsDispersion,
  KHRMaterialsIOR,
  KHRMaterialsIridescence,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
  KHRMaterialsTransmission,
  KHRMaterialsVolume,
} from '@gltf-transform/extensions';
import { gridOf } from './sphere-grid.js';

interface Grid {
  /**
   * Returns a function that adds the extension to a material. `row` and `column` go from 0 to 1 and choose the
   * values.
   */
  readonly dress: (document: Document) => (material: Material, row: number, column: number) => void;
  readonly baseColor: readonly [number, number, number];
  readonly metallic?: number;
  /** Roughness by column. Default 0.3. */
  readonly roughness?: (column: number) => number;
  /** Set if a coloured wall stands behind the spheres. */
  readonly hasBackdrop?: true;
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
  transmission: {
    baseColor: [0.8, 0.9, 1],
    roughness: (column) => column,
    hasBackdrop: true,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsTransmission);
      return (material, row) =>
        material.setExtension(
          'KHR_materials_transmission',
          extension.createTransmission().setTransmissionFactor(0.25 + row * 0.75),
        );
    },
  },
  volume: {
    baseColor: [1, 1, 1],
    roughness: () => 0.1,
    hasBackdrop: true,
    dress: (document) => {
      const transmission = document.createExtension(KHRMaterialsTransmission);
      const volume = document.createExtension(KHRMaterialsVolume);
      const ior = document.createExtension(KHRMaterialsIOR);
      return (material, row, column) =>
        material
          .setExtension(
            'KHR_materials_transmission',
            transmission.createTransmission().setTransmissionFactor(1),
          )
          .setExtension(
            'KHR_materials_volume',
            volume
              .createVolume()
              .setThicknessFactor(column * 2)
              .setAttenuationColor([0.2, 0.8, 0.4])
              .setAttenuationDistance(2),
          )
          .setExtension('KHR_materials_ior', ior.createIOR().setIOR(1.1 + row * 0.6));
    },
  },
  dispersion: {
    baseColor: [1, 1, 1],
    roughness: () => 0,
    hasBackdrop: true,
    dress: (document) => {
      const transmission = document.createExtension(KHRMaterialsTransmission);
      const volume = document.createExtension(KHRMaterialsVolume);
      const dispersion = document.createExtension(KHRMaterialsDispersion);
      return (material, row, column) =>
        material
          .setExtension(
            'KHR_materials_transmission',
            transmission.createTransmission().setTransmissionFactor(1),
          )
          .setExtension('KHR_materials_volume', volume.createVolume().setThicknessFactor(0.2 + column))
          .setExtension('KHR_materials_dispersion', dispersion.createDispersion().setDispersion(row * 5));
    },
  },
  diffuseTransmission: {
    baseColor: [0.8, 0.8, 0.8],
    roughness: () => 0.5,
    dress: (document) => {
      const extension = document.createExtension(KHRMaterialsDiffuseTransmission);
      return (material, row, column) =>
        material.setExtension(
          'KHR_materials_diffuse_transmission',
          extension
            .createDiffuseTransmission()
            .setDiffuseTransmissionFactor(row)
            .setDiffuseTransmissionColorFactor([1, column, 0.2]),
        );
    },
  },
} satisfies Record<string, Grid>;

export type ExtensionName = keyof typeof GRIDS;
export const EXTENSIONS = Object.keys(GRIDS) as readonly ExtensionName[];

export function extensionGrid(name: ExtensionName): Promise<Buffer> {
  const { dress, baseColor, metallic = 0, roughness = () => 0.3, hasBackdrop }: Grid = GRIDS[name];
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
    (scene) => {
      scene.addChild(
        document
          .createNode()
          .setExtension('KHR_lights_punctual', sun)
          .setRotation(
            [-0.3, 0.35, 0.12, 0.88].map((value) => value / Math.hypot(0.3, 0.35, 0.12, 0.88)) as never,
          ),
      );
      if (hasBackdrop) addBackdrop(document, scene);
    },
    name === 'anisotropy',
  );
}

/** Colours of the backdrop's vertices, in turn, linear. */
const BACKDROP_COLORS = [
  [0.6, 0.1, 0.05],
  [0.5, 0.5, 0.5],
  [0.05, 0.2, 0.6],
  [0.05, 0.05, 0.05],
] as const;
/** Vertices of the backdrop in each direction. */
const BACKDROP_VERTICES = 9;

/**
 * Adds a matte wall of soft colours behind the spheres. The wall has no edges, because edges would differ between the
 * engine's picture of 192 pixels and the square of 1024 texels that the sample renderer stores.
 */
function addBackdrop(document: Document, scene: Scene): void {
  const [buffer] = document.getRoot().listBuffers();
  const positions: number[] = [];
  const normals: number[] = [];
  const colors: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row < BACKDROP_VERTICES; row++) {
    for (let column = 0; column < BACKDROP_VERTICES; column++) {
      const [x, y] = [column, row].map((place) => (place / (BACKDROP_VERTICES - 1) - 0.5) * 16);
      positions.push(x!, y!, -2);
      normals.push(0, 0, 1);
      colors.push(...BACKDROP_COLORS[(column + row * 3) % BACKDROP_COLORS.length]!);
      if (row === 0 || column === 0) continue;
      const at = row * BACKDROP_VERTICES + column;
      const [left, below] = [at - 1, at - BACKDROP_VERTICES];
      indices.push(below - 1, below, at, below - 1, at, left);
    }
  }
  const accessor = (values: number[]) =>
    document.createAccessor().setBuffer(buffer!).setType('VEC3').setArray(new Float32Array(values));
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor(positions))
    .setAttribute('NORMAL', accessor(normals))
    .setAttribute('COLOR_0', accessor(colors))
    .setIndices(document.createAccessor().setBuffer(buffer!).setArray(new Uint16Array(indices)))
    .setMaterial(document.createMaterial().setMetallicFactor(0).setRoughnessFactor(1));
  scene.addChild(document.createNode().setMesh(document.createMesh().addPrimitive(primitive)));
}
