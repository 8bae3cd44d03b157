import type { ClientView } from "@touchstone/gateway/api";

type SeenTool = ClientView["tools"][number];

/**
 * Returns the state of a tool in a word: `refused` if the client refuses it as it gets it, `unchecked` if it gets the
 * server's own form and nobody has compared that with its rules, `same` only if they object to nothing.
 */
export function clientToolState({ state, left }: SeenTool): string {
  if (state === "left_out") return state;
  if (left !== null && left.errors > 0) return "refused";
  if (left !== null && left.total > 0) return "doubtful";
  return state === "same" && left === null ? "unchecked" : state;
}

/** What is done with how many tools, in words. */
export function toolCountsText(tools: readonly SeenTool[]): string {
  const of = (state: string): number => tools.filter((tool) => tool.state === state).length;
  const all = `${tools.length.toLocaleString("en")} ${tools.length === 1 ? "tool" : "tools"}`;
  const refused = tools.filter((tool) => (tool.left?.errors ?? 0) > 0).length;
  const compared = tools.filter((tool) => tool.left !== null).length;
  const still = compared === 0 ? "" : `; ${refused} still refused by the client`;
  return `${all}: ${of("same")} as the server declares it, ${of("changed")} changed, ${of("left_out")} left out${still}`;
}
