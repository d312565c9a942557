import fractalNoise2Code from '../../../shaders/chunks/fractal-noise-2.wgsl?raw';
import fractalNoise3Code from '../../../shaders/chunks/fractal-noise-3.wgsl?raw';
import gradientNoise2Code from '../../../shaders/chunks/gradient-noise-2.wgsl?raw';
import gradientNoise3Code from '../../../shaders/chunks/gradient-noise-3.wgsl?raw';
import hashCode from '../../../shaders/chunks/hash.wgsl?raw';
import simplexNoise2Code from '../../../shaders/chunks/simplex-noise-2.wgsl?raw';
import simplexNoise3Code from '../../../shaders/chunks/simplex-noise-3.wgsl?raw';
import slopes2Code from '../../../shaders/chunks/slopes-2.wgsl?raw';
import slopes3Code from '../../../shaders/chunks/slopes-3.wgsl?raw';
import valueNoise2Code from '../../../shaders/chunks/value-noise-2.wgsl?raw';
import valueNoise3Code from '../../../shaders/chunks/value-noise-3.wgsl?raw';
import voronoi2Code from '../../../shaders/chunks/voronoi-2.wgsl?raw';
import voronoi3Code from '../../../shaders/chunks/voronoi-3.wgsl?raw';
import type { ShaderChunk } from './shader-chunk.js';

/**
 * Hashes and random numbers:
 * - `hash1(value: u32) -> u32`, `hash2(value: vec2u) -> u32`, `hash3(value: vec3u) -> u32`: all 32 bits are mixed
 * - `random1(seed: f32) -> f32`, `random2(seed: vec2f) -> f32`, `random3(seed: vec3f) -> f32`: 0 to below 1
 * - `unitFloat(bits: u32) -> f32`: 0 to below 1
 *
 * PCG: M. Jarzynski, M. Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.
 */
export const hash: ShaderChunk = { name: 'hash', wgsl: hashCode };

const slopes2: ShaderChunk = { name: 'slopes2', wgsl: slopes2Code, imports: [hash] };
const slopes3: ShaderChunk = { name: 'slopes3', wgsl: slopes3Code, imports: [hash] };

/** `valueNoise2(point: vec2f) -> f32`, 0 to 1: random values at integer positions, interpolated smoothly. */
export const valueNoise2: ShaderChunk = { name: 'valueNoise2', wgsl: valueNoise2Code, imports: [hash] };

/** `valueNoise3(point: vec3f) -> f32`, 0 to 1: random values at integer positions, interpolated smoothly. */
export const valueNoise3: ShaderChunk = { name: 'valueNoise3', wgsl: valueNoise3Code, imports: [hash] };

/**
 * `gradientNoise2(point: vec2f) -> f32`, −1 to 1, 0 at integer positions.
 * Source: K. Perlin, "Improving Noise", SIGGRAPH 2002.
 */
export const gradientNoise2: ShaderChunk = {
  name: 'gradientNoise2',
  wgsl: gradientNoise2Code,
  imports: [slopes2],
};

/**
 * `gradientNoise3(point: vec3f) -> f32`, −1 to 1, 0 at integer positions.
 * Source: K. Perlin, "Improving Noise", SIGGRAPH 2002.
 */
export const gradientNoise3: ShaderChunk = {
  name: 'gradientNoise3',
  wgsl: gradientNoise3Code,
  imports: [slopes3],
};

/**
 * `simplexNoise2(point: vec2f) -> f32`, −1 to 1, without the axes that gradient noise shows.
 * Source: S. Gustavson, "Simplex noise demystified", 2005.
 */
export const simplexNoise2: ShaderChunk = {
  name: 'simplexNoise2',
  wgsl: simplexNoise2Code,
  imports: [slopes2],
};

/**
 * `simplexNoise3(point: vec3f) -> f32`, −1 to 1, with 4 instead of 8 corners to mix.
 * Source: S. Gustavson, "Simplex noise demystified", 2005.
 */
export const simplexNoise3: ShaderChunk = {
  name: 'simplexNoise3',
  wgsl: simplexNoise3Code,
  imports: [slopes3],
};

/**
 * `fractalNoise2(point: vec2f, octaves: u32, lacunarity: f32, gain: f32) -> f32`: the sum of 1 to 16 octaves of
 * `gradientNoise2` (fBm), scaled to −1 to 1. Each octave has `lacunarity` times the frequency and `gain` times
 * the amplitude of the one before.
 */
export const fractalNoise2: ShaderChunk = {
  name: 'fractalNoise2',
  wgsl: fractalNoise2Code,
  imports: [gradientNoise2],
};

/** `fractalNoise3(point: vec3f, octaves: u32, lacunarity: f32, gain: f32) -> f32`, −1 to 1: see `fractalNoise2`. */
export const fractalNoise3: ShaderChunk = {
  name: 'fractalNoise3',
  wgsl: fractalNoise3Code,
  imports: [gradientNoise3],
};

/**
 * `voronoi2(point: vec2f) -> vec3f`: cells around random points, one point per unit square. Returns the distance to the
 * nearest point (0 to √2), the distance to the second nearest in the nine squares around, and a random number of the
 * cell (0 to below 1).
 * Source: S. Worley, "A Cellular Texture Basis Function", SIGGRAPH 1996.
 */
export const voronoi2: ShaderChunk = { name: 'voronoi2', wgsl: voronoi2Code, imports: [hash] };

/**
 * `voronoi3(point: vec3f) -> vec3f`: as `voronoi2`, with one point per unit cube. The distance to the nearest point is
 * 0 to √3.
 */
export const voronoi3: ShaderChunk = { name: 'voronoi3', wgsl: voronoi3Code, imports: [hash] };
