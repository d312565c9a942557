/**
 * What a world has sent of the geometries, materials and textures its primitives use. Descriptions know nothing
 * of worlds; a world gives each an id on first use, counts the users, and sends the destruction when the last
 * one is gone and no new one has come by the end of the frame.
 *
 *   Geometry ─► id, users        first use: createGeometry + a copy of its bytes      users 0: destroyGeometry
 *   Material ─► id, users        first use or change: setMaterial                     users 0: destroyMaterial
 *   Texture  ─► id, users        image there: createTexture, then setMaterial again   users 0: destroyTexture
 */
import { AssetError, FencepostError } from '../core/errors.js';
import { IdAllocator } from '../core/id-allocator.js';
import type { StreamWriter } from '../core/stream.js';
import { NO_ID, RenderOpcode, TOPOLOGIES } from '../proxy/commands.js';
import { MATERIAL_FLOATS, MaterialOffset, TEXTURE_SLOT_COUNT } from '../proxy/material-layout.js';
import type { GeometryDescription } from '../proxy/scene-description.js';
import type { Material, MaterialObserver } from './material.js';
import type { LoadedImage, Texture } from './texture.js';

interface Entry {
  readonly id: number;
  users: number;
}

interface MaterialEntry extends Entry {
  isDirty: boolean;
  readonly textures: (TextureEntry | null)[];
}

interface TextureEntry extends Entry {
  readonly texture: Texture;
  readonly srgb: boolean;
  isSent: boolean;
}

/** Slots that hold colour: base colour and emissive; the others hold data. */
const COLOR_SLOTS = 0b10001;

export class ResourceRegistry implements MaterialObserver {
  readonly #writer: StreamWriter;
  readonly #reportError: (error: unknown) => void;
  readonly #geometries = new Map<GeometryDescription, Entry>();
  readonly #materials = new Map<Material, MaterialEntry>();
  /** By whether they are read as linear (0) or sRGB (1). */
  readonly #textures = [new Map<Texture, TextureEntry>(), new Map<Texture, TextureEntry>()] as const;
  readonly #geometryIds = new IdAllocator();
  readonly #materialIds = new IdAllocator();
  readonly #textureIds = new IdAllocator();
  readonly #dirtyMaterials: Material[] = [];
  readonly #loaded: { entry: TextureEntry; image: LoadedImage }[] = [];
  /** What lost its last user in this frame. */
  readonly #unused = new Set<GeometryDescription | Material | TextureEntry>();
  /** Textures whose images are still on their way. */
  pendingTextures = 0;
  readonly #settled: (() => void)[] = [];

  constructor(writer: StreamWriter, reportError: (error: unknown) => void) {
    this.#writer = writer;
    this.#reportError = reportError;
  }

