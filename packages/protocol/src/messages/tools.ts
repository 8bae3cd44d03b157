import { cacheablePage, page, params, result, retryParams, typedResult } from "./base.ts";
import {
  ANY,
  ARRAY,
  BOOLEAN,
  type Definitions,
  extend,
  listOf,
  literal,
  mapOf,
  OBJECT,
  object,
  ref,
  STRING,
} from "./schema.ts";

const OBJECT_TYPE = { const: "object" };
/** A schema inside a schema: booleans are schemas too (see the errata). */
const SUBSCHEMA = { type: ["object", "boolean"] };
const TOOL_SCHEMA = object(
  { type: OBJECT_TYPE },
  { properties: mapOf(SUBSCHEMA), required: listOf(STRING) },
);
const TOOL = object({ name: STRING, inputSchema: TOOL_SCHEMA }, { description: STRING });
const CONTENT = { content: listOf(ref("ContentBlock")) };

/** MCP, Server Features, Tools. */
export const TOOLS_2024_11_05: Definitions = {
  Tool: TOOL,
  ListToolsResult: page("tools"),
  CallToolRequestParams: params({ name: STRING }, { arguments: OBJECT }),
  CallToolResult: result(CONTENT, { isError: BOOLEAN }),
};

const TOOL_2025_03_26 = extend(TOOL, { annotations: ref("ToolAnnotations") });

/** 2025-03-26: annotations. */
export const TOOLS_2025_03_26: Definitions = {
  ...TOOLS_2024_11_05,
  Tool: TOOL_2025_03_26,
  ToolAnnotations: object(
    {},
    {
      title: STRING,
      readOnlyHint: BOOLEAN,
      destructiveHint: BOOLEAN,
      idempotentHint: BOOLEAN,
      openWorldHint: BOOLEAN,
    },
  ),
};

const TOOL_2025_06_18 = extend(TOOL_2025_03_26, {
  _meta: OBJECT,
  title: STRING,
  outputSchema: TOOL_SCHEMA,
});

/** 2025-06-18: structured output. */
export const TOOLS_2025_06_18: Definitions = {
  ...TOOLS_2025_03_26,
  Tool: TOOL_2025_06_18,
  CallToolResult: result(CONTENT, { isError: BOOLEAN, structuredContent: OBJECT }),
};

const DIALECT = { $schema: STRING };
const SCHEMA_2025_11_25 = extend(TOOL_SCHEMA, DIALECT);

/** 2025-11-25: schemas may name a dialect (SEP-1613), icons, calls that become tasks (SEP-1686). */
export const TOOLS_2025_11_25: Definitions = {
  ...TOOLS_2025_06_18,
  Tool: extend(TOOL_2025_06_18, {
    inputSchema: SCHEMA_2025_11_25,
    outputSchema: SCHEMA_2025_11_25,
    icons: listOf(ref("Icon")),
    execution: object({}, { taskSupport: literal("forbidden", "optional", "required") }),
  }),
  CallToolRequestParams: params({ name: STRING }, { arguments: OBJECT, task: ref("TaskMetadata") }),
};

/** 2026-07-28: any JSON Schema, any structured content (SEP-2106). */
export const TOOLS_2026_07_28: Definitions = {
  ...TOOLS_2025_06_18,
  Tool: extend(TOOL_2025_06_18, {
    inputSchema: object({ type: OBJECT_TYPE }, DIALECT),
    outputSchema: object({}, DIALECT),
    icons: listOf(ref("Icon")),
  }),
  ListToolsResult: cacheablePage("tools"),
  CallToolRequestParams: retryParams({ name: STRING }, { arguments: OBJECT }),
  CallToolResult: typedResult(CONTENT, { isError: BOOLEAN, structuredContent: ANY }),
};

/** Returns the schema of a call's result within sampling (2025-11-25 and later). */
export function toolContent(structuredContent: typeof ANY): Definitions {
  return {
    ToolUseContent: object({ id: STRING, name: STRING, input: OBJECT }, { _meta: OBJECT }),
    ToolResultContent: object(
      { toolUseId: STRING, content: { ...ARRAY, items: ref("ContentBlock") } },
      { _meta: OBJECT, isError: BOOLEAN, structuredContent },
    ),
  };
}
