import type { ExpectedValue } from "@touchstone/core/advanced";
import { type Frame, readFrame, readFrameSteps } from "@touchstone/protocol/advanced";
import type { ValidationSettings } from "../../settings/validation.ts";
import { handleBrokenFrame, handleLineRemainder } from "../broken.ts";
import type { PipelineContext } from "../context.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import { describeFaults } from "../faults.ts";
import { blockedMessage, receivesError } from "../messages.ts";
import { brokenFrameDecision, settle } from "../settle.ts";
import { noteSnapshot, type SettingsSnapshot, snapshotOf } from "../snapshot.ts";

/** Blocks a frame that is not JSON: its content is unknown, so none of it is forwarded. */
export const decodeClient: Stage<ClientExchange> = {
  name: "decode",
  run({ state, frame, entries, snapshot }) {
    if (frame.scan.error === undefined) return "continue";
    const { faults: issues } = frame;
    const verdict = brokenFrameDecision(frame, snapshot.server.protocol.mode);
    const reason = (): string => describeFaults(issues);
    const response = blockedMessage(frame, issues);
    const reply = { make: () => response, toClient: receivesError(frame) };
    const what = "client message";
    settle(state, { direction: "protocol", verdict, issues, reason, what, reply }, entries);
    return { respond: response };
  },
};

/**
 * Handles a frame that is not a message, or only the rest of one: the requests that it was meant to answer get
 * errors.
 */
export const decodeServer: Stage<ServerExchange> = {
  name: "decode",
  wait(exchange) {
    const { state, frame, place } = exchange;
    const { inBatch, line } = place;
    const decided = (outcome: ServerExchange["early"]): void => {
      exchange.early = outcome;
    };
    if (line?.lost) return handleLineRemainder(state, frame, line.issue).then(decided);
    if (line !== undefined) state.batches.noteLine(frame, line.issue);
    return frame.kind === "invalid"
      ? handleBrokenFrame(state, frame, inBatch === true).then(decided)
      : undefined;
  },
  run: ({ early = "continue" }) => early,
};

/** An unchecked result of this size or more is not parsed completely (`npm run bench:gateway`, rows `off`). */
const LARGE_BYTES = 8_192;

/**
 * A result of this size or more is checked by its schema while it is read. A call with 100 KB then takes a quarter
 * less processor time, one with 10 KB a tenth (`npm run bench:gateway`, rows `warn, schemas`). For a smaller one,
 * reading its outline costs as much.
 */
const EXPECTED_BYTES = 4_096;

/** A frame of this size or more is read in steps. */
const STEPPED_BYTES = 1_048_576;

/** Frames of which only the outline was read so far. */
const outlines = new WeakSet<Frame>();

type ToolOf = (frame: Frame) => string | undefined;
/** Returns the value in a frame that should satisfy a schema, if that is known. */
type ExpectedIn = (bytes: Uint8Array) => ExpectedValue | undefined;

/**
 * Returns a view of a frame for its check. If messages are checked, it includes their duplicate keys. Of a large
 * unchecked result, it is only the outline.
 * @param snapshot decides how to read it, and checks it later
 * @param toolOf returns the tool that a frame is about: single tools may be checked even if their server is not
 */
export function readFrameForCheck(
  context: PipelineContext,
  snapshot: SettingsSnapshot,
  bytes: Uint8Array,
  toolOf: ToolOf,
  expectedIn?: ExpectedIn,
): Frame {
  const frame = readBy(context, snapshot, bytes, toolOf, expectedIn);
  noteSnapshot(frame, snapshot);
  return frame;
}

