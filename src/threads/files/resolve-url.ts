/** Resolves an address against the document; Next.js puts one without an origin in a literal's place. Node has no document. */
export const resolveUrl = (url: string | URL): URL => new URL(String(url), globalThis.document?.baseURI);
