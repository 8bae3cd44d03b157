import type { Issue } from "@touchstone/core";
import { ERROR_CODES, type ErrorCode, errorFrame, type Frame } from "@touchstone/protocol";
import { boundIssues } from "../activity/bounds.ts";
import type { CallAnswer } from "./evidence.ts";
import { describeFaults } from "./faults.ts";
import type { Passage } from "./state.ts";

/** A JSON-RPC error that tells of issues in its `data`, as many as 16 KiB hold. */
export function issuesError(
  id: string | null,
  code: number,
  text: string,
  issues: readonly Issue[],
): Uint8Array {
  return errorFrame(id, code, text, { issues: boundIssues(issues).issues });
}

/** The code of the answer to a request with these faults (JSON-RPC 2.0, section 5.1). */
export function requestErrorCode(faults: readonly Issue[]): ErrorCode {
  const inParams = ({ rule, path }: Issue): boolean =>
    rule === "duplicate" || path.startsWith("/params");
  // What a client answers that does not support the method (Roots, Error Handling).
  if (faults.some(({ keyword }) => keyword === "client-capability")) {
    return ERROR_CODES.methodNotFound;
  }
  return faults.every(inParams) ? ERROR_CODES.invalidParams : ERROR_CODES.invalidRequest;
}

/**
 * The answer to a client's message that breaks the protocol.
 * @param given the code that what is wrong has by itself
 */
export function protocolError(frame: Frame, faults: readonly Issue[], given?: number): Uint8Array {
  const code =
    given ??
    (frame.scan.error !== undefined
      ? ERROR_CODES.parseError
      : answersTheServer(frame)
        ? ERROR_CODES.internalError
        : requestErrorCode(faults));
  const text = `Blocked by touchstone: ${describeFaults(faults)}`;
  return issuesError(frame.id ?? null, code, text, faults);
}

/** Where an error goes that stands in the place of a client's frame. */
export function unsent(
  frame: Frame,
  error: Uint8Array,
  id: string | undefined = frame.id,
): Passage {
  // A client's answer that is stopped still leaves the server waiting for one.
  if (answersTheServer(frame)) return id === undefined ? {} : { onward: error };
  return frame.kind === "notification" ? {} : { back: [error] };
}

/** What the record of a call tells of the answer in its place; a call without an id gets none. */
export function answeredBy(frame: Frame, answer: Uint8Array): CallAnswer {
  return frame.kind === "notification" ? {} : { bytes: answer.length };
}

const HEAD_BYTES = 4_096;
const FIRST_PART = /"(params|result|error)"\s*:/;

function answersTheServer(frame: Frame): boolean {
  if (frame.kind !== "invalid") return frame.kind === "response" || frame.kind === "error";
  if (frame.scan.error === undefined || frame.range("/method") !== undefined) return false;
  // A member that broke off has no range, so its name is looked for.
  const head = Buffer.from(frame.bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const part = FIRST_PART.exec(head)?.[1];
  return part === "result" || part === "error";
}
