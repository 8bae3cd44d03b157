import { decodeUtf8 } from "@touchstone/core/advanced";
import type { RemainingObjections } from "@touchstone/protocol/lint";
import { definitionDiffSteps } from "@touchstone/protocol/lock";
import { lateImport } from "@touchstone/util";
import { LIST_STEPS } from "../../features/list-steps.ts";
import { prepareSteps, type ViewChange, waitForSteps } from "../../pipeline/list-view.ts";
import { type ViewedEntry, viewTools } from "../../pipeline/tool-views.ts";
import type { ViewedToolList } from "../../relay/server-runtime.ts";
import type {
  ClientView,
  ClientViewObjection,
  ClientViewStep,
  ClientViewTool,
} from "../api/schemas.ts";

const adapting = lateImport(() => import("../../features/adapt/adapter.ts"));

/** How many tools of one name get a difference. */
const MAX_DIFFS = 5;
const KINDS = { "left out": "left_out", changed: "changed", noted: "noted" } as const;

/**
 * Shows the list that a server sent last as a client gets it, by the settings in force now.
 * @param tool the server's name of a tool: only that one is returned, with its difference
 */
export async function clientView(
  { list, viewer, maxTools, slice }: ViewedToolList,
  tool: string | undefined,
): Promise<ClientView> {
  await waitForSteps(LIST_STEPS, viewer);
  const entries: ViewedEntry[] = [];
  for (const page of list?.pages ?? []) {
    const steps = prepareSteps(LIST_STEPS, viewer);
    entries.push(...(await slice.take(viewTools(page, steps, maxTools))));
  }
  const { remainingObjectionsSoon, providersForClient } = await adapting();
  const checkedFor = providersForClient(viewer.settings().adapt, viewer.client);
  const asked = tool === undefined ? entries : entries.filter(({ name }) => name === tool);
  const tools: ClientViewTool[] = [];
  for (const [at, entry] of asked.entries()) {
    const withDiff = tool !== undefined && at < MAX_DIFFS;
    const diff = withDiff ? await slice.take(diffSteps(entry)) : null;
    const { shown } = entry;
    const left = shown && (await remainingObjectionsSoon(shown.text, checkedFor));
    tools.push({ ...seen(entry), left: seenLeft(left), diff });
  }
  return {
    server: viewer.server,
    client: viewer.client ?? null,
    caller: viewer.caller?.name ?? null,
    listedAt: list?.at.toISOString() ?? null,
    partial: list?.isCut === true,
    checkedFor: [...checkedFor],
    tools,
  };
}

function diffSteps({ original, shown }: ViewedEntry): Generator<void, string, void> {
  return definitionDiffSteps(decodeUtf8(original), shown && decodeUtf8(shown.text));
}

function seen({
  name,
  original,
  shown,
  changes,
}: ViewedEntry): Omit<ClientViewTool, "diff" | "left"> {
  const isSame = shown !== undefined && shown.text === original;
  return {
    name: name ?? null,
    listedAs: shown?.name ?? null,
    state: shown === undefined ? "left_out" : isSame ? "same" : "changed",
    steps: changes.map(stepOf),
  };
}

function seenLeft(left: RemainingObjections | undefined): ClientViewObjection | null {
  if (left === undefined) return null;
  const { total, errors, findings } = left;
  return {
    total,
    errors,
    findings: findings.map(({ provider, rule, severity, path, message }) => {
      return { provider, rule, severity, path, message };
    }),
  };
}

function stepOf({ step, kind, keyword, reason }: ViewChange): ClientViewStep {
  return { step, kind: KINDS[kind], setting: keyword ?? step, reason };
}
