import { REVISION_2025_03_26 } from "./2025-03-26.ts";
import type { Revision } from "./revision.ts";

/**
 * https://modelcontextprotocol.io/specification/2025-06-18/changelog: batches are gone again,
 * structured tool output, the version header.
 */
export const REVISION_2025_06_18: Revision = {
  ...REVISION_2025_03_26,
  version: "2025-06-18",
  batches: false,
  structuredContent: "object",
  versionHeader: true,
};
