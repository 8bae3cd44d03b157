import type { ResponseOf, Rollout, ServerDetail } from "@touchstone/gateway/api";
import { type ReactElement, useCallback, useEffect, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { writeFilters } from "../activity/filter.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { overriddenText } from "../page/overridden.ts";
import { REASON_TO_UNDO, ReasonField, reasonIn } from "../page/reason-field.tsx";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import {
  DIRECTIONS,
  type Direction,
  type Modes,
  type ModesPatch,
  modesText,
} from "../servers/modes.ts";
import { visible } from "../text/visible.ts";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Toggle } from "../ui/field.tsx";
import { showToast } from "../ui/toast.ts";
import type { Tone } from "../ui/tones.ts";
import {
  isSetStrict,
  modesForSwitch,
  type ReadyState,
  readinessOf,
  type ToolReadiness,
} from "./readiness.ts";
import type { RolloutScope } from "./use-rollout.ts";

/** Maximum number of servers queried for tools, and of rows shown. */
const MAX_SERVERS = 50;
const MAX_ROWS = 300;

/** How a state of a direction is shown. */
const TONES: Readonly<Record<string, Tone>> = {
  safe: "good",
  strict: "info",
  would_block: "warn",
};
const LABELS: Readonly<Record<Direction, string>> = {
  input: "Arguments",
  output: "Results",
  protocol: "Protocol",
};

type ModesChanged = ResponseOf<"changeToolModes">;

interface Known {
  readonly servers: readonly ServerDetail[];
  /** Why modes cannot be switched; undefined if they can. */
  readonly fixed: string | undefined;
}

async function load(api: GatewayApi, server: string, signal: AbortSignal): Promise<Known> {
  const [servers, { configuration }] = await Promise.all([
    api.get("listServers", {}, signal),
    api.get("getSettings", {}, signal),
  ]);
  const wanted = servers.filter(({ name }) => server === "" || name === server);
  const details = await Promise.all(
    wanted.slice(0, MAX_SERVERS).map(({ name }) => api.get("getServer", { server: name }, signal)),
  );
  const { editable, reason = "The configuration cannot be edited from here." } = configuration;
  return { servers: details, fixed: editable ? undefined : reason };
}

/** Links to the decisions about a direction that strict blocks, or blocked. */
function recordsOf({ server, tool }: ToolReadiness, direction: Direction, since: Date): string {
  const filters = {
    ...(server !== null && { server }),
    tool,
    direction,
    decision: "warning,blocked",
    since: since.toISOString(),
  };
  return hashOf("activity", "", writeFilters({ type: "policy_decision", ...filters }));
}

/** Shows what the records of a tool say about each direction, with links to what strict blocks. */
function Evidence({
  ready,
  since,
}: {
  readonly ready: ToolReadiness;
  readonly since: Date;
}): ReactElement {
  const texts = DIRECTIONS.map((direction) => ready[direction].text);
  const shown = new Set(texts).size === 1 ? DIRECTIONS.slice(0, 1) : DIRECTIONS;
  return (
    <ul className="flex flex-col gap-0.5">
      {shown.map((direction) => {
        const { state, text } = ready[direction];
        const badge = (
          <span data-state={state} className="min-w-0 wrap-anywhere">
            <Badge tone={TONES[state] ?? "plain"}>{text}</Badge>
          </span>
        );
        return (
          <li key={direction} className="flex flex-wrap items-baseline gap-x-2">
            {shown.length > 1 && (
              <span className="min-w-20 text-[0.8125rem] text-soft">{LABELS[direction]}</span>
            )}
            {state === "would_block" ? (
              <a
                className="min-w-0 hover:underline"
                href={recordsOf(ready, direction, since)}
                aria-label={visible(
                  `Records of ${ready.server ?? "–"}, ${ready.tool}, ${LABELS[direction]}: ${text}`,
                )}
              >
                {badge}
              </a>
            ) : (
              badge
            )}
          </li>
        );
      })}
      {ready.policy > 0 && (
        <li className="text-[0.8125rem] text-soft">
          policy or pin in warn: {ready.policy.toLocaleString("en")}{" "}
          {ready.policy === 1 ? "call" : "calls"} (this switch does not change them)
        </li>
      )}
    </ul>
  );
}

