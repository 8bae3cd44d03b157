import { escapePointer, type LocatedMembers, type ScanError } from "@touchstone/core/advanced";
import { MAX_ID_BYTES } from "./id.ts";
import { META_SUBSCRIPTION_ID, memberNumber } from "./plan.ts";

/** The longest text of a cursor, in bytes with its quotes. Some servers keep their whole position in it. */
export const MAX_CURSOR_BYTES = 65_536;

/** The members in which a message can have a subscription id. */
export const SUBSCRIPTION_POINTERS: readonly string[] = ["params", "result"].map(
  (part) => `/${part}/_meta/${escapePointer(META_SUBSCRIPTION_ID)}`,
);
const ids = [
  "/id",
  "/params/requestId",
  "/params/progressToken",
  "/params/taskId",
  "/params/_meta/progressToken",
  "/result/taskId",
  "/result/task/taskId",
  ...SUBSCRIPTION_POINTERS,
];
const cursors = ["/params/cursor", "/result/nextCursor"];

interface Bound {
  readonly pointer: string;
  readonly number: number;
  readonly most: number;
}

const bound =
  (most: number) =>
  (pointer: string): Bound => ({
    pointer,
    number: memberNumber(pointer),
    most,
  });
const BOUNDS: readonly Bound[] = [
  ...ids.map(bound(MAX_ID_BYTES)),
  ...cursors.map(bound(MAX_CURSOR_BYTES)),
];

/** Returns why a message is not read whose ids or cursors are too long; undefined if none is. */
export function longIdError(members: LocatedMembers): ScanError | undefined {
  for (const { pointer, number, most } of BOUNDS) {
    const range = members.at(number);
    const size = range === undefined ? 0 : range.end - range.start;
    if (range === undefined || size <= most) continue;
    const message = `it has ${size} bytes; more than ${most} are not read`;
    return { code: "size", message, offset: range.start, path: pointer };
  }
  return undefined;
}
