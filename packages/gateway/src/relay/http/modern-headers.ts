import type { IncomingMessage } from "node:http";
import { ERROR_CODES, type Frame, type HeaderFault, headerFault } from "@touchstone/protocol";
import { headerOf } from "./endpoint.ts";

/**
 * What is wrong with a POST under 2026-07-28 in front of a stdio server, before the server is asked
 * which versions it speaks, and its tools which headers they declare. Undefined where nothing is.
 */
export function postFault(request: IncomingMessage, frame: Frame): HeaderFault | undefined {
  const given = (name: string): string | undefined => headerOf(request, name);
  return headerFault(frame, given, [], "any") ?? beginsSession(frame);
}

/** The process is shared: a session that one client began in it would be everybody's. */
function beginsSession(frame: Frame): HeaderFault | undefined {
  if (frame.kind !== "request" || frame.method !== "initialize") return undefined;
  const message = "this revision has no initialize; server/discover tells what a server can do";
  return { code: ERROR_CODES.methodNotFound, message };
}
