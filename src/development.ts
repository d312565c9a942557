/** `fencepost` where a bundler takes the condition `development`. */
import { checkInDevelopment } from './development-checks.js';

export * from './index.js';

checkInDevelopment();