/** Returns the message for a switch, which the command line may override. */
function switched(name: string, isStrict: boolean, { modes, overridden }: ModesChanged) {
  const saved = "Saved to the configuration.";
  if (overridden.length === 0) {
    return { title: isStrict ? `${name} is strict` : `${name} is no longer strict`, text: saved };
  }
  const text = `${saved} ${overriddenText(overridden)} Now: ${modesText(modes)}.`;
  return { title: `Modes of ${name}`, text, kind: "plain" } as const;
}

/** Sets the modes of a tool, and offers to restore its earlier ones. */
async function switchModes(
  api: GatewayApi,
  server: string,
  { tool, own }: ToolReadiness,
  modes: ModesPatch,
  reason: string,
  onChanged: () => void,
): Promise<void> {
  const name = visible(tool);
  const patch = (wanted: Modes | ModesPatch, why: string) => ({
    ...Object.fromEntries(DIRECTIONS.map((each) => [each, wanted[each] ?? null])),
    ...reasonIn(why),
  });
  const undo = async (why: string): Promise<void> => {
    try {
      await api.send("changeToolModes", { server, tool }, patch(own, why));
      showToast({ title: "Undone" });
      onChanged();
    } catch (thrown) {
      showToast({ kind: "bad", title: "Could not undo", text: messageOf(thrown) });
    }
  };
  try {
    const changed = await api.send("changeToolModes", { server, tool }, patch(modes, reason));
    onChanged();
    showToast({
      ...switched(name, modes.input === "strict", changed),
      action: {
        label: "Undo",
        field: REASON_TO_UNDO,
        run: (why) => void undo(why),
      },
    });
  } catch (thrown) {
    showToast({ kind: "bad", title: `Could not change ${name}`, text: messageOf(thrown) });
  }
}

function Row({
  api,
  ready,
  since,
  isFixed,
  reason,
  onChanged,
}: {
  readonly api: GatewayApi;
  readonly ready: ToolReadiness;
  readonly since: Date;
  readonly isFixed: boolean;
  /** The reason for the changes, as the operator has typed it. */
  readonly reason: string;
  readonly onChanged: () => void;
}): ReactElement {
  const { server, tool, calls, state } = ready;
  const [isSaving, setIsSaving] = useState(false);
  const may = usePermission("changeToolModes");
  const change = async (isStrict: boolean): Promise<void> => {
    // A disabled switch would lose the focus while it saves.
    if (isSaving || server === null) return;
    setIsSaving(true);
    const wanted = modesForSwitch(isStrict, ready.above);
    await switchModes(api, server, ready, wanted, reason, onChanged);
    setIsSaving(false);
  };
  return (
    <tr className="border-t border-line max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:py-1.5">
      <th
        scope="row"
        className="py-2 ps-4 pe-3 text-start font-normal max-sm:min-w-0 max-sm:basis-3/5 max-sm:grow wrap-anywhere max-sm:py-0.5"
      >
        <code className="font-mono text-[0.8125rem]">
          <ExternalText text={tool} />
        </code>{" "}
        <span className="text-soft">
          <ExternalText text={server ?? "–"} />
        </span>
      </th>
      <td className="py-2 pe-3 text-end tabular-nums whitespace-nowrap max-sm:order-2 max-sm:py-0.5 max-sm:ps-4">
        {calls.toLocaleString("en")}
        <span className="sm:sr-only"> {calls === 1 ? "call" : "calls"}</span>
      </td>
      <td className="py-2 pe-3 tabular-nums max-sm:order-3 max-sm:basis-full max-sm:py-0.5 max-sm:ps-4 max-sm:text-[0.8125rem]">
        <Evidence ready={ready} since={since} />
      </td>
      <td className="py-2 pe-4 text-end whitespace-nowrap max-sm:order-1 max-sm:py-0.5">
        <Toggle
          checked={ready.modes === undefined ? state === "strict" : isSetStrict(ready.modes)}
          disabled={isFixed || ready.modes === undefined}
          onChange={(isStrict) => may.run(() => void change(isStrict))}
        >
          <span className="sr-only">
            {visible(tool)} of {visible(server ?? "–")}{" "}
          </span>
          strict
        </Toggle>
      </td>
    </tr>
  );
}

