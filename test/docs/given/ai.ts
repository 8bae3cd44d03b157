// Names that the pages use without an import: a client with the AI SDK's tools.
export { withValidation } from "@touchstone/runner/ai";
export { TypeValidationError } from "ai";

import { jsonSchema, type ToolSet, tool } from "ai";

export const client = {
  tools: async (): Promise<ToolSet> => ({
    echo: tool({ inputSchema: jsonSchema({ type: "object" }), execute: async (args) => args }),
  }),
};
