import { decodeRecord, encodeRecord } from '../core/records/record-codec.js';
import type { RecordValues } from '../core/records/record-table.js';
import { createLocalStream } from '../core/streams/page-stream.js';
import { checkGraph } from '../graph/pass-checker.js';
import { renderCommands } from '../proxy/command-table.js';
import { NO_ID } from '../proxy/commands.js';
import { vertexStride } from '../proxy/geometry/vertex-format.js';
import { defaultRecord, TEXTURE_SLOT_COUNT } from '../proxy/materials/material-layout.js';
import { NODE_WORD, TransformArray } from '../proxy/transform-array.js';
import { rhiCommands } from '../rhi/commands/commands.js';
import type { RhiCapabilities } from '../rhi/commands/descriptors.js';
import { ImmediateContext } from '../rhi/record/immediate-context.js';
import { validate } from '../rhi/validation/validate.js';
import { MaterialTextures } from './materials/material-textures.js';
import { Renderer } from './renderer.js';

type RenderCommands = typeof renderCommands.fields;

export interface RhiCommand {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const capabilities: RhiCapabilities = {
  backend: 'null',
  adapter: 'none',
  surfaceFormat: 'rgba8unorm',
  features: [],
  limits: { maxTextureDimension2D: 4096, maxBufferSize: 1_000_000 },
};

/** A new renderer's look, as the fields of `sceneSettings`. */
export const LOOK = {
  red: 0,
  green: 0,
  blue: 0,
  alpha: 1,
  exposure: 1,
  sampleCount: 1,
  toneMapping: 0,
  hdr: 1,
  debugView: 0,
  transparency: 0,
  smoothing: 0,
  resolutionScale: 1,
};

/**
 * A renderer between two local streams, for tests. It takes render commands and returns RHI commands by name.
 *
 *   send('createNode', …) ─► renderer ─► validation ─► frame(1): [{ name: 'beginFrame', values }, …]
 *
 * `frame` and `drain` throw the first validation error of the RHI.
 */
export class RendererBench {
  readonly renderer: Renderer;
  private readonly game = createLocalStream({ table: renderCommands });
  private readonly list = createLocalStream({ table: rhiCommands });
  private readonly faults: Error[] = [];
  private readonly reader = validate(this.list.reader, {
    onError: (error) => this.faults.push(error),
  });
  readonly rhi = new ImmediateContext(this.list.writer, {
    maxFramesInFlight: 2,
  });

  constructor({ sampleCount = 1, hasTextures = true }: { sampleCount?: 1 | 4; hasTextures?: boolean } = {}) {
    this.renderer = new Renderer(this.rhi, capabilities, { sampleCount });
    checkGraph(this.renderer.graph, this.rhi);
    if (hasTextures) {
      this.renderer.scene.materials.textures = new MaterialTextures(this.rhi, this.renderer.largestSize, []);
    }
    this.send('surfaceSize', { width: 64, height: 64, pixelRatio: 1 });
  }

  send<K extends keyof RenderCommands & string>(name: K, values: RecordValues<RenderCommands[K]>): void {
    encodeRecord(this.game.writer, renderCommands, name, values);
  }

  /** Executes the commands that were sent. */
  execute(): void {
    this.game.writer.publish();
    while (this.game.reader.next()) this.renderer.execute(this.game.reader);
  }

  /** Executes the commands that were sent, renders a frame, and returns the RHI commands since the last call. */
  frame(frame: number, flags = 0): RhiCommand[] {
    this.execute();
    this.rhi.beginFrame(frame, 0);
    this.renderer.renderFrame({ frame, flags, deltaSeconds: 0, timeSeconds: 0 });
    this.rhi.endFrame();
    return this.drain();
  }

  /** Returns the RHI commands recorded since the last call. */
  drain(): RhiCommand[] {
    this.rhi.publish();
    const commands: RhiCommand[] = [];
    while (this.reader.next()) {
      const { name, values } = decodeRecord(rhiCommands, this.reader);
      // Takes the attachment from the reader, as an executor does.
      if (name === 'writeBufferFromAttachment') this.reader.attachment(values.data as number);
      commands.push({ name, values: values as Record<string, unknown> });
    }
    for (const fault of this.faults) throw fault;
    return commands;
  }

  node(node: number, position: readonly number[], scale = [1, 1, 1], parent = NO_ID): void {
    this.send('createNode', { node, parent });
    this.move(node, position, scale);
  }

  move(node: number, position: readonly number[], scale = [1, 1, 1]): void {
    const transforms = new TransformArray(1);
    transforms.write(0, [...position, 0, 0, 0, 1, ...scale]);
    transforms.words[NODE_WORD] = node;
    this.send('nodeTransforms', { padding: [], transforms: transforms.words });
  }

  /** Creates a geometry of `vertexCount` vertices within ±0.5 m. */
  geometry(geometry: number, vertexCount = 3, indexCount = 3, vertexFormat = 0, topology = 0): void {
    const data = new ArrayBuffer(vertexCount * vertexStride(vertexFormat) + indexCount * 4);
    this.send('createGeometry', {
      data: this.game.writer.attach(data),
      geometry,
      vertexFormat,
      topology,
      vertexCount,
      indexCount,
      minimumX: -0.5,
      minimumY: -0.5,
      minimumZ: -0.5,
      maximumX: 0.5,
      maximumY: 0.5,
      maximumZ: 0.5,
      label: `geometry ${geometry}`,
    });
  }

  texture(texture: number, sampler = 0): void {
    this.send('createTexture', {
      image: this.game.writer.attach(new ArrayBuffer(4 * 4 * 4)),
      texture,
      width: 4,
      height: 4,
      texels: 1,
      sampler,
      label: `texture ${texture}`,
    });
  }

  /** Updates two texels side by side. */
  updateTexture(texture: number, x: number, y: number): void {
    const image = this.game.writer.attach(new ArrayBuffer(2 * 4));
    this.send('updateTexture', { image, texture, x, y, width: 2, height: 1 });
  }

  material(material: number, flags = 0, baseColorTexture = NO_ID): void {
    const parameters = defaultRecord();
    const textures = new Array<number>(TEXTURE_SLOT_COUNT).fill(NO_ID);
    textures[0] = baseColorTexture;
    this.send('setMaterial', { material, flags, textures, parameters });
  }

  primitive(
    primitive: number,
    node: number,
    geometry: number,
    material: number,
    flags = 1,
    layers = 1,
  ): void {
    this.send('createPrimitive', { primitive, node, geometry, material, flags, layers });
  }

  /** Creates a perspective camera on its own node. It looks along −Z, with a vertical field of view of 90°. */
  camera(node: number, position: readonly number[] = [0, 0, 10]): void {
    this.node(node, position);
    this.send('setView', {
      camera: node,
      projection: 0,
      extentX: 0,
      extentY: Math.PI / 2,
      near: 0.1,
      far: Number.POSITIVE_INFINITY,
      aspect: 0,
      cameraLayers: 0xffffffff,
    });
  }
}

export function named(commands: readonly RhiCommand[], name: string): Readonly<Record<string, unknown>>[] {
  return commands.filter((command) => command.name === name).map((command) => command.values);
}
