import { limitTexts, type ShownPolicy, toolSettingTexts } from "@touchstone/gateway/api";
import { type ReactElement, useState } from "react";
import { usePermission } from "../access/rights.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Notice } from "../page/notice.tsx";
import { serverToolHash } from "../page/route.ts";
import { Badge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Select } from "../ui/select.tsx";
import { isModeUsed } from "./policy.ts";

type Level = ShownPolicy["levels"][number];
type LimitedTool = ShownPolicy["tools"][number];

const MODE_CHOICES = [
  { value: "strict", label: "strict: block it" },
  { value: "warn", label: "warn: record it" },
  { value: "off", label: "off: allow it" },
];
const LEVELS: Readonly<Record<string, string>> = {
  top: "For all servers",
  server: "For this server",
  tool: "For this tool",
  caller: "For the caller",
};
/** Maximum number of tools, or of patterns of one list, that are shown. */
const MAX_SHOWN = 100;

function nameOf(level: string): string {
  return (Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined) ?? level;
}

function Patterns({
  label,
  patterns,
  isBad,
}: {
  readonly label: string;
  readonly patterns: readonly string[];
  readonly isBad: boolean;
}): ReactElement {
  return (
    <div className="flex flex-wrap items-baseline gap-1.5">
      <span className="text-soft">{label}</span>
      {patterns.length === 0 && <span>none</span>}
      {patterns.slice(0, MAX_SHOWN).map((pattern) => (
        <Badge key={pattern} tone={isBad ? "bad" : "good"}>
          <code className="font-mono">
            <ExternalText text={pattern} />
          </code>
        </Badge>
      ))}
      {patterns.length > MAX_SHOWN && <span>and {patterns.length - MAX_SHOWN} more</span>}
    </div>
  );
}

function LevelView({ rules }: { readonly rules: Level }): ReactElement {
  const { level, allowTools, denyTools, readOnly } = rules;
  const isEmpty = allowTools === undefined && denyTools === undefined && !readOnly;
  return (
    <div className="flex flex-col gap-1 border-t border-line py-2">
      <h3 className="font-medium">{nameOf(level)}</h3>
      {isEmpty && <p className="text-soft">No tool is forbidden here.</p>}
      {allowTools !== undefined && (
        <Patterns label="Allowed tools:" patterns={allowTools} isBad={false} />
      )}
      {denyTools !== undefined && <Patterns label="Denied tools:" patterns={denyTools} isBad />}
      {readOnly !== undefined && readOnly !== false && (
        <p>
          Only tools that declare <code className="font-mono">readOnlyHint: true</code>
          {readOnly === "unless_allowed" && ", until allowed tools are named"}
        </p>
      )}
    </div>
  );
}

function ToolView({
  api,
  server,
  limited: { tool, narrow, ...others },
}: {
  readonly api: GatewayApi;
  readonly server: string;
  readonly limited: LimitedTool;
}): ReactElement {
  return (
    <li className="flex min-w-0 flex-col gap-1 border-t border-line py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <a className={LINK_CLASS} href={api.address(serverToolHash(server, tool))}>
          <code className="font-mono">
            <ExternalText text={tool} />
          </code>
        </a>
        {toolSettingTexts(others).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      {narrow !== undefined && (
        <details>
          <summary className="text-soft">Arguments must also satisfy this schema</summary>
          <Code text={JSON.stringify(narrow, null, 2)} label={`Narrow schema of ${tool}`} />
        </details>
      )}
    </li>
  );
}

interface Props {
  readonly api: GatewayApi;
  readonly policy: ShownPolicy;
  /** The server that the policy is for; undefined for the whole gateway. */
  readonly server?: string;
  readonly isEditable: boolean;
  readonly onChanged: () => void;
}

/** Shows what limits calls besides the schemas of the tools, with a switch for the mode of policy. */
export function PolicyCard({ api, policy, server, isEditable, onChanged }: Props): ReactElement {
  const [action, setAction] = useState<EditAction>();
  const may = usePermission("editConfig");
  const { mode, levels, limits, tools } = policy;
  const set = (value: string): void => {
    if (value === mode) return;
    const change: EditAction = {
      kind: "settings",
      ...(server === undefined ? {} : { server }),
      set: { "policy.mode": value },
    };
    may.run(() => setAction(change));
  };
  return (
    <Card
      title="Policy"
      hint="What may be called, with which values, how often, and how large results may be. Lists and schemas are changed in the file."
      actions={
        isModeUsed(policy) && (
          <Select
            label="Mode of policy"
            value={mode}
            choices={MODE_CHOICES}
            disabled={!isEditable || !may.isOffered}
            onChange={set}
          />
        )
      }
    >
      {isModeUsed(policy) && mode !== "strict" && (
        <Notice kind="warning">
          {mode === "off"
            ? "Policy is off: forbidden calls are forwarded, and not recorded as forbidden."
            : "Calls that policy forbids are only recorded."}
        </Notice>
      )}
      {levels.map((rules) => (
        <LevelView key={rules.level} rules={rules} />
      ))}
      {limits.length > 0 && (
        <div className="flex flex-col gap-1 border-t border-line py-2">
          <h3 className="font-medium">Limits</h3>
          {limits.map(({ level, ...values }) => (
            <p key={level}>
              {nameOf(level)}: <span className="tabular-nums">{limitTexts(values).join(", ")}</span>
            </p>
          ))}
        </div>
      )}
      {tools.length > 0 && server !== undefined && (
        <ul aria-label="Tools with limits of their own">
          {tools.slice(0, MAX_SHOWN).map((limited) => (
            <ToolView key={limited.tool} api={api} server={server} limited={limited} />
          ))}
          {tools.length > MAX_SHOWN && <li>and {tools.length - MAX_SHOWN} more</li>}
        </ul>
      )}
      {action !== undefined && (
        <EditDialog
          api={api}
          title="Mode of policy"
          action={action}
          onClose={() => setAction(undefined)}
          onWritten={onChanged}
        />
      )}
    </Card>
  );
}
