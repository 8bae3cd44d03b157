import {
  encodeUtf8,
  fragmentTokens,
  joinPointer,
  jsonText,
  locatePointers,
  scanJson,
} from "@touchstone/core";
import { type Excerpt, excerptAt } from "../json/excerpt.ts";
import type { ActivityRecord, RecordIssue } from "./record.ts";

/** Nesting of a text that is read; the gateway keeps schemas and bodies far below. */
const MAX_DEPTH = 1000;

/** Returns a member of a JSON object, as it was written. */
function memberText(text: string, pointer: string): string | undefined {
  const bytes = encodeUtf8(text);
  if (scanJson(bytes, { maxDepth: MAX_DEPTH }).error !== undefined) return undefined;
  const place = locatePointers(bytes, [pointer]).get(pointer);
  return place?.found === true ? jsonText(bytes, place.value) : undefined;
}

/**
 * Returns the schema that a check of this direction applied, out of a tool's description; undefined if the
 * tool declares none.
 */
export function schemaOf(description: string, direction: string): string | undefined {
  if (direction !== "input" && direction !== "output") return undefined;
  return memberText(description, direction === "input" ? "/inputSchema" : "/outputSchema");
}

/** Returns the keyword that an issue is about, in the schema around it; undefined if it is not there. */
export function schemaPlace(schema: string, { schemaPath }: RecordIssue): Excerpt | undefined {
  const tokens = fragmentTokens(schemaPath ?? "");
  if (tokens === undefined) return undefined;
  const excerpt = excerptAt(schema, tokens.reduce(joinPointer, ""));
  // A schema that has changed since may not have the keyword any more.
  return excerpt?.found === true ? excerpt : undefined;
}

/** What is known of the payload that an issue is about. */
export type PayloadPlace =
  | { readonly kind: "found"; readonly excerpt: Excerpt }
  /**
   * `none`: bodies are not kept. `cut`: it was too long. `absent`: the result had nothing structured.
   * `message`: the issue is about a message, of which only arguments and result are ever kept.
   */
  | { readonly kind: "none" | "cut" | "absent" | "message" };

/**
 * Returns the place of an issue in what was sent or answered.
 * @param request all records of the request: the call holds the bodies, the decision the issues
 */
export function payloadPlace(
  issue: RecordIssue,
  direction: string | null,
  request: readonly ActivityRecord[],
): PayloadPlace {
  if (direction !== "input" && direction !== "output") return { kind: "message" };
  const kept = (name: "arguments" | "result"): string | undefined =>
    request.map((record) => record[name]).find((text) => text !== null) ?? undefined;
  const body = direction === "input" ? kept("arguments") : kept("result");
  if (body === undefined) return { kind: "none" };
  // What is checked of a result is its structuredContent.
  const isOutput = direction === "output";
  const checked = isOutput ? memberText(body, "/structuredContent") : body;
  if (checked === undefined) return { kind: memberText(body, "") === undefined ? "cut" : "absent" };
  const excerpt = excerptAt(checked, issue.path);
  return excerpt === undefined ? { kind: "cut" } : { kind: "found", excerpt };
}
