import type { JsonRange } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { META_SUBSCRIPTION_ID } from "../plan.ts";
import { folded, lookalike, type Names, namesOf } from "./lookalike.ts";

/** By where they stand: what says whose message it is, and which request it is about. */
const ROUTING: readonly (readonly [string, Names])[] = [
  ["/params", new Map([["_meta", "_meta"], ...namesOf(["requestId", "progressToken"])])],
  ["/params/_meta", namesOf(["progressToken", META_SUBSCRIPTION_ID])],
];
const ROUTING_MESSAGE = namesOf(["id", "method", "params"]);

/**
 * Returns a member by which a message is sent on, where it is in it twice, or once more by nearly the same name. A
 * server that takes the other one answers, or stops, another client's request where several share it.
 */
export function routingTwin(frame: Frame): string | undefined {
  if (frame.scan.error !== undefined) return undefined;
  const twin = (range: JsonRange | undefined, names: Names): string | undefined =>
    range && lookalike(frame, range, (key) => names.get(key) ?? names.get(folded(key)));
  const own = twin(frame.scan.root, ROUTING_MESSAGE);
  return own ?? ROUTING.map(([at, names]) => twin(frame.range(at), names)).find(Boolean);
}
