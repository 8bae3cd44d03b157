import type { Issue } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import { summarise } from "../policy/explain.ts";

/** A message's faults in one line. */
export function describeFaults(faults: readonly Issue[]): string {
  return summarise({ errors: faults });
}

const QUOTE = 0x22;

/** A fault of a message against the protocol. */
export function protocolFault(path: string, message: string): Issue {
  return { path, message, rule: "protocol" };
}

/** What is wrong with a message, whoever sent it and whatever went before. */
export function messageFaults(frame: Frame): readonly Issue[] {
  // A whole batch is taken apart before; one that arrives here stands inside another, or is empty.
  if (frame.kind === "batch" && frame.faults.length === 0) {
    return [protocolFault("", "A batch holds messages, not another batch")];
  }
  if (frame.method !== "tools/call" || frame.toolName !== undefined) return frame.faults;
  // A server that is not strict about types could still find a tool by such a name, unchecked.
  const name = frame.range("/params/name");
  const found = name === undefined || frame.bytes[name.start] === QUOTE ? "missing" : "no string";
  const message = `the name of the tool to call must be a string; it is ${found}`;
  return [...frame.faults, protocolFault("/params/name", message)];
}

const LIST_ITEM = /^\/result\/[^/]+\/\d+(?:\/|$)/;

/** Whether all faults lie inside single items of a list, so that they hide no other item. */
export function insideListItems(method: string | undefined, faults: readonly Issue[]): boolean {
  return method?.endsWith("/list") === true && faults.every(({ path }) => LIST_ITEM.test(path));
}
