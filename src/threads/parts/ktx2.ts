/** The part that decodes textures of KTX2 files other than Basis Universal's, loaded with the first of them. */
export * from '../../assets/decoders/ktx2.js';
