/** The small decoders, in one file. */
export * as faces from '../../assets/decoders/environment-cube.js';
export * as ktx2 from '../../assets/decoders/ktx2.js';
export * as meshopt from '../../assets/decoders/meshopt.js';
