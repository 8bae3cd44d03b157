import type { Frame } from "@touchstone/protocol";

/** Why nobody can wait longer: the frame is an answer, and no JSON; undefined for every other frame. */
export function unreadableAnswer(frame: Frame): Error | undefined {
  const { faults, idKey, jsonrpc, method, scan } = frame;
  const isAnswer = jsonrpc === "2.0" && idKey !== undefined && method === undefined;
  if (scan.error === undefined || !isAnswer) return undefined;
  return new Error(`its answer cannot be read: ${faults[0]?.message ?? "it is no JSON"}`);
}
