import { adapt } from "../features/adapt/list-step.ts";
import { advertise } from "../features/advertise/list-step.ts";
import type { ListStep } from "../features/list-step.ts";
import type { ClientExchange } from "./exchange.ts";
import { prepareSteps, schemasKey } from "./list-view.ts";

/** The steps that change what a tool says of itself. */
const CHANGING: readonly ListStep[] = [advertise, adapt];

/**
 * Returns the name by which the client knows the tool that it calls: the one in its list. The name as the client sent it,
 * if no list has the tool.
 */
export function shownName({ asSent, settings, source, toolName }: ClientExchange): string {
  const sent = asSent.toolName ?? "";
  const { names } = settings.adapt ?? {};
  if (names === undefined || toolName === undefined) return toolName ?? sent;
  return source.get(toolName) === undefined ? sent : (source.names(names).listed(toolName) ?? sent);
}

/**
 * Returns the input schema of a call's tool as its client was shown it; undefined if that is not known, so that no client
 * is shown a schema that is not the one in its list.
 */
export function shownSchema(exchange: ClientExchange): Uint8Array | undefined {
  const { state, call, snapshot, source, revision, toolName } = exchange;
  const own = call?.contract?.inputText;
  if (own === undefined || toolName === undefined) return undefined;
  if (exchange.settings.input.showSchema !== "small") return undefined;
  const { context, conversation } = state;
  const { client, caller } = conversation;
  const { of: settings, narrowings, strictInput } = snapshot;
  const steps = prepareSteps(CHANGING, {
    ...{ server: context.server, settings, narrowings, strictInput, source, revision },
    ...{ client, caller, learnAll: () => undefined },
  });
  const key = schemasKey(steps);
  return key === undefined ? own : context.views.shownSchema(key, toolName, own);
}
