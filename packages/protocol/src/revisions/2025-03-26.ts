import { REVISION_2024_11_05 } from "./2024-11-05.ts";
import type { Revision } from "./revision.ts";

/** https://modelcontextprotocol.io/specification/2025-03-26/changelog: Streamable HTTP, batches. */
export const REVISION_2025_03_26: Revision = {
  ...REVISION_2024_11_05,
  version: "2025-03-26",
  batches: true,
  http: "streamable",
  sessionHeader: true,
};
