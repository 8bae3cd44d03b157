import { isObject } from "@touchstone/core";
import { shown } from "../finding.ts";
import { brokenPlaces } from "../providers/broken-schema.ts";
import { placesOf } from "../walk.ts";

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Returns why clients fail on a tool, so that one tool takes all of its server, or every message of a conversation,
 * down; undefined if they can use it. Names as MCP 2025-11-25, Tools, Tool Names has them; schemas as JSON Schema and
 * MCP's `Tool` have them.
 * @param tool parsed
 * @param renamed whether clients see a name of the gateway's making instead of the tool's own
 */
export function unusableReason(tool: unknown, renamed = false): string | undefined {
  if (!isObject(tool)) return "it is not an object";
  const { name, inputSchema } = tool;
  if (typeof name !== "string") return "it has no name";
  if (!renamed && !NAME.test(name)) {
    return `the name ${shown(name)} is not 1 to 128 of the characters A-Z a-z 0-9 _ . -`;
  }
  if (!isObject(inputSchema)) return "its inputSchema is not an object";
  if (inputSchema["type"] !== "object") return 'its inputSchema does not have "type": "object"';
  const [broken] = brokenPlaces(placesOf(inputSchema, "/inputSchema"));
  return broken === undefined ? undefined : `${broken.path}: ${broken.message}`;
}

/**
 * Returns why clients that compile an output schema refuse each call of its tool; undefined if they can use it: they
 * know draft 2020-12 (MCP, SEP-1613), and MCP up to 2025-11-25 has objects only.
 */
export function unusableOutput(outputSchema: unknown): string | undefined {
  if (!isObject(outputSchema)) return "it is not an object";
  const { $schema, type } = outputSchema;
  if (type !== "object") return 'it does not have "type": "object"';
  if (
    typeof $schema === "string" &&
    !/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test($schema)
  ) {
    return `it names the dialect ${shown($schema)}`;
  }
  const [broken] = brokenPlaces(placesOf(outputSchema, ""));
  return broken === undefined ? undefined : `${broken.path}: ${broken.message}`;
}
