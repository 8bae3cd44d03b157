import type { WebAssemblyApi } from "../../json/wasm/exports.ts";
import { ScannerSource } from "../../json/wasm/source.ts";

/**
 * Returns a source whose scanner reports each number for which it asks JavaScript whether a double can hold it.
 * @param asked is given the offset of each
 */
export function askingSource(asked: number[]): ScannerSource {
  const { Module, Instance } = WebAssembly as unknown as WebAssemblyApi;
  type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const isLossyOf = ({ number }: Imports) =>
    number?.["isLossy"] as (start: number, end: number) => boolean;
  class Asking {
    readonly exports: unknown;
    constructor(module: object, imports: Imports) {
      const isLossy = (start: number, end: number): boolean => {
        asked.push(start);
        return isLossyOf(imports)(start, end);
      };
      this.exports = new Instance(module, { number: { isLossy } }).exports;
    }
  }
  return new ScannerSource({ Module, Instance: Asking });
}
