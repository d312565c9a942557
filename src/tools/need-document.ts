import { PlatformError } from '../core/errors.js';

/**
 * What is shown over the page needs one: in Node there is none.
 * @throws PlatformError `document-missing`
 */
export function needDocument(call: string): void {
  if (typeof document !== 'undefined') return;
  throw new PlatformError('document-missing', `${call} needs a page to show it over.`);
}
