import { MESSAGES_2025_03_26 } from "./2025-03-26.ts";
import { BASE_2025_06_18 } from "./base.ts";
import { COMPLETION_2025_06_18 } from "./completion.ts";
import { CONTENT_2025_06_18 } from "./content.ts";
import { ELICITATION_2025_06_18 } from "./elicitation.ts";
import { LIFECYCLE_2025_06_18 } from "./lifecycle.ts";
import { type MessageTable, request } from "./message-table.ts";
import { PROMPTS_2025_06_18 } from "./prompts.ts";
import { RESOURCES_2025_06_18 } from "./resources.ts";
import { ROOTS_2025_06_18 } from "./roots.ts";
import { TOOLS_2025_06_18 } from "./tools.ts";

/** https://modelcontextprotocol.io/specification/2025-06-18 */
export const MESSAGES_2025_06_18: MessageTable = {
  ...MESSAGES_2025_03_26,
  version: "2025-06-18",
  definitions: {
    ...MESSAGES_2025_03_26.definitions,
    ...BASE_2025_06_18,
    ...LIFECYCLE_2025_06_18,
    ...CONTENT_2025_06_18,
    ...TOOLS_2025_06_18,
    ...RESOURCES_2025_06_18,
    ...PROMPTS_2025_06_18,
    ...COMPLETION_2025_06_18,
    ...ROOTS_2025_06_18,
    ...ELICITATION_2025_06_18,
  },
  methods: {
    ...MESSAGES_2025_03_26.methods,
    "elicitation/create": request("server", "ElicitRequestParams", "ElicitResult"),
  },
};
