import { isObject, parseJson } from "@touchstone/core/advanced";
import type { Exchange, Recordings } from "@touchstone/gateway/recordings";
import { recordedOutcome } from "./outcome.ts";

/** Why a recorded call is not repeated, in the words of a report. */
export const SKIPPED = {
  same: "repeat another recorded call",
  unanswered: "have no recorded response",
  redacted: "lack secrets that were removed from their arguments",
  "not-read-only": "are of tools that do not declare readOnlyHint, then and now",
  gone: "are of tools that the server does not list",
  unlisted: "are of tools that were not listed, then and now",
  incomplete: "were recorded with a task or a question instead of a result",
  invalid: "are not valid calls",
  ended: "came after the server had ended too often",
} as const;
export type Skipped = keyof typeof SKIPPED;

/** A call to repeat. */
export interface CallToRepeat {
  readonly exchange: Exchange;
  readonly tool: string;
}

/** The calls to repeat, and how many others there are, by reason. */
export interface Selection {
  readonly calls: readonly CallToRepeat[];
  readonly skipped: Map<Skipped, number>;
  /** The tools with recorded calls that the server does not list. */
  readonly gone: ReadonlySet<string>;
}

/** The tools of which calls may be repeated. */
export interface CallableTools {
  /** The server's tools now, by name. */
  readonly now: ReadonlyMap<string, object>;
  /** Names of tools that may be called whatever they declare. */
  readonly allowed: ReadonlySet<string>;
}

/** Selects the recorded calls that may be repeated: of tools that declared, and declare, that they only read. */
export function selectCalls(recordings: Recordings, { now, allowed }: CallableTools): Selection {
  const before = recordedTools(recordings);
  const skipped = new Map<Skipped, number>();
  const calls: CallToRepeat[] = [];
  const gone = new Set<string>();
  const skip = (reason: Skipped, count = 1): void => {
    if (count > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + count);
  };
  let different = 0;
  for (const exchange of recordings.calls()) {
    different += 1;
    const { frame } = recordings.request(exchange);
    const { name: tool } = frame;
    if (tool === undefined) {
      skip("invalid");
      continue;
    }
    const isAllowed =
      allowed.has(tool) ||
      (isReadOnly(before.get(tool)) && isReadOnly(now.get(tool) ?? before.get(tool)));
    const first = recordings.answered(exchange);
    if (!isAllowed) skip("not-read-only");
    else if (first === undefined) skip("unanswered");
    else if (recordings.isRequestRedacted(exchange)) skip("redacted");
    else if (frame.range("/params/task") !== undefined) skip("incomplete");
    else if (recordedOutcome(recordings.response(first)) === undefined) skip("incomplete");
    else if (!now.has(tool) && before.size > 0 && !before.has(tool)) skip("unlisted");
    else if (!now.has(tool)) {
      gone.add(tool);
      skip("gone");
    } else calls.push({ exchange, tool });
  }
  skip("same", recordings.callCount - different);
  return { calls, skipped, gone };
}

/** Returns the tools of the newest list in a capture, by name. */
function recordedTools(recordings: Recordings): ReadonlyMap<string, object> {
  const listed = recordedPages(recordings).flatMap((page): readonly unknown[] => {
    const parsed = parseJson(page);
    const tools = parsed.ok && isObject(parsed.value) ? parsed.value["tools"] : undefined;
    return Array.isArray(tools) ? tools : [];
  });
  return toolsByName(listed);
}

/** Returns the results of the newest list in a capture, as JSON. */
export function recordedPages(recordings: Recordings): readonly string[] {
  return recordings.toolPages().flatMap((page) => {
    const { result } = page.ranges;
    return result === undefined ? [] : [page.text(result)];
  });
}

/** Returns tools by their names; of several with the same name, one that does not declare `readOnlyHint`, else the last. */
export function toolsByName(listed: readonly unknown[]): ReadonlyMap<string, object> {
  const tools = new Map<string, object>();
  for (const tool of listed) {
    if (!isObject(tool) || typeof tool["name"] !== "string") continue;
    const earlier = tools.get(tool["name"]);
    if (earlier === undefined || isReadOnly(earlier)) tools.set(tool["name"], tool);
  }
  return tools;
}

function isReadOnly(tool: unknown): boolean {
  const annotations = isObject(tool) ? tool["annotations"] : undefined;
  return isObject(annotations) && annotations["readOnlyHint"] === true;
}
