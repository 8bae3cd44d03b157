import { type JsonRange, runSteps } from "@touchstone/core/advanced";
import { NO_CONTENT, withContent } from "../features/mirror-content/with-content.ts";
import { toolOrServerName } from "./evidence.ts";
import type { ServerExchange } from "./exchange.ts";
import { isCheckedAtOnce } from "./faults.ts";
import type { ToolCall } from "./in-flight.ts";
import { readArrivedFrame, readFully } from "./stages/decode.ts";
import { callResultPointer, notifiedResultPointer } from "./tasks.ts";

/** Results of longer messages stay as they are: their text would be read as a whole once more. */
const MAX_BYTES = 1_048_576;
const ADAPT = "mirror_content";

/**
 * Adds the structured content of a call's result as a block of text if the result has no content (`adapt.mirror_content`):
 * "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block" (MCP, Tools,
 * Structured Content). The text is the server's own. All other bytes are unchanged. A long result is read and
 * changed in steps: undefined if there is no need to wait for that.
 */
export function mirrorContent(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, early, snapshot } = exchange;
  if (early !== undefined || snapshot.server.adapt?.mirrorContent !== true) return undefined;
  const result = withoutContent(exchange);
  if (result === undefined) return undefined;
  const steps = mirrorSteps(exchange, result);
  if (!isCheckedAtOnce(frame)) return state.context.slice.take(steps);
  runSteps(steps);
  return undefined;
}

interface Result {
  readonly range: JsonRange;
  readonly call: ToolCall | undefined;
}

/** Returns a result that may lack content; undefined if it has content, or if the message is too long. */
function withoutContent(exchange: ServerExchange): Result | undefined {
  const { state, frame, pending } = exchange;
  const at =
    pending?.call === undefined ? notifiedResultPointer(frame) : callResultPointer(frame, pending);
  const range = at === undefined || frame.kind === "error" ? undefined : frame.range(at);
  // Most results have content, and the facts that the frame already has show that without reading it again.
  if (range === undefined || frame.range(`${at}/structuredContent`) === undefined) return undefined;
  const content = frame.range(`${at}/content`);
  const call = pending?.call ?? state.tasks.get(frame.taskId ?? "");
  if (frame.bytes.length > MAX_BYTES) {
    if (content !== undefined) return undefined;
    const why = `the message is ${frame.bytes.length} bytes long, more than ${MAX_BYTES}`;
    note(exchange, call, `${ADAPT} not done: ${why}`);
    return undefined;
  }
  return content !== undefined && !NO_CONTENT.test(frame.text(content))
    ? undefined
    : { range, call };
}

function* mirrorSteps(
  exchange: ServerExchange,
  { range, call }: Result,
): Generator<void, void, void> {
  const { state, frame, snapshot } = exchange;
  const bytes = yield* withContent(frame.bytes, range);
  if (bytes === undefined) return;
  yield;
  const toolOf = (): string | undefined => call?.tool;
  const read = readArrivedFrame(state.context, bytes, toolOf, { snapshot });
  yield;
  exchange.readAs(yield* readFully(state.context, read, toolOf));
  note(exchange, call, ADAPT);
}

/**
 * Notes it for the call's record. The call of a task already has its record by then, so the log mentions it once for
 * each tool.
 */
function note({ state }: ServerExchange, call: ToolCall | undefined, text: string): void {
  if (call?.recorded === false) {
    call.adapt = call.adapt === undefined ? text : `${call.adapt}; ${text}`;
    return;
  }
  const { paced, server } = state.context;
  const line = `${toolOrServerName(server, call?.tool)} result of a task: ${text}`;
  paced.warnOnce(line, line);
}
