import {
  DEFAULT_DIALECT,
  dialectOf,
  isObject,
  issueClause,
  type JsonObject,
} from "@touchstone/core/advanced";
import { paramHeadersOf } from "../../headers/param-headers.ts";
import { compiledMessage } from "../../messages/compiled.ts";
import { messagesOf } from "../../messages/tables.ts";
import { LATEST } from "../../revisions/revisions.ts";
import { quotedAuthorText, type UnassignedFinding } from "./finding.ts";

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** Sizes of a tool's JSON text at which it noticeably fills a model's context, in UTF-16 code units. */
const LARGE = 16_384;
const HUGE = 65_536;

/** Checks a tool against the revision's own definition of a tool (MCP, Tools, Data Types). */
export function shapeFindings(tool: unknown, version: string): readonly UnassignedFinding[] {
  const table = messagesOf(version) ?? messagesOf(LATEST.version);
  if (table === undefined) return [];
  const { errors } = compiledMessage(table, "Tool").validate(tool, { maxDepth: 10_000 });
  return errors.map((issue) => {
    return {
      path: issue.path,
      rule: "tool-shape",
      severity: "error",
      message: `${issueClause(issue).predicate} (the shape of a tool in MCP ${table.version})`,
      fix: "Give the tool this shape; clients drop it or fail on it otherwise.",
    };
  });
}

/** Checks that names follow the specification's advice (MCP 2025-11-25, Tools, Tool Names; SEP-986). */
export function nameFindings(name: string): readonly UnassignedFinding[] {
  if (NAME.test(name)) return [];
  const slashes = NAME.test(name.replaceAll("/", "."));
  return [
    {
      path: "/name",
      rule: "tool-name",
      severity: slashes ? "info" : "warning",
      message: `the name ${quotedAuthorText(name)} is not 1 to 128 of the characters A-Z a-z 0-9 _ . -`,
      fix: "Rename the tool; clients and model providers refuse or rewrite other names.",
    },
  ];
}

export function describeFindings({ description }: JsonObject): readonly UnassignedFinding[] {
  if (typeof description === "string" && description.trim() !== "") return [];
  return [
    {
      path: "/description",
      rule: "tool-description",
      severity: "warning",
      message: "the tool has no description; a model cannot tell when to call it",
      fix: "Say in a sentence or two what the tool does and when to use it.",
    },
  ];
}

/** Checks the annotations that repeat arguments in headers (MCP 2026-07-28, `x-mcp-header`). */
export function headerFindings({ inputSchema }: JsonObject): readonly UnassignedFinding[] {
  const headers = paramHeadersOf(inputSchema);
  if (headers.valid) return [];
  return [
    {
      path: "/inputSchema",
      rule: "header-annotation",
      severity: "error",
      message: headers.reason,
      fix: "Fix the annotation; clients must not offer the tool over HTTP as it is.",
    },
  ];
}

/**
 * Checks the dialect of an output schema. Clients compile the schema, and refuse every call of the tool if they do
 * not know the dialect: 2020-12 is MCP's default (SEP-1613). The TypeScript SDK's client knows 2020-12, 2019-09,
 * draft-07 and draft-06 (@modelcontextprotocol/client 2.4.0). Earlier releases, as in Claude Code, know only 2020-12
 * (https://github.com/anthropics/claude-code/issues/90549).
 */
export function outputDialectFindings({ outputSchema }: JsonObject): readonly UnassignedFinding[] {
  const dialect = isObject(outputSchema) ? outputSchema["$schema"] : undefined;
  if (typeof dialect !== "string") return [];
  const known = dialectOf(dialect);
  // An unknown dialect is reported when the schema is compiled.
  if (known === undefined || known === DEFAULT_DIALECT) return [];
  const by = known === "draft-04" ? "clients" : "some clients, such as Claude Code,";
  return [
    {
      path: "/outputSchema/$schema",
      rule: "output-dialect",
      severity: known === "draft-04" ? "error" : "warning",
      message: `the output schema names the dialect ${quotedAuthorText(dialect)}; ${by} refuse every call of the tool`,
      fix: "Write the schema in draft 2020-12 and leave $schema out.",
    },
  ];
}

/**
 * Checks that the root of an output schema has the type `object`, which MCP requires up to 2025-11-25 (schema.ts,
 * `Tool.outputSchema`). Clients of these revisions refuse the whole list for one such tool.
 */
export function outputRootFindings({ outputSchema }: JsonObject): readonly UnassignedFinding[] {
  if (!isObject(outputSchema) || outputSchema["type"] === "object") return [];
  return [
    {
      path: "/outputSchema",
      rule: "output-root",
      severity: "warning",
      message:
        'the root of the output schema does not have "type": "object"; clients up to MCP 2025-11-25 refuse the whole list',
      fix: 'Write "type": "object" at the root and put the result into a property of it, or serve only 2026-07-28 (--revision 2026-07-28).',
    },
  ];
}

export function sizeFindings(text: string): readonly UnassignedFinding[] {
  if (text.length <= LARGE) return [];
  return [
    {
      path: "",
      rule: "tool-size",
      severity: text.length > HUGE ? "warning" : "info",
      message: `the tool's definition is ${text.length} characters long, which every conversation pays for`,
      fix: "Shorten descriptions, share subschemas under $defs, or split the tool.",
    },
  ];
}
