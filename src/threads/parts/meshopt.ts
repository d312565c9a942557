/** The part that decodes buffers of meshoptimizer, loaded with the first file that has some. */
export * from '../../assets/decoders/meshopt.js';
