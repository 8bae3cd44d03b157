import { type JsonRange, jsonText, scanJsonSteps } from "@touchstone/core/advanced";
import { spliceFrame } from "@touchstone/protocol/advanced";

const MEMBERS = {
  content: true,
  structuredContent: true,
  isError: true,
  resultType: true,
} as const;
const PATHS: ReadonlySet<string> = new Set(Object.keys(MEMBERS).map((name) => `/${name}`));
/** Content without blocks. */
export const NO_CONTENT = /^\[[\t\n\r ]*\]$/;

/** Returns a message whose result has `content`; undefined if it already has content, is an error, or is ambiguous. */
export function* withContent(
  bytes: Uint8Array,
  result: JsonRange,
): Generator<void, Uint8Array | undefined, void> {
  const own = bytes.subarray(result.start, result.end);
  const scan = yield* scanJsonSteps(own, { members: MEMBERS, duplicates: true });
  const { duplicates, duplicatesTruncated, members } = scan;
  const memberText = (pointer: string): string | undefined => {
    const range = members.get(pointer);
    return range && jsonText(own, range);
  };
  const structured = memberText("/structuredContent");
  if (structured === undefined || memberText("/isError") === "true") return undefined;
  if (!["undefined", '"complete"'].includes(String(memberText("/resultType")))) return undefined;
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
  if (!NO_CONTENT.test(memberText("/content") ?? "")) return undefined;
  const range = { start: result.start + content.start, end: result.start + content.end };
  return spliceFrame(bytes, [{ range, text: blocks }]);
}
