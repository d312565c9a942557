/** The text of a worker as built, put in by the build (scripts/lib/esbuild-plugins.mjs). */
declare module 'virtual:worker-source/*' {
  const source: string;
  export default source;
}
