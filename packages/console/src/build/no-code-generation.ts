import type { Plugin } from "vite";

const VERDICT = "/core/src/schema/verdict.ts";

/**
 * Takes out of core what makes code while it runs. Under a Content-Security-Policy without
 * `unsafe-eval` and `wasm-unsafe-eval` each try is refused and reported as a violation; core would
 * go on without, and so its interpreter and its scanner in JavaScript judge from the start.
 */
export function noCodeGeneration(): Plugin {
  let replaced = false;
  return {
    name: "touchstone:no-code-generation",
    enforce: "pre",
    config: () => ({ define: { WebAssembly: "undefined" } }),
    buildStart() {
      replaced = false;
    },
    load(id) {
      if (!id.endsWith(VERDICT)) return undefined;
      replaced = true;
      return "export function makeVerdict() { throw new TypeError('code generation is forbidden'); }";
    },
    buildEnd(error) {
      if (error !== undefined || replaced) return;
      this.error(`no module ends in ${VERDICT}: this plugin has to follow where core makes code`);
    },
  };
}
