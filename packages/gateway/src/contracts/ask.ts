import { type Frame, readFrame } from "@touchstone/protocol";

/**
 * Sends one request of the gateway's own to the upstream and gives the answer's frame. The id is
 * the sender's affair. Rejects when there is no answer in time.
 * @param params source text of the request's `params`
 */
export type Ask = (method: string, params: string) => Promise<Uint8Array>;

/** How long the gateway waits for an answer to a request of its own, in milliseconds. */
export const ASK_TIMEOUT_MS = 30_000;
const OPEN_ARRAY = 0x5b;
/** An endless list is cut here. */
export const MAX_PAGES = 100;

function listParams(meta: string | undefined, cursor: string | undefined): string {
  const members = [
    ...(meta === undefined ? [] : [`"_meta":${meta}`]),
    ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`]),
  ];
  return `{${members.join(",")}}`;
}

/**
 * The cursor under which a list goes on behind a page; undefined for the last one. Some servers never leave it out
 * (`""`), and begin anew when they are asked for it: a page that names itself is the last.
 * @param cursor that the page was asked for by; undefined for the list's beginning
 */
export function cursorBehind(
  { nextCursor }: Pick<Frame, "nextCursor">,
  cursor: string | undefined,
): string | undefined {
  return nextCursor === cursor ? undefined : nextCursor;
}

/**
 * Asks for every page of `tools/list`.
 * @param meta source text of the `_meta` that the revision wants; none before 2026-07-28
 * @param refused told of an answer that is an error, or no list
 * @throws Error when an answer is missing, an error, or no list.
 */
export async function* askForTools(
  ask: Ask,
  meta: string | undefined,
  refused: (answer: Frame) => Promise<unknown> = async () => {},
): AsyncGenerator<Frame> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const frame = readFrame(await ask("tools/list", listParams(meta, cursor)));
    const { tools } = frame.ranges;
    if (frame.kind !== "response" || frame.bytes[tools?.start ?? 0] !== OPEN_ARRAY) {
      await refused(frame);
      const code = frame.errorCode === undefined ? "" : ` with code ${frame.errorCode}`;
      throw new Error(
        frame.kind === "error"
          ? `the server answered tools/list with an error${code}`
          : "the server's answer to tools/list holds no list of tools",
      );
    }
    yield frame;
    cursor = cursorBehind(frame, cursor);
    if (cursor === undefined) return;
  }
}
