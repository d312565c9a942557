/** The part that decodes meshes of Draco, loaded with the first file that has some. */
export * from '../../assets/decoders/draco.js';
