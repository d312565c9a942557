import type { Material, Texture } from '@gltf-transform/core';
import type { MaterialValues } from '../../proxy/materials/material-features.js';
import type { TextureSlot } from '../../proxy/materials/material-layout.js';
import type { JsonObject } from '../gltf/gltf-checks.js';

/** The use of a texture by a material: a `TextureInfo` of glTF-Transform, or an equal object for an extension. */
export interface SlotInfo {
  getTexCoord(): number;
  getMinFilter(): number | null;
  getMagFilter(): number | null;
  getWrapS(): number;
  getWrapT(): number;
}

/** A texture of a material in a file. */
export interface SlotSource {
  readonly texture: Texture | null;
  readonly info: SlotInfo | null;
  /** The JSON of the texture info, for its extensions. */
  readonly json: unknown;
}

/** A material in a file, with checked access to its values. */
export interface MaterialSource {
  readonly material: Material;
  readonly json: JsonObject;
  /** Returns the JSON of an extension; undefined if the material has none. */
  extension(name: string): JsonObject | undefined;
  /** Returns the texture of a `textureInfo` in the JSON, because `material` lacks the textures of extensions. */
  texture(info: unknown): SlotSource;
  /**
   * Returns a finite number, or the fallback; an invalid value also adds a warning.
   * @param at path within the material
   */
  number(value: unknown, fallback: number, at: string): number;
  /** Returns `length` finite numbers, or as many fallbacks; an invalid value also adds a warning. */
  numbers(value: readonly number[], length: number, fallback: number, at: string): number[];
}

/** Reads a material feature from glTF files. `render/materials/features/` draws the feature of the same name. */
export interface MaterialFeatureReader {
  /** Names of the supported extensions. */
  readonly extensions?: readonly string[];
  /** Default parameters, in the order of the material's record on the GPU. */
  readonly defaults?: Partial<MaterialValues>;
  read?(source: MaterialSource): Partial<MaterialValues>;
  textures?(source: MaterialSource): Partial<Record<TextureSlot, SlotSource>>;
  /** Rewrites the JSON of an extension to plain glTF, before the file is parsed. */
  rewrite?(root: JsonObject, file: string, warnings: string[]): void;
}
