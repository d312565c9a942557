import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { ShaderFeature } from '../../proxy/materials/material-layout.js';
import { encodeText, writeText } from '../updates/write-record.js';
import type { MaterialShader } from './material.js';

/** The shader of a material, which is sent once to each stream. */
export class SentShader implements MaterialShader {
  readonly #code: Uint8Array;
  readonly #textureCount: number;
  readonly #features: number;
  readonly #varyings: number;
  readonly #displacement: number;
  /** For each entry of the material in an engine's registry: the stream to which the shader was last sent. */
  readonly #sent = new WeakMap<object, StreamWriter>();

  /**
   * @param features bits of `ShaderFeature`
   * @param varyings types of the varyings, as `packVaryings` returns them
   */
  constructor(code: string, textureCount: number, features: number, varyings: number, displacement: number) {
    this.#code = encodeText(code);
    this.#textureCount = textureCount;
    this.#features = features;
    this.#varyings = varyings;
    this.#displacement = displacement;
  }

  get isTimed(): boolean {
    return (this.#features & ShaderFeature.time) !== 0;
  }

  send(writer: StreamWriter, entry: { readonly id: number }): void {
    if (this.#sent.get(entry) === writer) return;
    const code = this.#code;
    const at = writer.reserve(RenderOpcode.setMaterialShader, 6 + ((code.length + 3) >> 2));
    const { words, floats } = writer;
    words[at] = entry.id;
    words[at + 1] = this.#textureCount;
    words[at + 2] = this.#features;
    words[at + 3] = this.#varyings;
    floats[at + 4] = this.#displacement;
    writeText(words, at + 5, code);
    this.#sent.set(entry, writer);
  }
}
