import type { ClientView } from "@touchstone/gateway/api";

type SeenTool = ClientView["tools"][number];

/**
 * Returns the state of a tool in a word: `refused` if the client refuses the tool that it receives, `unchecked` if it
 * receives the server's own form and this was not compared with the client's rules, `same` only if the rules allow
 * it.
 */
export function clientToolState({ state, left }: SeenTool): string {
  if (state === "left_out") return state;
  if (left !== null && left.errors > 0) return "refused";
  if (left !== null && left.total > 0) return "doubtful";
  return state === "same" && left === null ? "unchecked" : state;
}

/** Returns in words how many tools are changed, left out or kept. */
export function toolCountsText(tools: readonly SeenTool[]): string {
  const of = (state: string): number => tools.filter((tool) => tool.state === state).length;
  const all = `${tools.length.toLocaleString("en")} ${tools.length === 1 ? "tool" : "tools"}`;
  const refused = tools.filter((tool) => (tool.left?.errors ?? 0) > 0).length;
  const compared = tools.filter((tool) => tool.left !== null).length;
  const still = compared === 0 ? "" : `; ${refused} still refused by the client`;
  return `${all}: ${of("same")} as the server declares it, ${of("changed")} changed, ${of("left_out")} left out${still}`;
}
