import type { ReactElement } from "react";
import type { ToolSummary } from "../api/tool-summary.ts";
import { badgesOf } from "./tool.ts";

/** What a tool says of itself. */
export function Badges({ tool }: { readonly tool: ToolSummary }): ReactElement | null {
  const badges = badgesOf(tool);
  if (badges.length === 0) return null;
  return (
    <span className="badges">
      {badges.map(({ label, meaning, warning }) => (
        <small key={label} className={warning ? "badge warning" : "badge"} title={meaning}>
          {label}
        </small>
      ))}
    </span>
  );
}