function readBy(
  context: PipelineContext,
  snapshot: SettingsSnapshot,
  bytes: Uint8Array,
  toolOf: ToolOf,
  expectedIn: ExpectedIn | undefined,
): Frame {
  if (mayStayUnread(context, snapshot.server, bytes)) {
    const outline = readFrame(bytes, { outline: true });
    if (isUnread(snapshot, outline, toolOf)) return outline;
  }
  const options = readOptions(context, snapshot);
  const { duplicates, exact, keyLimits } = options;
  const isLarge = bytes.length >= EXPECTED_BYTES;
  const expected = duplicates && exact && isLarge ? expectedIn?.(bytes) : undefined;
  const frame = readFrame(bytes, { duplicates, exact, keyLimits, expected });
  if (duplicates) return frame;
  const ofTool = readOptions(context, snapshot, toolOf(frame));
  return ofTool.duplicates ? readFrame(bytes, ofTool) : frame;
}

/**
 * Returns how to read a message.
 * @param tool that it is about, if any
 */
function readOptions({ keyLimits }: PipelineContext, snapshot: SettingsSnapshot, tool?: string) {
  const settings = snapshot.server;
  // The check of arguments and results then needs no second scan.
  const exact = settings.input.mode !== "off" || settings.output.mode !== "off";
  const judged = isChecked(settings) || (tool !== undefined && isChecked(snapshot.of(tool)));
  return { duplicates: judged || (keyLimits !== undefined && exact), exact, keyLimits };
}

/** Returns whether messages are checked. */
const isChecked = ({ protocol }: ValidationSettings): boolean => protocol.mode !== "off";

/**
 * Returns a view of a frame that has just arrived: {@link readFrameForCheck}, but of a very large frame only the outline,
 * which takes a fraction of the time. {@link readFully} reads the rest.
 * @param snapshot decides how to read it; default: the settings now
 */
export function readArrivedFrame(
  context: PipelineContext,
  bytes: Uint8Array,
  toolOf: ToolOf,
  {
    expectedIn,
    snapshot = context.snapshot(),
  }: { readonly expectedIn?: ExpectedIn; readonly snapshot?: SettingsSnapshot } = {},
): Frame {
  if (bytes.length < STEPPED_BYTES)
    return readFrameForCheck(context, snapshot, bytes, toolOf, expectedIn);
  const outline = readFrame(bytes, { outline: true, keyLimits: context.keyLimits });
  noteSnapshot(outline, snapshot);
  if (outline.scan.error === undefined) outlines.add(outline);
  return outline;
}

/** Returns whether {@link readFully} has nothing to read in a frame from {@link readArrivedFrame}. */
export const isFullyRead = (frame: Frame): boolean => !outlines.has(frame);

/** Reads the rest of a frame from {@link readArrivedFrame}, in steps. Returns other frames unchanged. */
export function* readFully(
  context: PipelineContext,
  frame: Frame,
  toolOf: ToolOf,
): Generator<void, Frame, void> {
  if (!outlines.delete(frame)) return frame;
  const { bytes } = frame;
  const snapshot = snapshotOf(frame, context.snapshot);
  if (mayStayUnread(context, snapshot.server, bytes) && isUnread(snapshot, frame, toolOf)) {
    return frame;
  }
  const options = readOptions(context, snapshot, toolOf(frame));
  const { lists } = context;
  const whole =
    lists !== undefined && frame.ranges.tools !== undefined
      ? yield* lists.read(frame, options)
      : yield* readFrameSteps(bytes, options);
  noteSnapshot(whole, snapshot);
  return whole;
}

/** Returns whether a frame is the result of an unchecked tool, so that it need not be read completely. */
function mayStayUnread(
  context: PipelineContext,
  settings: ValidationSettings,
  { length }: Uint8Array,
): boolean {
  return isOff(settings) && context.bodies !== "all" && length >= LARGE_BYTES;
}

function isUnread(snapshot: SettingsSnapshot, outline: Frame, toolOf: ToolOf): boolean {
  const tool = outline.kind === "response" ? toolOf(outline) : undefined;
  return tool !== undefined && isOff(snapshot.of(tool));
}

const isOff = ({ input, output, protocol }: ValidationSettings): boolean =>
  input.mode === "off" && output.mode === "off" && protocol.mode === "off";
