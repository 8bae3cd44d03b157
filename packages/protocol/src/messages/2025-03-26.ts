import { MESSAGES_2024_11_05 } from "./2024-11-05.ts";
import { CONTENT_2025_03_26 } from "./content.ts";
import { LIFECYCLE_2025_03_26 } from "./lifecycle.ts";
import type { MessageTable } from "./message-table.ts";
import { SAMPLING_2025_03_26 } from "./sampling.ts";
import { TOOLS_2025_03_26 } from "./tools.ts";
import { UTILITIES_2025_03_26 } from "./utilities.ts";

/** https://modelcontextprotocol.io/specification/2025-03-26 */
export const MESSAGES_2025_03_26: MessageTable = {
  ...MESSAGES_2024_11_05,
  version: "2025-03-26",
  definitions: {
    ...MESSAGES_2024_11_05.definitions,
    ...LIFECYCLE_2025_03_26,
    ...UTILITIES_2025_03_26,
    ...CONTENT_2025_03_26,
    ...TOOLS_2025_03_26,
    ...SAMPLING_2025_03_26,
  },
};
