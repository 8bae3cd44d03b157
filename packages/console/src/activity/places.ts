import type { Issue } from "@touchstone/core";
import {
  encodeUtf8,
  fragmentTokens,
  joinPointer,
  jsonText,
  locatePointers,
  scanJson,
} from "@touchstone/core/advanced";
import type { ActivityRecord } from "@touchstone/gateway/api";
import { type Excerpt, excerptAt } from "../json/excerpt.ts";

/** Maximum nesting of a text; the gateway keeps schemas and bodies far below this. */
const MAX_DEPTH = 1000;

/** Returns a member of a JSON object as it was written. */
function memberText(text: string, pointer: string): string | undefined {
  const bytes = encodeUtf8(text);
  if (scanJson(bytes, { maxDepth: MAX_DEPTH }).error !== undefined) return undefined;
  const place = locatePointers(bytes, [pointer]).get(pointer);
  return place?.found === true ? jsonText(bytes, place.value) : undefined;
}

/**
 * Returns the schema that a check in this direction applied, from a tool's description; undefined if the tool
 * declares none.
 */
export function schemaOf(description: string, direction: string): string | undefined {
  if (direction !== "input" && direction !== "output") return undefined;
  return memberText(description, direction === "input" ? "/inputSchema" : "/outputSchema");
}

/** Returns the keyword that an issue is about, within its schema; undefined if it is not there. */
export function schemaPlace(schema: string, { schemaPath }: Issue): Excerpt | undefined {
  const tokens = fragmentTokens(schemaPath ?? "");
  if (tokens === undefined) return undefined;
  const excerpt = excerptAt(schema, tokens.reduce(joinPointer, ""));
  // If the schema has changed since, the keyword may no longer be there.
  return excerpt?.found === true ? excerpt : undefined;
}

/** What is known about the payload that an issue is about. */
export type PayloadPlace =
  | { readonly kind: "found"; readonly excerpt: Excerpt }
  /**
   * `none`: it was not kept. `cut`: the body was too long. `absent`: the result had no structured content.
   * `message`: the issue is about a message; only arguments and results are ever kept.
   */
  | { readonly kind: "none" | "cut" | "absent" | "message" };

/**
 * Returns the location of an issue in the arguments or result.
 * @param request all records of the request: the call has the bodies, the decision the issues
 */
export function payloadPlace(
  issue: Issue,
  direction: string | null,
  request: readonly ActivityRecord[],
): PayloadPlace {
  if (direction !== "input" && direction !== "output") return { kind: "message" };
  const kept = (name: "arguments" | "result"): string | undefined =>
    request.map((record) => record[name]).find((text) => text !== undefined);
  const body = direction === "input" ? kept("arguments") : kept("result");
  if (body === undefined) return { kind: "none" };
  // Only the structuredContent of a result is checked.
  const isOutput = direction === "output";
  const checked = isOutput ? memberText(body, "/structuredContent") : body;
  if (checked === undefined) return { kind: memberText(body, "") === undefined ? "cut" : "absent" };
  const excerpt = excerptAt(checked, issue.path);
  return excerpt === undefined ? { kind: "cut" } : { kind: "found", excerpt };
}
