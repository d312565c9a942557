/** The part that decodes pictures of light from all around, loaded with the first file whose light is used. */
export * from '../../assets/decoders/faces.js';
