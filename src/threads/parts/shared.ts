/** The part that carries streams in memory that threads share, loaded where the page is isolated. */
export { SharedReaderCarrier, SharedWriterCarrier } from '../../core/shared-carrier.js';
