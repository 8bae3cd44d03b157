import { decodeUtf8, encodeUtf8, runSteps } from "@touchstone/core/advanced";
import { definitionDiff } from "@touchstone/protocol/compare";
import {
  type AdaptRules,
  adaptToolSteps,
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  lintFor,
  lintTools,
  providersOfClients,
} from "@touchstone/protocol/lint";
import type { AdaptedList, ClientsAnswer, Questions } from "../question.ts";
import { listed, type ReadTool, readTools, shownNames } from "./tools.ts";

/** Maximum number of changed tools that are shown. */
const MAX_DIFFS = 50;

/** Every kind of change that `adapt` can make, as `touchstone check --adapt` shows it. */
const ALL: Omit<AdaptRules, "takers"> = {
  leaveOut: true,
  outputSchema: "drop_unusable",
  dropsBroken: true,
  kinds: ["same", "narrower", "wider"],
  dropsNulls: false,
  stripHidden: true,
};

/**
 * Reports what is wrong with tools for every client, and what `adapt` changes for one client.
 * @throws UnusableTextError
 */
export function answerClients({ tools: text, client }: Questions["clients"]): ClientsAnswer {
  const { tools, notes } = readTools(text, "Tools");
  const values = tools.map(({ value }) => value);
  const takers = providersOfClients([client]);
  const every = lintFor(values, providersOfClients(CLIENT_NAMES));
  return {
    names: shownNames(tools),
    notes,
    lint: listed(lintTools(values)),
    clients: CLIENT_NAMES.map((name) => {
      const own = new Set(providersOfClients([name]));
      const found = every.filter(({ provider }) => own.has(provider));
      const errors = found.filter(({ severity }) => severity === "error").length;
      return { client: name, title: CLIENTS[name].title, errors, warnings: found.length - errors };
    }),
    refused: listed(every.filter(({ provider }) => takers.includes(provider))),
    adapted: adaptedFor(tools, client),
  };
}

function adaptedFor(tools: readonly ReadTool[], client: ClientName): AdaptedList {
  const takers = providersOfClients([client]);
  const changes: { tool: string; path: string; message: string; isLeft: boolean }[] = [];
  const diffs: { tool: string; diff: string }[] = [];
  const shown: unknown[] = [];
  for (const { name, text } of tools) {
    const bytes = encodeUtf8(text);
    const made = runSteps(adaptToolSteps(bytes, { ...ALL, takers }));
    const adapted = made.text === undefined ? undefined : decodeUtf8(made.text);
    for (const { path, message, isLeft } of made.changes) {
      const said = adapted === undefined ? `left out: ${message}` : message;
      changes.push({ tool: name, path, message: said, isLeft: isLeft === true });
    }
    if (adapted !== undefined) shown.push(JSON.parse(adapted));
    if (made.text !== bytes) diffs.push({ tool: name, diff: definitionDiff(text, adapted) });
  }
  return {
    changes: listed(changes),
    listed: shown.length,
    left: listed(lintFor(shown, takers)),
    diffs: listed(diffs, MAX_DIFFS),
  };
}
