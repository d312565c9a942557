/**
 * Loads a glTF 2.0 file as plain data, on any thread and without a DOM. Each geometry and each material is built once,
 * even if many nodes use it.
 *
 *   source ─► AssetFiles ─► glTF-Transform Document ─► nodes, geometries, materials ─┐
 *                                                  └─► requested textures ─ decode ──┴─► SceneDescription
 */
import type { Document, Material, Node, Primitive, Skin } from '@gltf-transform/core';
import { TimelineEvent } from '../../core/events/event-ring.js';
import { closeImages } from '../../proxy/images/close-images.js';
import type {
  AssetSource,
  ClipDescription,
  GeometryDescription,
  MaterialDescription,
  NodeDescription,
  SceneDescription,
  SkinDescription,
  TextureDescription,
} from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { AssetFiles } from '../asset-files.js';
import { noDecoder } from '../decoders/decoders.js';
import { MORPH_SEMANTICS, VERTEX_SEMANTICS } from '../gltf/attribute-semantics.js';
import { readEnvironmentLight } from '../gltf/environment-lights.js';
import { GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';
import { asAssetError, readGltf } from '../gltf/gltf-reader.js';
import { decodeWithBrowser } from '../textures/image-decoder.js';
import type { AssetLoadOptions } from '../textures/load-options.js';
import { fileOf, TextureSet } from '../textures/texture-set.js';
import { buildClips } from './clip-builder.js';
import { buildGeometry } from './geometry-builder.js';
import { buildMaterial, DEFAULT_MATERIAL, withTextures } from './material-builder.js';
import { readVariantMaterials, readVariants } from './material-variants.js';
import { type BuiltNodes, buildNodes, lightNumber } from './node-builder.js';
import { measureLods } from './node-lods.js';
import type { PointerScene } from './pointer-targets.js';
import { buildSkins } from './skin-builder.js';

/** Loads a scene. @throws AssetError for a faulty or missing file; the signal's reason after an abort */
export async function loadScene(
  source: AssetSource,
  options: AssetLoadOptions = {},
): Promise<SceneDescription> {
  const { signal, onProgress, events, number = 0, onWork = () => {}, loadDecoder = noDecoder } = options;
  signal?.throwIfAborted();
  const failure = new AbortController();
  const files = new AssetFiles(source, {
    fetch: options.fetch,
    signal: signal ? AbortSignal.any([signal, failure.signal]) : failure.signal,
    onProgress,
  });
  const warnings = files.warnings;
  try {
    const reading = events?.begin(TimelineEvent.read, 0) ?? 0;
    const { document, json, missing } = await readGltf(files, { signal, warnings, loadDecoder, onWork });
    files.finishReading();
    events?.end(TimelineEvent.read, 0, reading, number);
    onWork();
    const building = events?.begin(TimelineEvent.build, 0) ?? 0;
    const builder = new SceneBuilder(
      document,
      json as unknown as JsonObject,
      files.mainName,
      warnings,
      onWork,
    );
    const built = builder.buildNodes();
    const clips = builder.buildClips(built);
    const skinned = builder.buildSkins(built);
    events?.end(TimelineEvent.build, 0, building, number);
    const decoding = events?.begin(TimelineEvent.decode, 0) ?? 0;
    const decodeImage = options.decodeImage ?? decodeWithBrowser;
    const { mainName: file } = files;
    const { deviceFeatures = [] } = options;
    const context = { decodeImage, loadDecoder, deviceFeatures, file, missing, warnings, signal };
    const environment = builder.readEnvironment(missing);
    const decoded = await builder.textures.decode(context);
    events?.end(TimelineEvent.decode, 0, decoding, number);
    return builder.finish({ ...skinned, environment }, clips, decoded);
  } catch (error) {
    failure.abort();
    signal?.throwIfAborted();
    throw asAssetError(error, files.mainName);
  }
}

/** Returns the buffers and images that are transferred instead of copied when a scene is posted to another thread. */
export function sceneTransferables(scene: SceneDescription): Transferable[] {
  return [
    ...scene.geometries.flatMap(({ data, morph }) => (morph ? [data, morph.deltas] : [data])),
    ...scene.textures.map(({ image }) => image),
    ...scene.clips.flatMap(({ tracks, floats }) => [tracks.buffer, floats.buffer] as ArrayBuffer[]),
  ];
}

/** Builds the geometries and materials that nodes use, each once. */
class SceneBuilder {
  readonly textures: TextureSet;
  readonly #geometries: GeometryDescription[] = [];
  readonly #materials: MaterialDescription[] = [];
  readonly #materialNumbers = new Map<string, number>();
  readonly #geometryOf = new Map<string, { geometry: number; isUnlit: boolean } | null>();
  readonly #primitivesOf = new Map<unknown, NodeDescription['primitives']>();
  readonly #meshesJson: readonly JsonObject[];
  readonly #materialsJson: readonly JsonObject[];
  readonly #variants: readonly string[];
  readonly #meshNumbers: ReadonlyMap<unknown, number>;
  readonly #accessorNumbers: ReadonlyMap<unknown, number>;
  readonly #materialIndices: ReadonlyMap<unknown, number>;
  readonly #onWork: () => void;

  constructor(
    readonly document: Document,
    readonly json: JsonObject,
    readonly file: string,
    readonly warnings: string[],
    onWork: () => void,
  ) {
    this.#onWork = onWork;
    const checks = new GltfChecks(file);
    const root = document.getRoot();
    this.textures = new TextureSet(root.listTextures(), json);
    this.#meshesJson = checks.objects(json, 'meshes');
    this.#variants = readVariants(json, file, warnings);
    this.#materialsJson = checks.objects(json, 'materials');
    this.#meshNumbers = numbered(root.listMeshes());
    this.#accessorNumbers = numbered(root.listAccessors());
    this.#materialIndices = numbered(root.listMaterials());
  }

  buildNodes(): BuiltNodes {
    const { document, json, file, warnings } = this;
    const skinNumbers = numbered(document.getRoot().listSkins()) as ReadonlyMap<Skin, number>;
    const primitivesOf = (node: Node): NodeDescription['primitives'] => this.#primitives(node);
    const built = buildNodes({ document, json, file, warnings, skinNumbers, primitivesOf });
    measureLods(built.nodes, this.#geometries);
    return built;
  }

  /** Reads the file's environment light. */
  readEnvironment(missing: ReadonlyMap<string, Error>): SceneDescription['environment'] {
    const { document, json, file, warnings } = this;
    const textures = document.getRoot().listTextures();
    return readEnvironmentLight({
      json,
      file,
      warnings,
      fileOf: (image) => {
        const texture = textures[image];
        return texture && fileOf(texture, missing);
      },
    });
  }

  /** Builds the skins. A node loses its skin if the skin is left out or has too few joints for the node's mesh. */
  buildSkins({ nodes, indexOf }: BuiltNodes): Pick<SceneDescription, 'nodes' | 'skins'> {
    const { document, file, warnings } = this;
    const all = buildSkins(document, indexOf, file, warnings);
    const skins = all.filter((skin) => skin !== null);
    const renumbered = all.map((skin) => (skin ? skins.indexOf(skin) : undefined));
    const withSkins = nodes.map(({ skin: number, ...node }) => {
      const skin = number === undefined ? undefined : renumbered[number];
      if (skin === undefined) return node;
      const hasJoints = orWarn(warnings, 'It is shown without its skin.', false, () =>
        this.#checkJoints(node, skins[skin] as SkinDescription),
      );
      return hasJoints ? { ...node, skin } : node;
    });
    return { nodes: withSkins, skins };
  }

  #checkJoints({ name, primitives }: NodeDescription, { joints }: SkinDescription): true {
    for (const { geometry } of primitives) {
      const count = (this.#geometries[geometry]?.jointBoxes?.length ?? 0) / 6;
      if (count <= joints.length) continue;
      const text = `A vertex uses joint ${count - 1}, but its skin has ${joints.length} joints.`;
      throw invalidGltf(this.file, `the mesh of "${name}"`, text);
    }
    return true;
  }

  buildClips(built: BuiltNodes): ClipDescription[] {
    const { document, json, file, warnings } = this;
    const checks = new GltfChecks(file);
    const nodesJson = checks.objects(json, 'nodes');
    const nodesWith = (matches: (node: JsonObject) => boolean): number[] => {
      const all = document.getRoot().listNodes();
      return all.flatMap((node, number) => {
        const index = built.indexOf.get(node);
        return index !== undefined && matches(nodesJson[number] ?? {}) ? [index] : [];
      });
    };
    const pointers: PointerScene = {
      checks,
      json,
      // A material can exist twice, because points and lines without normals use an unlit copy.
      materialsOf: (material) =>
        [false, true].flatMap((isUnlit) => this.#materialNumbers.get(`${material}/${isUnlit}`) ?? []),
      nodesWithLight: (light) => nodesWith((node) => lightNumber(node) === light),
      nodesAt: (number) => {
        const node = document.getRoot().listNodes()[number];
        const index = node && built.indexOf.get(node);
        return index === undefined ? [] : [index];
      },
      nodesWithCamera: (camera) => nodesWith((node) => node.camera === camera),
    };
    return buildClips(document, { built, file, warnings, pointers }, this.#onWork);
  }

  /** Assembles the scene with the textures that could be decoded. */
  finish(
    { nodes, skins, environment }: Pick<SceneDescription, 'nodes' | 'skins' | 'environment'>,
    clips: readonly ClipDescription[],
    decoded: readonly (TextureDescription | null)[],
  ): SceneDescription {
    try {
      const numbers: (number | undefined)[] = [];
      const textures: TextureDescription[] = [];
      for (const texture of decoded) {
        numbers.push(texture ? textures.length : undefined);
        if (texture) textures.push(texture);
      }
      const name = this.document.getRoot().getDefaultScene()?.getName();
      return {
        name: String(name || fileName(this.file)),
        nodes,
        geometries: this.#geometries,
        materials: this.#materials.map((material) => withTextures(material, numbers)),
        textures,
        clips,
        skins,
        variants: this.#variants,
        environment,
        warnings: [...new Set(this.warnings)],
      };
    } catch (error) {
      closeImages(decoded);
      throw error;
    }
  }

  #primitives(node: Node): NodeDescription['primitives'] {
    const mesh = node.getMesh();
    if (!mesh) return [];
    let primitives = this.#primitivesOf.get(mesh);
    if (!primitives) {
      const index = this.#meshNumbers.get(mesh) ?? 0;
      const label = String(mesh.getName() || `meshes[${index}]`);
      const all = mesh.listPrimitives();
      primitives = all.flatMap((primitive, i) => {
        const primitiveLabel = all.length > 1 ? `${label} ${i}` : label;
        return this.#primitive(primitive, primitiveLabel, index, i);
      });
      this.#primitivesOf.set(mesh, primitives);
    }
    return primitives;
  }

  #primitive(
    primitive: Primitive,
    label: string,
    mesh: number,
    index: number,
  ): NodeDescription['primitives'] {
    const jsonPath = `meshes[${mesh}].primitives[${index}]`;
    const key = this.#geometryKey(primitive);
    let built = this.#geometryOf.get(key);
    if (built === undefined) {
      const result = buildGeometry(primitive, label, this.file, jsonPath, this.warnings);
      built = result && { geometry: this.#geometries.length, isUnlit: result.isUnlit };
      if (result) this.#geometries.push(result.geometry);
      this.#onWork();
      this.#geometryOf.set(key, built);
    }
    if (!built) {
      this.warnings.push(
        `"${this.file}", ${jsonPath}: It has no vertices that can be read, and is left out.`,
      );
      return [];
    }
    const { geometry, isUnlit } = built;
    const material = this.#material(primitive.getMaterial(), isUnlit);
    const inFile = (this.#meshesJson[mesh]?.primitives as JsonObject[] | undefined)?.[index];
    const others = readVariantMaterials(
      inFile,
      jsonPath,
      this.#materialsJson.length,
      this.#variants.length,
      this.file,
      this.warnings,
    );
    if (others.size === 0) return [{ geometry, material }];
    const all = this.document.getRoot().listMaterials();
    const variants = new Map(
      [...others].map(([variant, number]) => [variant, this.#material(all[number] ?? null, isUnlit)]),
    );
    return [{ geometry, material, variants }];
  }

  /** Returns the key of a geometry. Primitives with the same mode and accessors share their geometry. */
  #geometryKey(primitive: Primitive): string {
    const number = (accessor: unknown) => this.#accessorNumbers.get(accessor);
    const attributes = VERTEX_SEMANTICS.map((name) => number(primitive.getAttribute(name)));
    const targets = primitive
      .listTargets()
      .map((target) => MORPH_SEMANTICS.map((name) => number(target.getAttribute(name))));
    return `${primitive.getMode()} ${number(primitive.getIndices())} ${attributes.join(' ')} ${targets.join(' ')}`;
  }

  #material(material: Material | null, isUnlit: boolean): number {
    const index = material ? (this.#materialIndices.get(material) ?? 0) : -1;
    const key = `${index}/${isUnlit}`;
    let number = this.#materialNumbers.get(key);
    if (number === undefined) {
      const jsonPath = `materials[${index}]`;
      const description = material
        ? buildMaterial(
            material,
            this.#materialsJson[index] ?? {},
            this.textures,
            this.file,
            jsonPath,
            this.warnings,
          )
        : DEFAULT_MATERIAL;
      number = this.#materials.length;
      this.#materials.push(isUnlit ? { ...description, unlit: true } : description);
      this.#materialNumbers.set(key, number);
    }
    return number;
  }
}

/** Returns the last part of a path or address. */
function fileName(path: string): string {
  return (
    path
      .replace(/[?#].*$/, '')
      .split(/[/\\]/)
      .pop() || path
  );
}

function numbered(items: readonly unknown[]): ReadonlyMap<unknown, number> {
  return new Map(items.map((item, index) => [item, index]));
}
