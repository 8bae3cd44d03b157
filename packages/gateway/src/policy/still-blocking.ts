import { LIMIT_KEYS } from "../features/limits.ts";
import type { ValidationSettings } from "./settings.ts";

/** The settings of a server and of its tools that have their own. */
export interface ServerRules {
  readonly settings: ValidationSettings;
  readonly tools: ReadonlyMap<string, ValidationSettings>;
}

/** What goes on blocking while checks are paused, in numbers. */
export interface StillBlocking {
  /** Servers with `allow_tools`, `deny_tools` or `read_only` in force, with the mode strict. */
  readonly policy: number;
  /** Tools with `narrow`, with the mode strict. */
  readonly narrow: number;
  /** Servers with `pin` strict. */
  readonly pin: number;
  /** Limits of calls per minute and of results. */
  readonly limits: number;
}

/**
 * Counts what goes on blocking while the checks of servers are paused.
 * @param pausesPolicy whether policy and narrow are paused as well
 */
export function stillBlocking(
  servers: readonly ServerRules[],
  pausesPolicy: boolean,
): StillBlocking {
  const all = servers.flatMap(({ settings, tools }) => [settings, ...tools.values()]);
  const isStrict = ({ policy }: ValidationSettings): boolean =>
    !pausesPolicy && policy?.mode === "strict";
  const count = (found: readonly boolean[]): number => found.filter(Boolean).length;
  return {
    policy: count(
      servers.map(
        ({ settings }) => isStrict(settings) && (settings.policy?.levels.length ?? 0) > 0,
      ),
    ),
    narrow: count(all.map((of) => isStrict(of) && of.policy?.narrow !== undefined)),
    pin: count(servers.map(({ settings }) => settings.pin?.mode === "strict")),
    // A limit of the top level is one, whichever servers it applies to.
    limits: new Set(
      servers.flatMap(({ settings, tools }, server) => [
        ...limitsOf(settings, server, ""),
        ...[...tools].flatMap(([tool, own]) => limitsOf(own, server, tool)),
      ]),
    ).size,
  };
}

function limitsOf(
  { limits = [] }: ValidationSettings,
  server: number,
  tool: string,
): readonly string[] {
  const place = (level: string): readonly unknown[] =>
    level === "top" ? [] : level === "server" ? [server] : [server, tool];
  return limits.flatMap(({ level, ...values }) =>
    LIMIT_KEYS.filter((key) => values[key] !== undefined).map((key) =>
      JSON.stringify([key, level, ...place(level)]),
    ),
  );
}

/** Returns what goes on blocking during a pause, as the end of a sentence for people. */
export function stillBlockingText({ policy, narrow, pin, limits }: StillBlocking): string {
  const parts = [
    ...(policy === 0 ? [] : [`policy of ${counted(policy, "server")}`]),
    ...(narrow === 0 ? [] : [`narrow of ${counted(narrow, "tool")}`]),
    ...(pin === 0 ? [] : [`pin of ${counted(pin, "server")}`]),
    ...(limits === 0
      ? []
      : [counted(limits, "limit of calls or results", "limits of calls or results")]),
  ];
  return parts.length === 0
    ? "no policy, narrow, pin or limit of calls or results is set that would block"
    : `these still block: ${parts.join(", ")}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
