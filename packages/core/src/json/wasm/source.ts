import type { ScannerExports, WebAssemblyApi } from "./exports.ts";
import { SCANNER_BASE64 } from "./scanner.generated.ts";
import { WasmScanner } from "./scanner.ts";

declare const WebAssembly: WebAssemblyApi | undefined;
declare const atob: (base64: string) => string;

/** A larger text is not copied into the scanner's memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** After a larger text, the memory is released. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Provides the WebAssembly scanner if the runtime allows it. It is compiled on its first use. */
export class ScannerSource {
  private readonly api: WebAssemblyApi | undefined;
  private module: object | undefined;
  private scanner: WasmScanner | undefined;
  private refused: boolean;

  constructor(api: WebAssemblyApi | undefined) {
    this.api = api;
    this.refused = api === undefined;
  }

  /** Returns the scanner; undefined if none is available. */
  get(): WasmScanner | undefined {
    if (this.scanner === undefined && !this.refused) {
      try {
        this.scanner = this.make();
      } catch {
        // Without SIMD, permission to compile, or memory, JavaScript does the same.
        this.refused = true;
      }
    }
    return this.scanner;
  }

  private make(): WasmScanner | undefined {
    const { api } = this;
    if (api === undefined) return undefined;
    this.module ??= new api.Module(
      Uint8Array.from(atob(SCANNER_BASE64), (character) => character.charCodeAt(0)),
    );
    const { module } = this;
    return new WasmScanner(
      (imports) => new api.Instance(module, imports).exports as ScannerExports,
    );
  }

  /**
   * Returns the result of `run` with the scanner; undefined if there is none, or no memory for a text of `size`
   * bytes.
   */
  use<T>(size: number, run: (scanner: WasmScanner) => T): T | undefined {
    const scanner = size > MAX_TEXT_BYTES ? undefined : this.get();
    if (scanner === undefined) return undefined;
    try {
      return run(scanner);
    } catch {
      return undefined;
    } finally {
      if (scanner.room > KEPT_BYTES) this.scanner = undefined;
    }
  }
}

/** The scanner of this runtime. One is enough for all scans, which are synchronous. */
export const wasmScanners: ScannerSource = new ScannerSource(
  typeof WebAssembly === "undefined" ? undefined : WebAssembly,
);

/** A source without a scanner: everything runs in JavaScript. */
export const scriptOnlyScanner: ScannerSource = new ScannerSource(undefined);
