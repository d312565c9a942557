/**
 * The geometries, materials and textures that the worlds of an engine have sent. Geometries and materials
 * know nothing of worlds. The registry allocates an id on first use and counts users. It sends a destruction
 * at the end of a frame if the count has fallen to 0. Textures have a registry of their own.
 *
 *   Geometry ─► id, users        first use: createGeometry + a copy of its bytes      users 0: destroyGeometry
 *   Material ─► id, users        first use or change: setMaterial                     users 0: destroyMaterial
 */
import { messageOf, SceneError } from '../../core/errors.js';
import { IdAllocator } from '../../core/id-allocator.js';
import { DRAWN_TOPOLOGIES, NO_ID, RenderOpcode } from '../../proxy/commands.js';
import {
  MATERIAL_FLOATS,
  MaterialOffset,
  TEXTURE_SLOT_COUNT,
} from '../../proxy/materials/material-layout.js';
import type { MorphDescription } from '../../proxy/scene-description.js';
import type { Geometry, GeometryObserver } from '../geometry/updatable-geometry.js';
import type { Material, MaterialObserver } from '../materials/material.js';
import type { Texture } from '../textures/texture.js';
import type { TextureEntry, TextureRegistry } from '../textures/texture-registry.js';
import type { SceneUpdates } from './scene-updates.js';
import { encodeText, isRefused, writeText, writeWords } from './write-record.js';

interface Entry {
  readonly id: number;
  readonly ids: IdAllocator;
  /** Opcode of `destroyGeometry` or `destroyMaterial`. */
  readonly destroyOpcode: number;
  users: number;
  /** Textures of a material, by slot. */
  readonly textures: (TextureEntry | null)[];
  /** Whether the entry is in the list of changed resources. */
  isDirty: boolean;
  /** First changed word of a geometry; `end` is the word after the last one. */
  begin: number;
  end: number;
}

type Resource = Geometry | Material;

/**
 * Maximum number of changed words of a geometry in one record, which has to fit in a page of 16,384 words.
 */
const CHUNK_WORDS = 8192;

export class ResourceRegistry implements MaterialObserver, GeometryObserver {
  readonly #outlet: SceneUpdates;
  /** Entries in the order of first use. */
  readonly entries = new Map<Resource, Entry>();
  /** Created with the first texture. */
  textures: TextureRegistry | null = null;
  readonly #geometryIds = new IdAllocator();
  readonly #materialIds = new IdAllocator();
  /** Resources changed since the last update. */
  readonly #dirty: Resource[] = [];
  /** Resources that lost their last user since the last update. */
  readonly #unused = new Set<Resource>();

  constructor(outlet: SceneUpdates) {
    this.#outlet = outlet;
  }

  /**
   * Adds a user and returns the geometry's id. The geometry is sent for its first user.
   * @throws SceneError `geometry-detached`, `limit-exceeded`
   */
  useGeometry(geometry: Geometry, userName: string): number {
    let entry = this.entries.get(geometry);
    if (!entry) {
      if (!geometry.data.byteLength) {
        throw new SceneError(
          'geometry-detached',
          `Geometry "${geometry.label}" of "${userName}" was transferred away. Create it again.`,
        );
      }
      entry = this.#add(geometry, this.#geometryIds, RenderOpcode.destroyGeometry);
      geometry.watchers.add(this);
      try {
        this.sendGeometry(geometry, entry.id);
      } catch (error) {
        this.forget(geometry);
        throw error;
      }
    }
    entry.users++;
    return entry.id;
  }

  /** Adds a user and returns the material's id. The material is sent for its first user. */
  useMaterial(material: Material): number {
    let entry = this.entries.get(material);
    if (!entry) {
      entry = this.#add(material, this.#materialIds, RenderOpcode.destroyMaterial);
      material.observers.add(this);
      this.#sendMaterial(material, entry);
    }
    entry.users++;
    return entry.id;
  }

