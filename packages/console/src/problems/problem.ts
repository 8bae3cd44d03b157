import type { ConfigAction, Problem } from "@touchstone/gateway/api";

/** The states of a problem; first the states in which somebody has to act. `all` includes every state. */
export const STATES = [
  ["open", "Open"],
  ["not_seen", "Not seen"],
  ["ignored", "Ignored"],
  ["allowed", "Allowed"],
  ["all", "All"],
] as const;
export type ShownState = (typeof STATES)[number][0];

/** Returns the state that an address names; the open state if it names none. */
export function shownState(query: string): ShownState {
  const given = new URLSearchParams(query).get("state");
  return STATES.find(([state]) => state === given)?.[0] ?? "open";
}

/** The part of a call, by the direction of its check. */
export const PARTS: Readonly<Record<Problem["direction"], string>> = {
  input: "arguments",
  output: "result",
  protocol: "message",
};

/** Returns the name of a state with the count that it is based on. */
export function stateText({
  state,
  passed_since,
}: Pick<Problem, "state" | "passed_since">): string {
  if (state !== "not_seen") return state;
  return `not seen in ${passed_since.toLocaleString("en")} later calls`;
}

/** Returns the number of known callers, with a plus if there were more than the store keeps. */
export function callersText({ count, more }: Problem["callers"]): string {
  if (count === 0) return "–";
  return `${count.toLocaleString("en")}${more ? "+" : ""}`;
}

/** Returns what can be done about a problem in the configuration; the action is absent if nothing can. */
export function editsOf(problem: Problem): {
  readonly allow: ConfigAction | undefined;
  readonly strict: ConfigAction | undefined;
} {
  const { server, tool, mode, allow, state } = problem;
  const isStrict = mode === "strict";
  return {
    allow:
      allow === null || state === "allowed"
        ? undefined
        : ({ kind: "rules", mcpServers: allow } as const),
    strict: server === null || isStrict ? undefined : ({ kind: "strict", server, tool } as const),
  };
}
