import { isSecretName, redactText } from "@touchstone/gateway/config";
import { hideInUrl } from "../config/secrets.ts";
import type { FoundServer } from "./found-servers.ts";

/** A value that looks like a secret, and the variable that stands for it. */
export interface SecretValue {
  readonly variable: string;
  readonly value: string;
  /** The servers that have it, and where: `env of files`. */
  readonly places: readonly string[];
}

/** Servers whose entries refer to their secrets. */
export interface Referenced {
  readonly servers: readonly FoundServer[];
  readonly secrets: readonly SecretValue[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Entry = FoundServer["entry"];

/**
 * Replaces values that look like secrets in the entries: in `env`, `headers`, `args` and the URL. Values that refer to
 * something already stay as they are.
 * @param refer returns the reference for the name of a variable: `${NAME}`
 * @param env a variable that is set to another value is not used
 */
export function withReferences(
  servers: readonly FoundServer[],
  refer: (variable: string) => string,
  env: Environment,
): Referenced {
  const taken = new Map<string, { value: string; places: string[] }>();
  const named = (server: string, wanted: string, value: string, place: string): string => {
    const own = identifier(wanted);
    const names = [own, identifier(`${server}_${wanted}`)];
    for (let count = 1; ; count += 1) {
      const variable = names[count - 1] ?? `${names[1]}_${count}`;
      const known = taken.get(variable);
      const isFree = known === undefined && (env[variable] ?? value) === value;
      if (!isFree && known?.value !== value) continue;
      taken.set(variable, { value, places: [...(known?.places ?? []), `${place} of ${server}`] });
      return refer(variable);
    }
  };
  const replaced = servers.map((server) => {
    const put = (wanted: string, value: string, place: string): string =>
      named(server.name, wanted, value, place);
    return { ...server, entry: entryOf(server, put) };
  });
  const secrets = [...taken].map(([variable, { value, places }]) => ({
    variable,
    value,
    places: [...new Set(places)],
  }));
  return { servers: replaced, secrets };
}

type Put = (wanted: string, value: string, place: string) => string;

function entryOf({ name, entry }: FoundServer, put: Put): Entry {
  const { env, headers, args, url } = entry;
  return {
    ...entry,
    ...(isRecord(env) && { env: members(env, (key, value) => put(key, value, "env")) }),
    ...(isRecord(headers) && {
      headers: members(headers, (key, value) => {
        // RFC 9110, section 11.4: the scheme is not secret.
        const [, scheme = "", token = value] = /^([A-Za-z]+ +)(.+)$/s.exec(value) ?? [];
        return scheme + put(`${name}_${key}`, token, "headers");
      }),
    }),
    ...(Array.isArray(args) && { args: argsOf(args, name, put) }),
    ...(typeof url === "string" && isPlain(url) && hideInUrl(url) !== url
      ? { url: put(`${name}_url`, url, "url") }
      : {}),
  };
}

/** Returns the members with secret values replaced. */
function members(
  record: Readonly<Record<string, unknown>>,
  replaced: (key: string, value: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const isSecret =
        typeof value === "string" && isPlain(value) && (isSecretName(key) || hasSecret(value));
      return [key, isSecret ? replaced(key, value) : value];
    }),
  );
}

/** `--token VALUE`, `--token=VALUE`, and words that are a secret by their form. */
function argsOf(args: readonly unknown[], name: string, put: Put): readonly unknown[] {
  return args.map((arg, at) => {
    if (typeof arg !== "string" || !isPlain(arg)) return arg;
    const before = args[at - 1];
    const option = typeof before === "string" && !before.includes("=") ? optionName(before) : "";
    if (option !== "" && isSecretName(option) && !arg.startsWith("-")) {
      return put(`${name}_${option}`, arg, "args");
    }
    const [, flag = "", value = ""] = /^(--?[\w-]+=)(.+)$/s.exec(arg) ?? [];
    if (value !== "" && (isSecretName(optionName(flag)) || isSecretText(value))) {
      return flag + put(`${name}_${optionName(flag)}`, value, "args");
    }
    return isSecretText(arg) ? put(`${name}_arg_${at + 1}`, arg, "args") : arg;
  });
}

function optionName(word: string): string {
  return /^--?([A-Za-z][\w-]*)=?$/.exec(word)?.[1] ?? "";
}

function isSecretText(text: string): boolean {
  return hasSecret(text) || hideInUrl(text) !== text;
}

function hasSecret(text: string): boolean {
  return redactText(text).redactions > 0;
}

/** Whether a value is there and does not refer to a variable. */
function isPlain(value: string): boolean {
  return value !== "" && !value.includes("${");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a name that POSIX shells take for a variable. */
function identifier(text: string): string {
  const name = text.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
}
