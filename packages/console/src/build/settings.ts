import { defaultClientConditions, type InlineConfig } from "vite";

/**
 * How the page is built: hashed files side by side, listed in `manifest.json`, with relative links,
 * so that any server may serve them below any path. Nothing is inlined: the page's policy forbids it.
 * `licenses.md` holds the licences of the libraries in it, which ask to go where copies of them go.
 */
export function buildSettings(entry: string, outDir: string): InlineConfig {
  return {
    base: "./",
    publicDir: false,
    // The policy refuses WebAssembly, and reports each try: the scanner in JavaScript does the same.
    define: { WebAssembly: "undefined" },
    resolve: { conditions: ["@touchstone/source", ...defaultClientConditions] },
    build: {
      target: "es2023",
      outDir,
      emptyOutDir: true,
      assetsDir: "",
      assetsInlineLimit: 0,
      manifest: "manifest.json",
      license: { fileName: "licenses.md" },
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rolldownOptions: { input: entry },
    },
  };
}
