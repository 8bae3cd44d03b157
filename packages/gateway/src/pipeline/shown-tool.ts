import { type Check, checkAtOnce, isUnion, withoutIgnored } from "@touchstone/core/advanced";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { adaptListStep } from "../features/adapt/list-step.ts";
import { advertiseListStep } from "../features/advertise/list-step.ts";
import type { ListStep } from "../features/list-step.ts";
import { checkOptions } from "../settings/validation.ts";
import type { ClientExchange } from "./exchange.ts";
import { prepareSteps, schemasKey } from "./list-view.ts";

/** The steps that change a tool's definition. */
const CHANGING: readonly ListStep[] = [advertiseListStep, adaptListStep];

/**
 * Returns the name by which the client knows the tool that it calls: the one in its list. If no list has the tool,
 * returns the name that the client sent.
 */
export function shownName({ asSent, settings, source, toolName }: ClientExchange): string {
  const sent = asSent.toolName ?? "";
  const { names } = settings.adapt ?? {};
  if (names === undefined || toolName === undefined) return toolName ?? sent;
  return source.get(toolName) === undefined ? sent : (source.names(names).listed(toolName) ?? sent);
}

/**
 * Returns the input schema of a call's tool as its client saw it in the list; undefined if that is unknown, so that
 * an error never shows a client another schema.
 */
export function clientSchema(exchange: ClientExchange): Uint8Array | undefined {
  const own = exchange.call?.contract?.inputText;
  if (own === undefined || exchange.toolName === undefined) return undefined;
  if (exchange.settings.input.showSchema !== "small") return undefined;
  const key = shownKey(exchange);
  if (key === undefined) return own;
  return exchange.state.context.views.shownSchema(key, exchange.toolName, own);
}

/** Returns the key of the schemas that the client saw; undefined if they are the server's own. */
function shownKey(exchange: ClientExchange): string | undefined {
  const { state, snapshot, source, revision } = exchange;
  const { context, conversation } = state;
  const { client, caller } = conversation;
  const { of: settings, narrowings, strictInput } = snapshot;
  const steps = prepareSteps(CHANGING, {
    ...{ server: context.server, settings, narrowings, strictInput, source, revision },
    ...{ client, caller, learnAll: () => undefined },
  });
  return schemasKey(steps);
}

/**
 * Returns the check of arguments by the schema that the client saw, if it differs from the server's; undefined if
 * that schema is unknown, accepts the arguments, or takes long to check. The check decides nothing: it only explains
 * a refusal.
 */
function shownCheck(exchange: ClientExchange): Check | undefined {
  const { call, toolName, settings, state } = exchange;
  const own = call?.contract?.inputText;
  if (own === undefined || toolName === undefined) return undefined;
  const key = shownKey(exchange);
  const schema = key && state.context.views.compiledSchema(key, toolName, own);
  if (!schema || schema.error !== undefined) return undefined;
  const frame = shownFrame(exchange);
  if (frame.scan.overKeys !== undefined) return undefined;
  const range = frame.range("/params/arguments");
  const text = range === undefined ? "{}" : frame.bytes.subarray(range.start, range.end);
  const { maxBytes, maxDepth } = settings.input;
  const { rules, undeclared } = checkOptions(settings.input);
  const check = checkAtOnce(schema, text, { maxBytes, maxDepth, rules, undeclared });
  return check?.outcome === "violation" ? withoutIgnored(check) : undefined;
}

/** Returns the message whose arguments to check by the schema that the client saw. */
function shownFrame({ frame, asSent, adapt, onward }: ClientExchange): Frame {
  // Nulls that the listed schema requires and the tool's own schema refuses have been removed from the frame.
  if (adapt !== undefined) return asSent;
  // Its arguments may have been repaired.
  return onward === frame.bytes ? frame : readFrame(onward);
}

/**
 * Returns a failed check with the issues that the arguments have by the schema that the client saw (`advertise`,
 * `adapt`), so that advice refers to that schema. Issues in other places stay.
 * @param scope `same places`: adds no issue in a place that had none
 */
export function checkByShownSchema(
  exchange: ClientExchange,
  check: Check,
  scope: "all" | "same places",
): Check {
  if (check.outcome !== "violation") return check;
  const shown = shownCheck(exchange);
  if (shown === undefined) return check;
  const own = new Set(check.errors.map(({ path }) => path));
  // Members that only the listed schema requires were removed from the arguments, so the client need not send them.
  const takesAll = scope === "all" && exchange.adapt === undefined;
  const errors = shown.errors.filter(({ path }) => takesAll || own.has(path));
  if (errors.length === 0) return check;
  const replaced = new Set(errors.map(({ path }) => path));
  const unions = errors.filter(isUnion).map(({ path }) => `${path}/`);
  const isReplaced = ({ path }: { readonly path: string }): boolean =>
    replaced.has(path) || unions.some((union) => path.startsWith(union));
  const rest = check.errors.filter((issue) => !isReplaced(issue));
  const truncated = Math.max(check.truncated ?? 0, shown.truncated ?? 0);
  return {
    ...check,
    errors: [...errors, ...rest],
    suggestions: [
      ...shown.suggestions.filter(({ path }) => replaced.has(path)),
      ...check.suggestions.filter((one) => !isReplaced(one)),
    ],
    ...(truncated > 0 && { truncated }),
  };
}
