import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { TypedField } from "../page/typed-field.tsx";
import { GROUPS, type Group } from "./rollout.ts";
import type { RolloutScope } from "./use-rollout.ts";

const BY: Readonly<Record<Group, string>> = {
  all: "server, tool, direction and rule",
  server: "server",
  tool: "tool",
  rule: "rule",
  direction: "direction",
};
const LABEL = "flex min-w-0 flex-col gap-1 text-[0.8125rem] text-soft";
const SELECT = "h-8 rounded-md border border-edge bg-raised px-2 text-sm text-text max-lg:min-h-9";

/** Selects what is counted and how it is grouped. The URL holds the selection. */
export function RolloutScopeBar({
  scope,
  by,
}: {
  readonly scope: RolloutScope;
  readonly by: Group;
}): ReactElement {
  const go = (change: Readonly<Record<string, string>>): void => {
    const { range, server, tool } = scope;
    location.hash = hashOf("rollout", "", { ...range, server, tool, by, ...change });
  };
  return (
    <search className="mb-4 flex flex-wrap items-end gap-3" aria-label="What is counted">
      <label className={LABEL}>
        Group by
        <select className={SELECT} value={by} onChange={(event) => go({ by: event.target.value })}>
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {BY[group]}
            </option>
          ))}
        </select>
      </label>
      <TypedField label="Server" value={scope.server} onChange={(server) => go({ server })} />
      <TypedField label="Tool" value={scope.tool} onChange={(tool) => go({ tool })} />
    </search>
  );
}