  /** Counts a user in; the first one sends the geometry. Returns its id. */
  useGeometry(geometry: GeometryDescription): number {
    let entry = this.#geometries.get(geometry);
    if (!entry) {
      entry = { id: this.#geometryIds.allocate(), users: 0 };
      this.#geometries.set(geometry, entry);
      this.#sendGeometry(geometry, entry.id);
    }
    entry.users++;
    return entry.id;
  }

  releaseGeometry(geometry: GeometryDescription): void {
    const entry = this.#geometries.get(geometry);
    if (entry && --entry.users === 0) this.#unused.add(geometry);
  }

  useMaterial(material: Material): number {
    let entry = this.#materials.get(material);
    if (!entry) {
      entry = { id: this.#materialIds.allocate(), users: 0, isDirty: false, textures: [] };
      this.#materials.set(material, entry);
      material.observers.add(this);
      this.#sendMaterial(material, entry);
    }
    entry.users++;
    return entry.id;
  }

  releaseMaterial(material: Material): void {
    const entry = this.#materials.get(material);
    if (entry && --entry.users === 0) this.#unused.add(material);
  }

  /** Per change: a material is sent again in the next update, once. */
  markMaterial(material: Material): void {
    const entry = this.#materials.get(material);
    if (!entry || entry.isDirty) return;
    entry.isDirty = true;
    this.#dirtyMaterials.push(material);
  }

  /** Counts a texture in beforehand, so that a loaded level keeps it while no material shows it. */
  holdTexture(texture: Texture): void {
    this.#useTexture(texture, texture.srgb ?? false);
  }

  letTextureGo(texture: Texture): void {
    this.#releaseTexture(this.#textures[texture.srgb ? 1 : 0].get(texture));
  }

  /** Resolves when no image is on its way. */
  whenTexturesSettled(): Promise<void> {
    return this.pendingTextures ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  /** Per frame: sends the images that have arrived and the materials that have changed. */
  sendUpdates(): void {
    for (const { entry, image } of this.#loaded) {
      if (entry.users === 0) {
        if ('close' in image.image) image.image.close();
        continue;
      }
      this.#sendTexture(entry, image);
      for (const [material, { textures }] of this.#materials) {
        if (textures.includes(entry)) this.markMaterial(material);
      }
    }
    this.#loaded.length = 0;
    for (const material of this.#dirtyMaterials) {
      const entry = this.#materials.get(material);
      if (!entry) continue;
      entry.isDirty = false;
      this.#sendMaterial(material, entry);
    }
    this.#dirtyMaterials.length = 0;
  }

  /** Per frame, last: destroys what nobody uses any more. Materials let go of textures, so they come first. */
  sendReleases(): void {
    for (const unused of this.#unused) {
      if ('observers' in unused) {
        const entry = this.#materials.get(unused);
        if (!entry || entry.users > 0) continue;
        this.#sendDestroy(RenderOpcode.destroyMaterial, entry.id);
        this.#materials.delete(unused);
        unused.observers.delete(this);
        this.#materialIds.free(entry.id);
        for (const texture of entry.textures) this.#releaseTexture(texture ?? undefined);
      } else if ('texture' in unused) {
        if (unused.users > 0) continue;
        if (unused.isSent) this.#sendDestroy(RenderOpcode.destroyTexture, unused.id);
        this.#textures[unused.srgb ? 1 : 0].delete(unused.texture);
        this.#textureIds.free(unused.id);
      } else {
        const entry = this.#geometries.get(unused);
        if (!entry || entry.users > 0) continue;
        this.#sendDestroy(RenderOpcode.destroyGeometry, entry.id);
        this.#geometries.delete(unused);
        this.#geometryIds.free(entry.id);
      }
    }
    this.#unused.clear();
  }

  #useTexture(texture: Texture, srgb: boolean): TextureEntry {
    const textures = this.#textures[srgb ? 1 : 0];
    let entry = textures.get(texture);
    if (!entry) {
      entry = { id: this.#textureIds.allocate(), users: 0, texture, srgb, isSent: false };
      textures.set(texture, entry);
      const image = texture.takeImage();
      if (image) this.#sendTexture(entry, image);
      else this.#load(entry);
    }
    entry.users++;
    return entry;
  }

  #releaseTexture(entry: TextureEntry | undefined): void {
    if (entry && --entry.users === 0) this.#unused.add(entry);
  }

  #load(entry: TextureEntry): void {
    const { texture } = entry;
    this.pendingTextures++;
    texture
      .loadImage()
      .then(
        (image) => {
          this.#loaded.push({ entry, image });
        },
        (error) => {
          this.#reportError(
            error instanceof FencepostError
              ? error
              : new AssetError(
                  'texture-load-failed',
                  `Texture "${texture.name}" could not be loaded: ${error instanceof Error ? error.message : error}. Materials do without it.`,
                  { cause: error },
                ),
          );
        },
      )
      .finally(() => {
        if (--this.pendingTextures === 0) for (const resolve of this.#settled.splice(0)) resolve();
      });
  }

  #sendMaterial(material: Material, entry: MaterialEntry): void {
    const { flags, parameters } = material;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const texture = material.textures[slot];
      const before = entry.textures[slot];
      entry.textures[slot] = texture
        ? this.#useTexture(texture, texture.srgb ?? ((COLOR_SLOTS >> slot) & 1) === 1)
        : null;
      this.#releaseTexture(before ?? undefined);
    }
    const writer = this.#writer;
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
  }

  #sendGeometry(geometry: GeometryDescription, id: number): void {
    const writer = this.#writer;
    const attachment = writer.attach(geometry.data.slice(0));
    const label = new TextEncoder().encode(geometry.label);
    const at = writer.reserveWithAttachment(RenderOpcode.createGeometry, 13 + ((label.length + 3) >> 2));
    const { words, floats } = writer;
    words[at] = attachment;
    words[at + 1] = id;
    words[at + 2] = geometry.vertexFormat;
    words[at + 3] = TOPOLOGIES.indexOf(geometry.topology);
    words[at + 4] = geometry.vertexCount;
    words[at + 5] = geometry.indexCount;
    floats.set(geometry.minimum, at + 6);
    floats.set(geometry.maximum, at + 9);
    writeBytes(words, at + 12, label);
  }

  #sendTexture(entry: TextureEntry, { image, width, height }: LoadedImage): void {
    const writer = this.#writer;
    const attachment = writer.attach(image);
    const label = new TextEncoder().encode(entry.texture.name);
    const at = writer.reserveWithAttachment(RenderOpcode.createTexture, 7 + ((label.length + 3) >> 2));
    const { words } = writer;
    words[at] = attachment;
    words[at + 1] = entry.id;
    words[at + 2] = width;
    words[at + 3] = height;
    words[at + 4] = entry.srgb ? 1 : 0;
    words[at + 5] = entry.texture.sampler;
    writeBytes(words, at + 6, label);
    entry.isSent = true;
  }

  #sendDestroy(opcode: number, id: number): void {
    const at = this.#writer.reserve(opcode, 1);
    this.#writer.words[at] = id;
  }
}

/** A length in bytes, then the bytes, padded with zeros to a whole word. */
function writeBytes(words: Uint32Array, at: number, bytes: Uint8Array): void {
  words[at] = bytes.length;
  const count = (bytes.length + 3) >> 2;
  words.fill(0, at + 1, at + 1 + count);
  new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, count * 4).set(bytes);
}
