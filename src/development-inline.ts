/** `fencepost/inline` where a bundler takes the condition `development`. */
import { checkInDevelopment } from './development-checks.js';

export * from './inline.js';

checkInDevelopment();
