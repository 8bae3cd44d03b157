import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, type InlineConfig, type Plugin } from "vite";
import { apiTable } from "../api/api-table.ts";

/** Files to compress; images and fonts are already compressed. */
const COMPRESSED = /\.(?:js|css|svg)$/;
/** Packages that contribute only a font, which Vite does not recognize as libraries. */
const FONTS = ["@fontsource-variable/geist", "@fontsource-variable/geist-mono"];

/** Writes a gzip copy next to each file, so that servers need not compress it. */
function compressed(): Plugin {
  return {
    name: "touchstone-compressed",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!COMPRESSED.test(file.fileName)) continue;
          const source = gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 });
          this.emitFile({ type: "asset", fileName: `${file.fileName}.gz`, source });
        }
      },
    },
  };
}

/** Leaves the WebAssembly scanner out of the page, whose policy refuses it; the JavaScript scanner does the same work. */
function withoutWebAssembly(): Plugin {
  return {
    name: "touchstone-without-webassembly",
    config: () => ({ define: { WebAssembly: "undefined" } }),
    load: (id) =>
      id.endsWith("/json/wasm/scanner.generated.ts") ? 'export const SCANNER_BASE64 = "";' : null,
  };
}

/**
 * Packages whose modules only contain declarations. Without this, Vite keeps other modules even if nothing imports
 * from them.
 */
const DECLARING = /\/packages\/(?:gateway|records|util)\/(?:src|dist)\//;
const TREE_SHAKING = { moduleSideEffects: (id: string): boolean => !DECLARING.test(id) };

/**
 * Modules that are bundled into one file. Without groups, Vite writes a file for each set of pages that share a
 * module, and many small files compress badly.
 */
const GROUPS = [
  { name: "main", tags: ["$initial" as const], priority: 1 },
  { name: "icons", test: /[\\/]lucide-react[\\/]/ },
];

/** Puts the table of the gateway's operations into the page as JSON, without what only its documentation needs. */
function withApiTable(): Plugin {
  return {
    name: "touchstone-api-table",
    async load(id) {
      if (!id.endsWith("/console/src/api/declared-table.ts")) return null;
      const { COMPONENTS, OPERATIONS } = await import("@touchstone/gateway/api");
      const table = JSON.stringify(apiTable(OPERATIONS, COMPONENTS.schemas));
      return `export const API_TABLE = ${table};`;
    },
  };
}

/** Adds the licenses of the fonts to those of the libraries. */
function fontLicenses(fileName: string): Plugin {
  const require = createRequire(import.meta.url);
  const texts = FONTS.map((name) => {
    const text = readFileSync(require.resolve(`${name}/LICENSE`), "utf8");
    return `\n## ${name}\n\n${text.trim()}\n`;
  });
  return {
    name: "touchstone-font-licenses",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const file = bundle[fileName];
        if (file?.type === "asset") file.source = `${file.source}${texts.join("")}`;
      },
    },
  };
}

/**
 * Returns the build settings of the page: hashed files in one directory, listed in `manifest.json`, with relative
 * links, so that any server can serve them below any path. Nothing is inlined, because the page's policy forbids it.
 * `licenses.md` holds the licenses of the bundled libraries, which must accompany copies of them.
 */
export function buildSettings(entry: string, outDir: string): InlineConfig {
  const licenses = "licenses.md";
  return {
    base: "./",
    publicDir: false,
    plugins: [
      react(),
      tailwindcss(),
      withoutWebAssembly(),
      withApiTable(),
      fontLicenses(licenses),
      compressed(),
    ],
    resolve: { conditions: ["@touchstone/source", ...defaultClientConditions] },
    build: {
      target: "es2023",
      outDir,
      emptyOutDir: true,
      assetsDir: "",
      assetsInlineLimit: 0,
      manifest: "manifest.json",
      license: { fileName: licenses },
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        input: entry,
        treeshake: TREE_SHAKING,
        output: { codeSplitting: { groups: GROUPS } },
      },
    },
  };
}

/**
 * Returns the build settings of the playground: `index.html` with its files next to it, which any server can serve.
 * The code of its worker is a string in its script.
 */
export function playgroundSettings(root: string, outDir: string): InlineConfig {
  const { build, ...settings } = buildSettings(`${root}/index.html`, outDir);
  return {
    ...settings,
    root,
    build: { ...build, manifest: false, chunkSizeWarningLimit: 1_500 },
    worker: {
      format: "es",
      plugins: () => [withoutWebAssembly()],
      rolldownOptions: { treeshake: TREE_SHAKING },
    },
  };
}