  #add(resource: Resource, ids: IdAllocator, destroyOpcode: number): Entry {
    const entry = {
      id: ids.allocate(),
      ids,
      destroyOpcode,
      users: 0,
      textures: [],
      isDirty: false,
      begin: 0,
      end: 0,
    };
    this.entries.set(resource, entry);
    return entry;
  }

  /** Removes a resource as if it had never been sent. */
  forget(resource: Resource): void {
    const entry = this.entries.get(resource);
    this.#remove(resource);
    if (entry) entry.ids.free(entry.id);
  }

  #remove(resource: Resource): void {
    this.entries.delete(resource);
    if ('watchers' in resource) resource.watchers.delete(this);
  }

  /** Removes a user. */
  release(resource: Resource | null): void {
    const entry = resource && this.entries.get(resource);
    if (entry && --entry.users === 0) this.#unused.add(resource);
  }

  /** Per change: marks a material to be sent again, once, with the next update. */
  markMaterial(material: Material): void {
    const entry = this.entries.get(material);
    if (!entry) return;
    this.requestImages(material);
    if (entry.isDirty) return;
    entry.isDirty = true;
    this.#dirty.push(material);
    this.noteChange();
  }

  /** Reports a change of a shared resource, so that an idle engine draws a frame. */
  noteChange(): void {
    this.#outlet.onChange();
  }

  /** Per change: marks a range of a geometry's words to be sent with the next update. */
  markGeometry(geometry: Geometry, begin: number, end: number): void {
    const entry = this.entries.get(geometry);
    if (!entry) return;
    if (!entry.isDirty) this.#dirty.push(geometry);
    entry.begin = entry.isDirty ? Math.min(entry.begin, begin) : begin;
    entry.end = entry.isDirty ? Math.max(entry.end, end) : end;
    entry.isDirty = true;
    this.noteChange();
  }

  /** Whether the shader of a material in use reads the time. */
  get hasTimedMaterials(): boolean {
    for (const resource of this.entries.keys())
      if ('shader' in resource && resource.shader?.isTimed) return true;
    return false;
  }

  /**
   * Starts to load the images of a material that the next update will send, so that the images count as pending at
   * once.
   */
  requestImages(material: Material): void {
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const texture = material.textures[slot];
      if (texture) this.#texturesFor(texture).request(texture, slot);
    }
  }

  /** Adds a user to a texture, so that a loaded level keeps it while no material uses it. */
  holdTexture(texture: Texture): TextureEntry {
    return this.#texturesFor(texture).use(texture, texture.srgb ?? false);
  }

  /**
   * Per frame: sends the images that have arrived, and the geometries and materials that have changed. Materials that
   * use an arrived image are sent again.
   */
  sendUpdates(): void {
    const arrived = this.textures?.sendArrived();
    if (arrived) {
      for (const [resource, { textures }] of this.entries) {
        if (textures.some((entry) => entry && arrived.has(entry))) this.markMaterial(resource as Material);
      }
    }
    if (this.#dirty.length === 0) return;
    for (const resource of this.#dirty) {
      const entry = this.entries.get(resource);
      if (!entry?.isDirty) continue;
      entry.isDirty = false;
      if ('data' in resource) this.#sendChanges(resource, entry);
      else this.#sendMaterial(resource, entry);
    }
    this.#dirty.length = 0;
  }

  #sendChanges(geometry: Geometry, entry: Entry): void {
    if (!geometry.data.byteLength) return;
    const { writer } = this.#outlet;
    const changed = new Uint32Array(geometry.data);
    for (let from = entry.begin; from < entry.end; from += CHUNK_WORDS) {
      const count = Math.min(CHUNK_WORDS, entry.end - from);
      const at = writer.reserve(RenderOpcode.updateGeometry, 9 + count);
      const { words, floats } = writer;
      words[at] = entry.id;
      words[at + 1] = from;
      floats.set(geometry.minimum, at + 2);
      floats.set(geometry.maximum, at + 5);
      words[at + 8] = count;
      words.set(changed.subarray(from, from + count), at + 9);
    }
  }

  /** Per frame, last: destroys unused resources. Textures come last, because destroyed materials release textures. */
  sendReleases(): void {
    if (this.#unused.size) {
      for (const unused of this.#unused) {
        const entry = this.entries.get(unused);
        if (!entry || entry.users > 0) continue;
        writeWords(this.#outlet.writer, entry.destroyOpcode, 1, entry.id);
        this.#remove(unused);
        entry.ids.free(entry.id);
        if ('observers' in unused) {
          unused.observers.delete(this);
          unused.mover?.leave(this.#outlet);
          this.textures?.exchange(entry.textures, []);
        }
      }
      this.#unused.clear();
    }
    this.textures?.sendReleases();
  }

  /** Bytes kept in order to resend everything: vertices, encoded images, pixels. */
  get retainedBytes(): number {
    let bytes = this.textures?.retainedBytes ?? 0;
    for (const resource of this.entries.keys()) {
      if (!('data' in resource)) continue;
      const { data, given, morph } = resource;
      bytes += data.byteLength + (given?.data.byteLength ?? 0) + (morph?.deltas.byteLength ?? 0);
    }
    return bytes;
  }

  #texturesFor(texture: Texture): TextureRegistry {
    this.textures ??= texture.createRegistry(this.#outlet);
    return this.textures;
  }

  #sendMaterial(material: Material, entry: Entry): void {
    const { flags, parameters } = material;
    for (const texture of material.textures) if (texture) this.#texturesFor(texture);
    this.textures?.exchange(entry.textures, material.textures);
    const { writer } = this.#outlet;
    material.shader?.send(writer, entry);
    let at = writer.reserve(RenderOpcode.setMaterial, 4 + TEXTURE_SLOT_COUNT + MATERIAL_FLOATS);
    const { words, floats } = writer;
    words[at++] = entry.id;
    words[at++] = flags;
    words[at++] = TEXTURE_SLOT_COUNT;
    const slots = at;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const texture = entry.textures[slot];
      words[at++] = texture?.isSent ? texture.id : NO_ID;
    }
    words[at++] = MATERIAL_FLOATS;
    floats.set(parameters, at);
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      floats[at + MaterialOffset.textureTransforms + slot * 8 + 7] = words[slots + slot] === NO_ID ? 0 : 1;
    }
    material.mover?.enter(this.#outlet, entry.id);
  }

  /**
   * Sends a geometry with a copy of its bytes.
   * @throws SceneError `limit-exceeded` if the bytes can't be copied or sent; StreamError if the stream has
   * ended
   */
  sendGeometry(geometry: Geometry, id: number): void {
    const { writer } = this.#outlet;
    const attachment = this.#attachCopy(geometry.data, geometry.label);
    const label = encodeText(geometry.label);
    const at = writer.reserveWithAttachment(RenderOpcode.createGeometry, 13 + ((label.length + 3) >> 2));
    const { words, floats } = writer;
    words[at] = attachment;
    words[at + 1] = id;
    words[at + 2] = geometry.vertexFormat;
    words[at + 3] = DRAWN_TOPOLOGIES.indexOf(geometry.topology);
    words[at + 4] = geometry.vertexCount;
    words[at + 5] = geometry.indexCount;
    floats.set(geometry.minimum, at + 6);
    floats.set(geometry.maximum, at + 9);
    writeText(words, at + 12, label);
    if (geometry.morph) this.#sendMorph(geometry.morph, geometry.label, id);
  }

  #sendMorph({ deltas, size, boxes }: MorphDescription, label: string, geometry: number): void {
    const attachment = this.#attachCopy(deltas, label);
    const { writer } = this.#outlet;
    const at = writer.reserveWithAttachment(RenderOpcode.setMorphTargets, 4 + boxes.length);
    const { words, floats } = writer;
    words[at] = attachment;
    words[at + 1] = geometry;
    words[at + 2] = size;
    words[at + 3] = boxes.length;
    floats.set(boxes, at + 4);
  }

  /** @throws SceneError `limit-exceeded` */
  #attachCopy(data: ArrayBuffer, label: string): number {
    try {
      return this.#outlet.writer.attach(data.slice(0));
    } catch (cause) {
      // A failed allocation of the copy throws a RangeError.
      if (!(cause instanceof RangeError) && !isRefused(cause)) throw cause;
      throw new SceneError(
        'limit-exceeded',
        `Geometry "${label}" can't be sent: ${data.byteLength} bytes are more than this browser can copy and hand to another thread. Split it. (${messageOf(cause)})`,
        { cause },
      );
    }
  }
}
