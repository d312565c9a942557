import { PNG } from 'pngjs';

const COMPONENTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const COMPONENT_TYPES = new Map([
  [Int8Array, 5120],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Float32Array, 5126],
]);

/**
 * Writes glTF by hand, value by value, so that the files are independent of the tested parser. It always writes the
 * same bytes. Offsets and lengths are in bytes.
 */
export class GltfFile {
  json = { asset: { version: '2.0', generator: 'Fencepost test assets' } };
  #chunks = [];
  #length = 0;

  /** Appends to the array `key` of the root, and returns the index. */
  add(key, value) {
    this.json[key] ??= [];
    return this.json[key].push(value) - 1;
  }

  use(extension, { required = false } = {}) {
    for (const key of required ? ['extensionsUsed', 'extensionsRequired'] : ['extensionsUsed']) {
      this.json[key] ??= [];
      if (!this.json[key].includes(extension)) this.json[key].push(extension);
    }
  }

  bufferView(bytes, options = {}) {
    const padding = (4 - (this.#length % 4)) % 4;
    this.#chunks.push(new Uint8Array(padding), bytes);
    const byteOffset = this.#length + padding;
    this.#length = byteOffset + bytes.byteLength;
    return this.add('bufferViews', { buffer: 0, byteOffset, byteLength: bytes.byteLength, ...options });
  }

  /** Adds an accessor and returns its index. @param array a typed array with tightly packed elements */
  accessor(array, type, options = {}) {
    const { byteStride, ...rest } = options;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const components = byteStride ? byteStride / array.BYTES_PER_ELEMENT : COMPONENTS[type];
    return this.add('accessors', {
      bufferView: this.bufferView(bytes, byteStride ? { byteStride } : {}),
      componentType: COMPONENT_TYPES.get(array.constructor),
      count: array.length / components,
      type,
      ...(type === 'VEC3' && array instanceof Float32Array && !byteStride ? bounds(array) : {}),
      ...rest,
    });
  }

  image(bytes, mimeType = 'image/png') {
    return this.add('images', { bufferView: this.bufferView(bytes), mimeType });
  }

  texture(source, sampler) {
    return this.add('textures', sampler ? { source, sampler: this.add('samplers', sampler) } : { source });
  }

  /** Adds a mesh of one primitive, and a node of the first scene that shows it. */
  show(primitive, node = {}) {
    return this.node({ mesh: this.add('meshes', { primitives: [primitive] }), ...node });
  }

  /** Adds a root node to the first scene. */
  node(node) {
    const index = this.add('nodes', node);
    this.json.scenes ??= [{ nodes: [] }];
    this.json.scene ??= 0;
    this.json.scenes[0].nodes.push(index);
    return index;
  }

  binary() {
    return concatenate(this.#chunks);
  }

  glb() {
    const binary = pad(this.binary(), 0);
    const json = { ...this.json, ...(binary.length && { buffers: [{ byteLength: binary.length }] }) };
    const text = pad(new TextEncoder().encode(JSON.stringify(json)), 0x20);
    const chunks = binary.length ? [words(binary.length, 0x004e4942), binary] : [];
    const body = concatenate([words(text.length, 0x4e4f534a), text, ...chunks]);
    return concatenate([words(0x46546c67, 2, 12 + body.length), body]);
  }

  /** Returns a .gltf file. @param uri URI of the buffer; default: a data URI with its bytes */
  gltf(uri = dataUri(this.binary())) {
    const buffers = [{ uri, byteLength: this.binary().length }];
    return new TextEncoder().encode(`${JSON.stringify({ ...this.json, buffers }, null, 1)}\n`);
  }
}

export function dataUri(bytes, mimeType = 'application/octet-stream') {
  return `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function words(...values) {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

function pad(bytes, value) {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(value);
  padded.set(bytes);
  return padded;
}

export function concatenate(arrays) {
  return new Uint8Array(Buffer.concat(arrays));
}

function bounds(array) {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  array.forEach((value, i) => {
    min[i % 3] = Math.min(min[i % 3], value);
    max[i % 3] = Math.max(max[i % 3], value);
  });
  return { min, max };
}

/** Returns a PNG of `size` × `size` pixels. `pixel(x, y)` returns red, green, blue and alpha, 0–255. */
export function png(size, pixel) {
  const image = new PNG({ width: size, height: size });
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) image.data.set(pixel(x, y), (y * size + x) * 4);
  }
  return new Uint8Array(PNG.sync.write(image));
}

/**
 * Returns a lossless WebP chequerboard of two colours that differ only in green. It needs no entropy coding: one bit
 * per pixel. (WebP lossless bitstream specification, simple prefix codes.)
 */
export function webpCheckerboard(size, { red, greens, blue }) {
  const bits = [];
  const put = (value, count) => {
    for (let i = 0; i < count; i++) bits.push((value >> i) & 1);
  };
  put(0x2f, 8);
  put(size - 1, 14);
  put(size - 1, 14);
  put(0, 1 + 3); // no alpha, version 0
  put(0, 3); // no transform, no colour cache, one group of prefix codes
  const code = (...symbols) => {
    put(1, 1); // simple
    put(symbols.length - 1, 1);
    put(1, 1); // symbols of 8 bits
    for (const symbol of symbols) put(symbol, 8);
  };
  code(...greens);
  code(red);
  code(blue);
  code(255);
  code(0);
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) put((x + y) % 2, 1);
  const data = new Uint8Array(Math.ceil(bits.length / 16) * 2);
  bits.forEach((bit, i) => {
    data[i >> 3] |= bit << (i & 7);
  });
  const text = (string) => new TextEncoder().encode(string);
  return concatenate([text('RIFF'), words(12 + data.length), text('WEBPVP8L'), words(data.length), data]);
}

/** Returns a unit box around the origin with normals and texture coordinates: 24 vertices, 36 indices. */
export function box() {
  const positions = [];
  const normals = [];
  const uvs = [];
  const indices = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = positions.length / 3;
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]) {
        const position = [0, 0, 0];
        const normal = [0, 0, 0];
        normal[axis] = side;
        position[axis] = side / 2;
        position[(axis + 1) % 3] = (u - 0.5) * side;
        position[(axis + 2) % 3] = v - 0.5;
        positions.push(...position);
        normals.push(...normal);
        uvs.push(u, 1 - v);
      }
      indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    uvs: Float32Array.from(uvs),
    indices: Uint16Array.from(indices),
  };
}

/** Adds the accessors of a box; returns a primitive. */
export function addBox(file, material) {
  const { positions, normals, uvs, indices } = box();
  return {
    attributes: {
      POSITION: file.accessor(positions, 'VEC3'),
      NORMAL: file.accessor(normals, 'VEC3'),
      TEXCOORD_0: file.accessor(uvs, 'VEC2'),
    },
    indices: file.accessor(indices, 'SCALAR'),
    ...(material !== undefined && { material }),
  };
}
