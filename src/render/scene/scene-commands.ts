import { stringAt } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import type { GeometryCreation, GeometryStore } from '../geometry/geometry-store.js';
import type { MaterialTable } from '../materials/material-table.js';
import type { Scene } from './scene.js';
import { readLens } from './view-parameters.js';

/**
 * Executes the game's commands for the scene: nodes, primitives, lights, the active camera, geometry,
 * materials, textures. It changes only the scene and its stores. Only the removal of a render texture records RHI
 * commands at once.
 */
export class SceneCommands {
  readonly #scene: Scene;
  readonly #geometries: GeometryStore;
  readonly #materials: MaterialTable;

  constructor(scene: Scene, geometries: GeometryStore, materials: MaterialTable) {
    this.#scene = scene;
    this.#geometries = geometries;
    this.#materials = materials;
  }

  /**
   * Per command: executes the reader's current record.
   * @returns false if the record is not a command for the scene
   */
  execute(reader: StreamReader): boolean {
    const { words, floats, fields: at, opcode } = reader;
    const scene = this.#scene;
    const id = words[at] as number;
    const second = words[at + 1] as number;
    switch (opcode) {
      case RenderOpcode.nodeTransforms:
        // `id` is the length of the padding. The length of the transforms follows the padding.
        scene.nodes.setTransforms(words, at + 2 + id, words[at + 1 + id] as number);
        break;
      case RenderOpcode.nodePlaces:
        scene.nodes.setPlaces(words, floats, at + 2 + id, words[at + 1 + id] as number);
        break;
      case RenderOpcode.createNode:
        scene.createNode(id, second);
        break;
      case RenderOpcode.attachNode:
        scene.attachNode(id, second);
        break;
      case RenderOpcode.destroyNode:
        scene.destroyNode(id);
        break;
      case RenderOpcode.createPrimitive:
        scene.createPrimitive(
          id,
          second,
          words[at + 2] as number,
          words[at + 3] as number,
          words[at + 4] as number,
          words[at + 5] as number,
        );
        break;
      case RenderOpcode.updatePrimitive:
        scene.updatePrimitive(id, second, words[at + 2] as number, words[at + 3] as number);
        break;
      case RenderOpcode.destroyPrimitive:
        scene.destroyPrimitive(id);
        break;
      case RenderOpcode.setLight:
        scene.lights.set(id, second, words[at + 2] as number, words[at + 3] as number, floats, at + 4);
        break;
      case RenderOpcode.destroyLight:
        scene.lights.destroy(id);
        break;
      case RenderOpcode.setView:
        readLens(reader, at, scene.view);
        break;
      case RenderOpcode.clearView:
        scene.view.node = -1;
        break;
      case RenderOpcode.setMaterial:
        this.#setMaterial(reader);
        break;
      case RenderOpcode.destroyMaterial:
        this.#materials.destroy(id);
        break;
      case RenderOpcode.createGeometry:
        this.#createGeometry(reader);
        break;
      case RenderOpcode.updateGeometry: {
        const wasFlat = this.#geometries.isFlat(id);
        this.#geometries.update(id, second, words, at + 9, words[at + 8] as number);
        this.#geometries.setBounds(id, floats, at + 2);
        // Blended solids and blended flat geometries have different pipelines.
        if (this.#geometries.isFlat(id) === wasFlat) scene.geometryReshaped(id);
        else scene.geometryChanged(id);
        break;
      }
      case RenderOpcode.destroyGeometry:
        this.#geometries.destroy(id);
        scene.deformers?.destroyGeometry(id);
        scene.geometryChanged(id);
        break;
      case RenderOpcode.createTexture:
        this.#materials.textures?.images.create(reader);
        break;
      case RenderOpcode.updateTexture:
        this.#materials.textures?.images.update(reader);
        break;
      case RenderOpcode.createRenderTexture:
        this.#materials.textures?.images.createTarget(reader);
        break;
      case RenderOpcode.destroyTexture:
        this.#materials.textures?.images.destroy(id);
        break;
      default:
        return false;
    }
    return true;
  }

  #setMaterial({ words, floats, fields: at }: StreamReader): void {
    const material = words[at] as number;
    const textureCount = words[at + 2] as number;
    const parameters = at + 3 + textureCount;
    this.#materials.set(
      material,
      words[at + 1] as number,
      words,
      at + 3,
      textureCount,
      floats,
      parameters + 1,
      words[parameters] as number,
    );
  }

  #createGeometry(reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const geometry = words[at + 1] as number;
    const creation: GeometryCreation = {
      geometry,
      label: stringAt(words, at, 12),
      vertexFormat: words[at + 2] as number,
      topology: words[at + 3] as number,
      vertexCount: words[at + 4] as number,
      indexCount: words[at + 5] as number,
    };
    this.#geometries.create(creation, reader.attachment(words[at] as number) as ArrayBuffer);
    this.#geometries.setBounds(geometry, floats, at + 6);
    this.#scene.deformers?.destroyGeometry(geometry);
    this.#scene.geometryChanged(geometry);
  }
}
