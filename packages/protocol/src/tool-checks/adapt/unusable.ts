import { isObject } from "@touchstone/core/advanced";
import { quotedAuthorText } from "../lint/finding.ts";
import { brokenSteps } from "../lint/providers/broken-schema.ts";
import { subschemaSteps } from "../lint/walk.ts";

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** How to check a tool. */
export interface UnusableOptions {
  /** Whether clients see a name made by the gateway instead of the tool's own. Default false. */
  readonly isRenamed?: boolean;
  /** Whether its schema is compiled, which takes one step. Default true. */
  readonly compiles?: boolean;
}

/**
 * Returns why a tool makes clients fail: because of this one tool, they can use none of its server's tools, or every
 * message of a conversation fails. Undefined if they can use it. Works in steps of a few milliseconds. Names are judged
 * by MCP 2025-11-25, Tools, Tool Names; schemas by JSON Schema and MCP's `Tool`.
 * @param tool parsed
 */
export function* unusableReason(
  tool: unknown,
  { isRenamed = false, compiles = true }: UnusableOptions = {},
): Generator<void, string | undefined, void> {
  if (!isObject(tool)) return "it is not an object";
  const { name, inputSchema } = tool;
  if (typeof name !== "string") return "it has no name";
  if (!isRenamed && !NAME.test(name)) {
    return `the name ${quotedAuthorText(name)} is not 1 to 128 of the characters A-Z a-z 0-9 _ . -`;
  }
  if (!isObject(inputSchema)) return "its inputSchema is not an object";
  if (inputSchema["type"] !== "object") return 'its inputSchema does not have "type": "object"';
  const [broken] = yield* brokenSteps(yield* subschemaSteps(inputSchema, "/inputSchema"), compiles);
  return broken === undefined ? undefined : `${broken.path}: ${broken.message}`;
}

/**
 * Returns why clients that compile an output schema refuse every call of its tool; undefined if they can use it. Such
 * clients know draft 2020-12 (MCP, SEP-1613), and MCP up to 2025-11-25 allows only objects.
 */
export function* unusableOutput(
  outputSchema: unknown,
  { compiles = true }: Pick<UnusableOptions, "compiles"> = {},
): Generator<void, string | undefined, void> {
  if (!isObject(outputSchema)) return "it is not an object";
  const { $schema, type } = outputSchema;
  if (type !== "object") return 'it does not have "type": "object"';
  if (
    typeof $schema === "string" &&
    !/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test($schema)
  ) {
    return `it names the dialect ${quotedAuthorText($schema)}`;
  }
  const [broken] = yield* brokenSteps(yield* subschemaSteps(outputSchema, ""), compiles);
  return broken === undefined ? undefined : `${broken.path}: ${broken.message}`;
}