/** Shows which tools can be turned strict, based on the records of each, with a switch for each. */
export function ReadinessTable({
  api,
  scope,
  since,
  rollout,
  onKnown,
  onChanged,
}: {
  readonly api: GatewayApi;
  readonly scope: RolloutScope;
  readonly since: Date;
  readonly rollout: Rollout;
  /** Called after modes have changed. */
  readonly onChanged: () => void;
  /** Called once the content to show is known. Keep it with `useCallback`. */
  readonly onKnown: () => void;
}): ReactElement {
  const { server, tool } = scope;
  const ask = useCallback((signal: AbortSignal) => load(api, server, signal), [api, server]);
  const [{ value, error }, reload] = useLoaded(ask, undefined, undefined, true);
  const [reason, setReason] = useState("");
  const may = usePermission("changeToolModes");
  const isKnown = value !== undefined || error !== undefined;
  useEffect(() => {
    if (isKnown) onKnown();
  }, [isKnown, onKnown]);
  if (value === undefined) {
    return error === undefined ? (
      <p role="status">Loading tools…</p>
    ) : (
      <Failure error={error} onRetry={reload} />
    );
  }
  const fixed = value.fixed ?? may.reason;
  const all = readinessOf(rollout.tools, value.servers);
  const tools = all.filter((each) => tool === "" || each.tool === tool);
  const count = (...states: readonly ReadyState[]): number =>
    tools.filter(({ state }) => states.includes(state)).length;
  const safe = count("ready", "strict");
  return (
    <Card
      flush
      title="Tools"
      hint={
        fixed === undefined ? (
          "A switch writes the tool's modes for arguments, results and protocol to the configuration."
        ) : (
          <ExternalText text={fixed} />
        )
      }
    >
      <div className="px-4 py-3">
        <p className="mb-1.5 font-medium" role="status">
          {safe} of {tools.length} {tools.length === 1 ? "tool is" : "tools are"} strict or safe to
          turn strict.
        </p>
        <progress
          className="h-1.5 w-full max-w-md accent-good"
          aria-label="Tools that are strict or safe to turn strict"
          value={safe}
          max={Math.max(1, tools.length)}
        />
        {fixed === undefined && (
          <div className="mt-3 max-w-md">
            <ReasonField value={reason} onChange={setReason} />
          </div>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard */}
      <section className="relative overflow-x-auto" aria-label="Readiness" tabIndex={0}>
        <table className="w-full max-sm:block sm:min-w-lg [&>tbody]:max-sm:block">
          <caption className="sr-only">Readiness of each tool</caption>
          <thead className="text-start text-[0.8125rem] text-soft max-sm:sr-only">
            <tr>
              {["Tool", "Calls", "What strict would do"].map((head) => (
                <th
                  key={head}
                  scope="col"
                  className={`py-1.5 pe-3 font-medium whitespace-nowrap first:ps-4 ${head === "Calls" ? "text-end" : "text-start"}`}
                >
                  {head}
                </th>
              ))}
              <th scope="col" className="py-1.5 pe-4 text-end font-medium">
                Strict
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.slice(0, MAX_ROWS).map((ready) => (
              <Row
                key={JSON.stringify([ready.server, ready.tool])}
                api={api}
                ready={ready}
                since={since}
                isFixed={fixed !== undefined}
                reason={reason}
                onChanged={() => {
                  reload();
                  onChanged();
                }}
              />
            ))}
          </tbody>
        </table>
      </section>
      {tools.length > MAX_ROWS && (
        <p className="px-4 py-2 text-soft">and {tools.length - MAX_ROWS} more</p>
      )}
      {rollout.tools_left_out > 0 && (
        <p className="px-4 py-2 text-soft">
          {rollout.tools_left_out.toLocaleString("en")} more tools are not read: filter by server or
          tool.
        </p>
      )}
    </Card>
  );
}
