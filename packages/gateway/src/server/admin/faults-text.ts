import { basename } from "node:path";
import { type ConfigFault, formatFault } from "../../config/faults.ts";

/**
 * Why an entry of a configuration cannot be served, as one line: each fault with its place in the file, which is
 * named without its directory.
 */
export function faultsText(faults: readonly ConfigFault[]): string {
  return faults.map((fault) => formatFault({ ...fault, file: basename(fault.file) })).join("; ");
}
