import type { ReactElement } from "react";
import type { ToolSummary } from "../api/tool-summary.ts";
import { Badge } from "../ui/badge.tsx";
import { badgesOf } from "./tool.ts";

/** Shows what a tool declares about itself. */
export function Badges({ tool }: { readonly tool: ToolSummary }): ReactElement | null {
  const badges = badgesOf(tool);
  if (badges.length === 0) return null;
  return (
    <span className="badges flex flex-wrap gap-1">
      {badges.map(({ label, meaning, warning }) => (
        <Badge key={label} tone={warning ? "warn" : "plain"} title={meaning}>
          {label}
        </Badge>
      ))}
    </span>
  );
}
