/** The part that decodes pictures of Basis Universal, loaded with the first file that has some. */
export * from '../../assets/decoders/basis.js';
