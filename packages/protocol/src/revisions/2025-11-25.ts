import { REVISION_2025_06_18 } from "./2025-06-18.ts";
import { DIALECT_2020_12, type Revision } from "./revision.ts";

/**
 * https://modelcontextprotocol.io/specification/2025-11-25/changelog: invalid arguments are tool
 * errors (SEP-1303), schemas are JSON Schema 2020-12 by default (SEP-1613).
 */
export const REVISION_2025_11_25: Revision = {
  ...REVISION_2025_06_18,
  version: "2025-11-25",
  defaultDialect: DIALECT_2020_12,
  invalidArguments: "result",
};
