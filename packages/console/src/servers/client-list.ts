import type { ClientView } from "@touchstone/gateway/api";

type SeenTool = ClientView["tools"][number];

/** What is done with how many tools, in words. */
export function countsText(tools: readonly SeenTool[]): string {
  const of = (state: string): number => tools.filter((tool) => tool.state === state).length;
  const all = `${tools.length.toLocaleString("en")} ${tools.length === 1 ? "tool" : "tools"}`;
  return `${all}: ${of("same")} as the server says it, ${of("changed")} changed, ${of("left_out")} left out`;
}
