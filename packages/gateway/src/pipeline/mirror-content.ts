import { type JsonRange, jsonText, scanJsonSteps, takeSteps } from "@touchstone/core";
import { spliceFrame } from "@touchstone/protocol";
import { nameInLog } from "./evidence.ts";
import type { ServerExchange } from "./exchange.ts";
import { isShort } from "./faults.ts";
import type { ToolCall } from "./in-flight.ts";
import { readArrived, readWhole } from "./stages/decode.ts";
import { judgedPart, toldResult } from "./tasks.ts";

/** Results of longer messages stay as they are: their text would be read as a whole once more. */
const MAX_BYTES = 1_048_576;
const MEMBERS = {
  content: true,
  structuredContent: true,
  isError: true,
  resultType: true,
} as const;
const PATHS: ReadonlySet<string> = new Set(Object.keys(MEMBERS).map((name) => `/${name}`));
const NO_CONTENT = /^\[[\t\n\r ]*\]$/;
const ADAPT = "mirror_content";

/**
 * Adds the structured content of a call's result as a block of text if the result has no content (`adapt.mirror_content`):
 * "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block" (MCP, Tools,
 * Structured Content). The text is the server's own. All other bytes stay as they came. A long result is read and
 * changed in steps: undefined if there is no need to wait for that.
 */
export function mirrorContent(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, early, snapshot } = exchange;
  if (early !== undefined || snapshot.server.adapt?.mirrorContent !== true) return undefined;
  const steps = mirrorSteps(exchange);
  if (!isShort(frame)) return state.context.slice.take(steps);
  takeSteps(steps);
  return undefined;
}

function* mirrorSteps(exchange: ServerExchange): Generator<void, void, void> {
  const { state, frame, pending, snapshot } = exchange;
  const at = pending?.call === undefined ? toldResult(frame) : judgedPart(frame, pending);
  const range = at === undefined || frame.kind === "error" ? undefined : frame.range(at);
  // Most results are none of these: what the frame knows of them spares another look.
  if (range === undefined || frame.range(`${at}/structuredContent`) === undefined) return;
  const content = frame.range(`${at}/content`);
  const call = pending?.call ?? state.tasks.get(frame.taskId ?? "");
  if (frame.bytes.length > MAX_BYTES) {
    if (content !== undefined) return;
    const why = `the message is ${frame.bytes.length} bytes long, more than ${MAX_BYTES}`;
    note(exchange, call, `${ADAPT} not done: ${why}`);
    return;
  }
  if (content !== undefined && !NO_CONTENT.test(frame.text(content))) return;
  const bytes = yield* withContent(frame.bytes, range);
  if (bytes === undefined) return;
  yield;
  const toolOf = (): string | undefined => call?.tool;
  const read = readArrived(state.context, bytes, toolOf, { snapshot });
  yield;
  exchange.readAs(yield* readWhole(state.context, read, toolOf));
  note(exchange, call, ADAPT);
}

/** Returns a message whose result has content; undefined if it has some, is an error, or can be read in two ways. */
function* withContent(
  bytes: Uint8Array,
  result: JsonRange,
): Generator<void, Uint8Array | undefined, void> {
  const own = bytes.subarray(result.start, result.end);
  const scan = yield* scanJsonSteps(own, { members: MEMBERS, duplicates: true });
  const { duplicates, duplicatesTruncated, members } = scan;
  const textOf = (pointer: string): string | undefined => {
    const range = members.get(pointer);
    return range && jsonText(own, range);
  };
  const structured = textOf("/structuredContent");
  if (structured === undefined || textOf("/isError") === "true") return undefined;
  if (!["undefined", '"complete"'].includes(String(textOf("/resultType")))) return undefined;
  if (duplicatesTruncated || duplicates.some(({ path }) => PATHS.has(path))) return undefined;
  yield;
  const blocks = `[{"type":"text","text":${JSON.stringify(structured)}}]`;
  yield;
  const content = members.get("/content");
  if (content === undefined) {
    // There is at least one member after it.
    const start = result.start + 1;
    return spliceFrame(bytes, [{ range: { start, end: start }, text: `"content":${blocks},` }]);
  }
  if (!NO_CONTENT.test(textOf("/content") ?? "")) return undefined;
  const range = { start: result.start + content.start, end: result.start + content.end };
  return spliceFrame(bytes, [{ range, text: blocks }]);
}

/** Notes it for the call's record. The call of a task has its record by then, so the log has it once for each tool. */
function note({ state }: ServerExchange, call: ToolCall | undefined, text: string): void {
  if (call?.recorded === false) {
    call.adapt = call.adapt === undefined ? text : `${call.adapt}; ${text}`;
    return;
  }
  const { paced, server } = state.context;
  const line = `${nameInLog(server, call?.tool)} result of a task: ${text}`;
  paced.warnOnce(line, line);
}
