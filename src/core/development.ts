/**
 * Whether the page is built for development, as its bundler says in `import.meta.env`; without a bundler it is not.
 * What depends on it is loaded on demand, so that a page built for production has none of it.
 */
export const isDevelopmentBuild: boolean =
  (import.meta as { readonly env?: { readonly DEV?: boolean } }).env?.DEV === true;
