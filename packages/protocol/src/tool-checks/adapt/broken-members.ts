import {
  decodeUtf8,
  isObject,
  issueClause,
  type JsonObject,
  pointerTokens,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { compiledMessage } from "../../messages/compiled.ts";
import { messagesOf } from "../../messages/tables.ts";
import { memberRange, spliceFrame } from "../../splice.ts";

/** The revision whose tools have the most optional members. */
const REVISION = "2025-11-25";
const OPTIONAL = {
  title: true,
  description: true,
  icons: true,
  annotations: true,
  execution: true,
  outputSchema: true,
  _meta: true,
} as const;
const NAMES: readonly string[] = Object.keys(OPTIONAL);

/** An optional member that is not what MCP allows. */
interface BrokenMember {
  /** RFC 6901 pointer into the tool. */
  readonly path: string;
  readonly message: string;
}

/** A tool's text without its broken members. */
export interface ToolWithoutBroken {
  readonly text: Uint8Array;
  readonly removed: readonly BrokenMember[];
}

/**
 * Finds the optional members of a tool that clients refuse, and the whole list with them (MCP 2025-11-25, `Tool`): SDK
 * clients check every tool of a list against its type.
 */
function brokenMembers(tool: JsonObject): readonly BrokenMember[] {
  const table = messagesOf(REVISION);
  if (table === undefined) return [];
  // Schemas have rules of their own, and may be large.
  const looked: Record<string, unknown> = { name: "t", inputSchema: { type: "object" } };
  for (const name of NAMES) {
    if (!Object.hasOwn(tool, name)) continue;
    const value = tool[name];
    const isDeep = name === "outputSchema" || name === "_meta";
    looked[name] = isDeep && isObject(value) ? { type: "object" } : value;
  }
  const found = new Map<string, string>();
  for (const issue of compiledMessage(table, "Tool").validate(looked).errors) {
    const [member = "", ...below] = pointerTokens(issue.path);
    if (!NAMES.includes(member)) continue;
    const [hint] = member === "annotations" ? below : [];
    const path = hint === undefined ? `/${member}` : `/${member}/${hint}`;
    const predicate =
      path === issue.path ? issueClause(issue).predicate : "is not what MCP allows there";
    if (!found.has(path)) found.set(path, predicate);
  }
  return [...found].map(([path, predicate]) => ({
    path,
    message: `${path.slice(1)} is removed: it ${predicate}, and clients refuse the whole list for that`,
  }));
}

/**
 * Removes the optional members of a tool that make clients refuse the whole list. Works in steps of a few milliseconds.
 * Returns undefined if there are none.
 * @param text the tool's text, without repeated keys
 */
export function* withoutBrokenMembers(
  text: Uint8Array,
  tool: JsonObject,
): Generator<void, ToolWithoutBroken | undefined, void> {
  const removed = brokenMembers(tool);
  if (removed.length === 0) return undefined;
  let made = text;
  for (const name of NAMES) {
    const paths = removed.flatMap(({ path }) =>
      path === `/${name}` || path.startsWith(`/${name}/`) ? [path] : [],
    );
    if (paths.length === 0) continue;
    const { members } = yield* scanJsonSteps(made, { members: OPTIONAL });
    const range = members.get(`/${name}`);
    if (range === undefined) continue;
    const held = tool[name];
    if (paths.includes(`/${name}`) || !isObject(held)) {
      made = spliceFrame(made, [{ range: memberRange(made, range), text: "" }]);
      continue;
    }
    const gone = new Set(paths.map((path) => path.slice(name.length + 2)));
    const kept = Object.entries(held).filter(([hint]) => !gone.has(hint));
    made = spliceFrame(made, [{ range, text: JSON.stringify(Object.fromEntries(kept)) }]);
  }
  return { text: made, removed };
}

/** Returns the tool of a text that {@link withoutBrokenMembers} made. */
export function toolOf(text: Uint8Array): JsonObject {
  const tool: unknown = JSON.parse(decodeUtf8(text));
  return isObject(tool) ? tool : {};
}

/**
 * Returns a schema whose properties at the top are all objects: clients up to MCP 2025-11-25 refuse the whole list for
 * `true` or `false` there.
 */
export function withObjectProperties(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema["properties"])) return schema;
  const entries = Object.entries(schema["properties"]);
  if (!entries.some(([, held]) => typeof held === "boolean")) return schema;
  const properties = entries.map(([name, held]): [string, unknown] => [
    name,
    held === true ? {} : held === false ? { not: {} } : held,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}
