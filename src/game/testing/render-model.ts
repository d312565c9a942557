/**
 * A model of the render side, built from the decoded records of a stream. It is stricter than the renderer: a
 * record may only refer to objects that the same stream has created and not destroyed. For tests only.
 *
 *   records ─► apply ─► RenderModel { nodes, geometries, textures, materials, primitives, lights, view }
 *                        ├─ snapshot()  with ids: equal for two streams of one world
 *                        └─ scene()     without ids: equal for two worlds that show the same scene
 */
import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID } from '../../proxy/commands.js';
import { type RenderRecord, unpackPlaces, unpackTransforms } from './test-world.js';

type Values = Readonly<Record<string, unknown>>;

/** Images of tests: ArrayBuffers, or objects with a description of their pixels. */
type Image = ArrayBuffer | { readonly pixels?: string };

const KINDS = ['nodes', 'geometries', 'textures', 'materials', 'primitives', 'lights'] as const;
type Kind = (typeof KINDS)[number];
type Things = Map<number, Values>;

const DESTRUCTIONS: Readonly<Partial<Record<RenderRecord['name'], Kind>>> = {
  destroyNode: 'nodes',
  destroyGeometry: 'geometries',
  destroyTexture: 'textures',
  destroyMaterial: 'materials',
  destroyPrimitive: 'primitives',
  destroyLight: 'lights',
};

export class RenderModel implements Readonly<Record<Kind, Things>> {
  readonly nodes: Things = new Map();
  readonly geometries: Things = new Map();
  readonly textures: Things = new Map();
  readonly materials: Things = new Map();
  readonly primitives: Things = new Map();
  readonly lights: Things = new Map();
  view: Values | null = null;
  readonly #onImage: (image: Image) => void;

  /** @param onImage called with every image that arrives */
  constructor(onImage: (image: Image) => void = () => {}) {
    this.#onImage = onImage;
  }

  /** Applies records to the model. @param reader reader from which the records' attachments are taken */
  apply(records: readonly RenderRecord[], reader: StreamReader): this {
    for (const record of records) this.#apply(record, reader);
    return this;
  }

  #apply(record: RenderRecord, reader: StreamReader): void {
    const destroyed = DESTRUCTIONS[record.name];
    if (destroyed) {
      const [id] = Object.values(record.values) as [number];
      this.#known(destroyed, id);
      this[destroyed].delete(id);
      return;
    }
    switch (record.name) {
      case 'createNode': {
        const { node, parent } = record.values;
        if (this.nodes.has(node)) throw new Error(`node ${node} is created twice`);
        if (parent !== NO_ID) this.#known('nodes', parent);
        this.nodes.set(node, { parent });
        return;
      }
      case 'attachNode': {
        const { node, parent } = record.values;
        for (let up = parent; up !== NO_ID; up = this.#known('nodes', up).parent as number) {
          if (up === node) throw new Error(`node ${node} is attached to itself`);
        }
        this.nodes.set(node, { ...this.#known('nodes', node), parent });
        return;
      }
      case 'nodeTransforms': {
        for (const [node, transform] of unpackTransforms(record.values.transforms)) {
          this.nodes.set(node, { ...this.#known('nodes', node), transform });
        }
        return;
      }
      case 'nodePlaces': {
        for (const [node, transform] of unpackPlaces(record.values.places)) {
          this.nodes.set(node, { ...this.#known('nodes', node), transform });
        }
        return;
      }
      case 'createGeometry': {
        const { data, geometry, ...rest } = record.values;
        if (this.geometries.has(geometry)) throw new Error(`geometry ${geometry} is created twice`);
        this.geometries.set(geometry, { ...rest, bytes: describe(reader.attachment(data) as Image) });
        return;
      }
      case 'createTexture': {
        const { image, texture, ...rest } = record.values;
        if (this.textures.has(texture)) throw new Error(`texture ${texture} is created twice`);
        const arrived = reader.attachment(image) as Image;
        this.#onImage(arrived);
        this.textures.set(texture, { ...rest, pixels: describe(arrived) });
        return;
      }
      case 'setMaterial': {
        const { material, flags } = record.values;
        const textures = Array.from(record.values.textures);
        for (const texture of textures) if (texture !== NO_ID) this.#known('textures', texture);
        this.materials.set(material, { flags, textures, parameters: Array.from(record.values.parameters) });
        return;
      }
      case 'createPrimitive': {
        const { primitive, ...rest } = record.values;
        this.#checkPrimitive(rest);
        this.primitives.set(primitive, rest);
        return;
      }
      case 'updatePrimitive': {
        const { primitive, ...rest } = record.values;
        const changed = { ...this.#known('primitives', primitive), ...rest };
        this.#checkPrimitive(changed);
        this.primitives.set(primitive, changed);
        return;
      }
      case 'setLight': {
        const { light, ...rest } = record.values;
        this.#known('nodes', rest.node);
        this.lights.set(light, rest);
        return;
      }
      case 'setView':
        this.#known('nodes', record.values.camera);
        this.view = record.values;
        return;
      case 'clearView':
        this.view = null;
        return;
      default:
        throw new Error(`a world sends no ${record.name}`);
    }
  }

  #checkPrimitive({ node, geometry, material }: Values): void {
    this.#known('nodes', node as number);
    this.#known('geometries', geometry as number);
    this.#known('materials', material as number);
  }

  #known(kind: Kind, id: number): Values {
    const thing = this[kind].get(id);
    if (!thing) throw new Error(`${kind} ${id} is named, but this stream has not created it`);
    return thing;
  }

  /** Returns all objects by id, in an order that does not depend on the order of creation. */
  snapshot(): unknown {
    const sorted = KINDS.map((kind) => [kind, [...this[kind]].sort(([a], [b]) => a - b)] as const);
    return { ...Object.fromEntries(sorted), view: this.view };
  }

  /** Returns the scene without ids: each object with all objects that it refers to, in alphabetical order. */
  scene(): unknown {
    const node = (id: unknown): unknown => {
      if (id === NO_ID) return null;
      const { parent, transform } = this.#known('nodes', id as number);
      return { transform, parent: node(parent) };
    };
    const material = (id: unknown): unknown => {
      const { textures, ...rest } = this.#known('materials', id as number);
      return { ...rest, textures: (textures as number[]).map((each) => this.textures.get(each) ?? null) };
    };
    const listed = (things: Iterable<unknown>) => Array.from(things, (each) => JSON.stringify(each)).sort();
    return {
      nodes: listed(Array.from(this.nodes.keys(), node)),
      primitives: listed(
        Array.from(this.primitives.values(), (each) => ({
          flags: each.flags,
          node: node(each.node),
          geometry: this.#known('geometries', each.geometry as number),
          material: material(each.material),
        })),
      ),
      lights: listed(Array.from(this.lights.values(), (each) => ({ ...each, node: node(each.node) }))),
      view: this.view && { ...this.view, camera: node(this.view.camera) },
      geometries: listed(this.geometries.values()),
      materials: listed(Array.from(this.materials.keys(), material)),
      textures: listed(this.textures.values()),
    };
  }
}

/** Returns a string that identifies the data of tests. */
function describe(image: Image): string {
  if (!(image instanceof ArrayBuffer)) return image.pixels ?? 'an image';
  const bytes = new Uint8Array(image);
  let sum = 0;
  for (const byte of bytes) sum = (sum * 31 + byte) >>> 0;
  return `${bytes.length} bytes, ${sum}`;
}
