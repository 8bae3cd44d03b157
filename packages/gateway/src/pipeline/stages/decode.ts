import type { ExpectedValue } from "@touchstone/core";
import { type Frame, readFrame } from "@touchstone/protocol";
import type { ValidationSettings } from "../../policy/settings.ts";
import { broken, lostMessage } from "../broken.ts";
import type { PipelineContext } from "../context.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import { describeFaults } from "../faults.ts";
import { blockedMessage } from "../messages.ts";
import { blockedIn, settle } from "../settle.ts";

/** Blocks a frame that is no JSON: nobody can say what it holds, so nothing of it is forwarded. */
export const decodeClient: Stage<ClientExchange> = {
  name: "decode",
  run({ state, frame, entries }) {
    if (frame.scan.error === undefined) return "continue";
    const { faults: issues } = frame;
    const verdict = blockedIn(state.context.settings().protocol.mode);
    const reason = (): string => describeFaults(issues);
    settle(
      state,
      { direction: "protocol", verdict, issues, reason, what: "client message" },
      entries,
    );
    return { respond: blockedMessage(frame, issues) };
  },
};

/** Takes what is no message, or only what is left of one: the requests that it was meant to answer get errors. */
export const decodeServer: Stage<ServerExchange> = {
  name: "decode",
  wait(exchange) {
    const { state, frame, place } = exchange;
    const { inBatch, line } = place;
    const decided = (outcome: ServerExchange["early"]): void => {
      exchange.early = outcome;
    };
    if (line?.lost) return lostMessage(state, frame, line.issue).then(decided);
    if (line !== undefined) state.batches.noteLine(frame, line.issue);
    return frame.kind === "invalid"
      ? broken(state, frame, inBatch === true).then(decided)
      : undefined;
  },
  run: ({ early = "continue" }) => early,
};

/** From this size on, a result that nobody checks is not read through either. */
const LARGE_BYTES = 8_192;

/** From this size on, a result is judged while it is read: a smaller one costs as much to look into first. */
const EXPECTED_BYTES = 2_048;

/**
 * A view of a frame as it is judged: where messages are, with their duplicate keys. Of a large result
 * of which nothing is to be checked, only the outline.
 * @param toolOf the tool that a frame is about: single tools may be judged where the server as a
 *   whole is not
 * @param expectedOf what a value in a large frame shall satisfy, by the outline that it may ask for
 */
export function readJudged(
  context: PipelineContext,
  bytes: Uint8Array,
  toolOf: (frame: Frame) => string | undefined,
  expectedOf?: (outline: () => Frame) => ExpectedValue | undefined,
): Frame {
  const settings = context.settings();
  const { keyLimits } = context;
  const unread = isOff(settings) && context.bodies !== true && bytes.length >= LARGE_BYTES;
  if (unread) {
    const outline = readFrame(bytes, { outline: true });
    const tool = outline.kind === "response" ? toolOf(outline) : undefined;
    if (tool !== undefined && isOff(context.settings(tool))) return outline;
  }
  const duplicates = settings.protocol.mode !== "off";
  // Arguments and results are then not scanned once more for their own check.
  const exact = settings.input.mode !== "off" || settings.output.mode !== "off";
  const expected =
    expectedOf !== undefined && duplicates && exact && bytes.length >= EXPECTED_BYTES
      ? expectedOf(() => readFrame(bytes, { outline: true, keyLimits }))
      : undefined;
  const counts = duplicates || (keyLimits !== undefined && exact);
  const frame = readFrame(bytes, { duplicates: counts, exact, expected, keyLimits });
  if (counts) return frame;
  const tool = toolOf(frame);
  if (tool === undefined || context.settings(tool).protocol.mode === "off") return frame;
  return readFrame(bytes, { duplicates: true, exact, keyLimits });
}

const isOff = ({ input, output, protocol }: ValidationSettings): boolean =>
  input.mode === "off" && output.mode === "off" && protocol.mode === "off";
