import type { ReactElement } from "react";
import { queryOf } from "../api/gateway.ts";
import { hashOf } from "../page/route.ts";
import { TypedField } from "../page/typed-field.tsx";
import { PERIODS } from "./buckets.ts";
import { GROUPS, type Group } from "./rollout.ts";
import type { RolloutScope } from "./use-rollout.ts";

const BY: Readonly<Record<Group, string>> = {
  all: "server, tool, direction and rule",
  server: "server",
  tool: "tool",
  rule: "rule",
  direction: "direction",
};

/** What is counted, and how it is put together. It is in the address. */
export function RolloutScopeBar({
  scope,
  by,
}: {
  readonly scope: RolloutScope;
  readonly by: Group;
}): ReactElement {
  const go = (change: Readonly<Record<string, string>>): void => {
    location.hash = hashOf("rollout", "", queryOf({ ...scope, by, ...change }).slice(1));
  };
  return (
    <search className="filters" aria-label="What is counted">
      <div className="fields">
        <label>
          Period
          <select value={scope.period} onChange={(event) => go({ period: event.target.value })}>
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                last {period}
              </option>
            ))}
          </select>
        </label>
        <label>
          Group by
          <select value={by} onChange={(event) => go({ by: event.target.value })}>
            {GROUPS.map((group) => (
              <option key={group} value={group}>
                {BY[group]}
              </option>
            ))}
          </select>
        </label>
        <TypedField label="Server" value={scope.server} onChange={(server) => go({ server })} />
        <TypedField label="Tool" value={scope.tool} onChange={(tool) => go({ tool })} />
      </div>
    </search>
  );
}
