// What the pages take for granted: a client whose tools are the AI SDK's.
export { withValidation } from "@touchstone/runner/ai";
export { TypeValidationError } from "ai";

import { jsonSchema, type ToolSet, tool } from "ai";

export const client = {
  tools: async (): Promise<ToolSet> => ({
    echo: tool({ inputSchema: jsonSchema({ type: "object" }), execute: async (args) => args }),
  }),
};
