import { numberOf, readList, textOf, textsOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { MODES, type Mode } from "./modes.ts";

/** Which tools one level lets be called. */
export interface Level {
  /** `top`, `server` or `caller`. */
  readonly level: string;
  /** Names and patterns; undefined if any tool is allowed. */
  readonly allowTools?: readonly string[];
  readonly denyTools?: readonly string[];
  readonly isReadOnly: boolean;
}

/** How many calls a level lets be made in a minute. */
export interface Rate {
  readonly level: string;
  readonly callsPerMinute: number;
}

/** How many bytes a result may have, and the level that says so. */
export interface ResultLimit {
  readonly level: string;
  readonly bytes: number;
}

/** The limits of a tool's or a caller's calls; what is undefined is not limited. */
export interface CallLimits {
  readonly callsPerMinute?: number;
  readonly resultBytes?: number;
}

/** What limits the calls of one tool. */
export interface LimitedTool extends CallLimits {
  readonly tool: string;
  /** The JSON text of the schema that arguments must satisfy beside the tool's own. */
  readonly narrow?: string;
}

/** What limits calls beside the schemas of the tools. */
export interface Policy {
  readonly mode: Mode;
  readonly levels: readonly Level[];
  readonly rates: readonly Rate[];
  readonly resultLimit?: ResultLimit;
  readonly tools: readonly LimitedTool[];
}

function readLevel(item: unknown): Level | undefined {
  const level = textOf(item, "level");
  if (!isObject(item) || level === null) return undefined;
  const [allowTools, denyTools] = [textsOf(item["allowTools"]), textsOf(item["denyTools"])];
  return {
    level,
    ...(allowTools === undefined ? {} : { allowTools }),
    ...(denyTools === undefined ? {} : { denyTools }),
    isReadOnly: item["readOnly"] === true,
  };
}

function readRate(item: unknown): Rate | undefined {
  const [level, callsPerMinute] = [textOf(item, "level"), numberOf(item, "callsPerMinute")];
  return level === null || callsPerMinute === null ? undefined : { level, callsPerMinute };
}

function readResultLimit(item: unknown): ResultLimit | undefined {
  const [level, bytes] = [textOf(item, "level"), numberOf(item, "bytes")];
  return level === null || bytes === null ? undefined : { level, bytes };
}

function readLimits(item: unknown): CallLimits {
  const callsPerMinute = numberOf(item, "callsPerMinute");
  const resultBytes = numberOf(item, "resultBytes");
  return {
    ...(callsPerMinute === null ? {} : { callsPerMinute }),
    ...(resultBytes === null ? {} : { resultBytes }),
  };
}

/** Returns limits in words. */
export function limitTexts({ callsPerMinute, resultBytes }: CallLimits): readonly string[] {
  return [
    ...(callsPerMinute === undefined ? [] : [`${callsPerMinute} calls per minute`]),
    ...(resultBytes === undefined ? [] : [`results of up to ${resultBytes} bytes`]),
  ];
}

function readTool(item: unknown): LimitedTool | undefined {
  const tool = textOf(item, "tool");
  if (!isObject(item) || tool === null) return undefined;
  return {
    tool,
    ...(isObject(item["narrow"]) ? { narrow: JSON.stringify(item["narrow"], null, 2) } : {}),
    ...readLimits(item),
  };
}

/**
 * Reads what limits calls: `policy` of a server, or what `validation` of the settings has of it.
 * @returns undefined if nothing limits them
 */
export function readPolicy(value: unknown): Policy | undefined {
  if (!isObject(value)) return undefined;
  const mode = MODES.find((known) => known === textOf(value, "mode")) ?? "strict";
  const levels = readList(value["levels"], readLevel) ?? [];
  const rates = readList(value["rates"], readRate) ?? [];
  const tools = readList(value["tools"], readTool) ?? [];
  const resultLimit = readResultLimit(value["resultLimit"]);
  const isLimited = rates.length > 0 || resultLimit !== undefined;
  if (levels.length === 0 && !isLimited && tools.length === 0) return undefined;
  return { mode, levels, rates, ...(resultLimit === undefined ? {} : { resultLimit }), tools };
}

/** Whether there is something that the mode decides about: how often tools are called is limited in every mode. */
export function hasMode({ levels, tools }: Policy): boolean {
  return levels.length > 0 || tools.some(({ narrow }) => narrow !== undefined);
}

/** A caller, and what its keys allow. */
export interface ShownCaller extends CallLimits {
  readonly name: string;
  readonly role: string;
  readonly keys: number;
  /** Undefined if all are for it. */
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly isReadOnly: boolean;
}

/** Reads a caller of the settings; undefined if it has no name. */
export function readCaller(item: unknown): ShownCaller | undefined {
  const name = textOf(item, "name");
  if (!isObject(item) || name === null) return undefined;
  const [servers, tools] = [textsOf(item["servers"]), textsOf(item["tools"])];
  return {
    name,
    role: textOf(item, "role") ?? "caller",
    keys: numberOf(item, "keys") ?? 1,
    ...(servers === undefined ? {} : { servers }),
    ...(tools === undefined ? {} : { tools }),
    isReadOnly: item["readOnly"] === true,
    ...readLimits(item),
  };
}
