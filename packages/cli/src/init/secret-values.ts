import { isObject } from "@touchstone/core/advanced";
import { commandWithoutSecrets, isSecretOption, REDACTED } from "@touchstone/gateway/config";
import { hideInUrl } from "../config/secrets.ts";
import type { FoundServer } from "./found-servers.ts";

/** A value that looks like a secret, and the variable that replaces it. */
export interface SecretValue {
  readonly variable: string;
  readonly value: string;
  /** The servers that contain it, and where: `env of files`. */
  readonly places: readonly string[];
}

/** Servers whose entries refer to their secrets. */
export interface ServersWithReferences {
  readonly servers: readonly FoundServer[];
  readonly secrets: readonly SecretValue[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Entry = FoundServer["entry"];

/**
 * Replaces values that look like secrets in the entries: in `env`, `headers`, `args` and the URL. Values that already
 * contain a reference stay unchanged.
 * @param refer returns the reference for the name of a variable: `${NAME}`
 * @param env a variable in it with another value is not used
 */
export function withReferences(
  servers: readonly FoundServer[],
  refer: (variable: string) => string,
  env: Environment,
): ServersWithReferences {
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
  const { command, args, env, headers, url } = entry;
  return {
    ...entry,
    ...(isObject(env) && { env: members(env, (key, value) => put(key, value, "env")) }),
    ...(isObject(headers) && {
      headers: members(headers, (key, value) => {
        const at = schemeEnd(value);
        return value.slice(0, at) + put(`${name}_${key}`, value.slice(at), "headers");
      }),
    }),
    ...(Array.isArray(args) && { args: argsOf(command, args, name, put) }),
    ...(typeof url === "string" && isPlain(url) && isSecretText(url)
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
        typeof value === "string" && isPlain(value) && (isSecretOption(key) || isSecretText(value));
      return [key, isSecret ? replaced(key, value) : value];
    }),
  );
}

/**
 * Replaces the parts of a command line that are never shown: values with a secret's name, and texts that look like
 * secrets in any place.
 */
function argsOf(
  command: unknown,
  args: readonly unknown[],
  name: string,
  put: Put,
): readonly unknown[] {
  // The meaning of some options depends on the program.
  const words = [command, ...args].map((word) => (typeof word === "string" ? word : ""));
  const shown = commandWithoutSecrets(words);
  return args.map((arg, index) => {
    if (typeof arg !== "string") return arg;
    const found = secretIn(arg, shown[index + 1] ?? "");
    if (found === undefined) return arg;
    const at = found.start + schemeEnd(arg.slice(found.start));
    const [kept, value] = [arg.slice(0, at), arg.slice(at)];
    if (!isPlain(value)) return arg;
    const option = found.start === 0 ? secretOption(words[index] ?? "") : "";
    const wanted = found.name || option || `arg_${index + 1}`;
    return kept + put(`${name}_${wanted}`, value, "args");
  });
}

/** `--token=VALUE`, `TOKEN=VALUE` and `Token: VALUE`, but not a URL. */
const ASSIGNED = /^([^=:\s]+(?:=|:(?!\/\/))\s*)(.+)$/s;

interface SecretPart {
  /** Where the secret starts; it ends at the end of the word. */
  readonly start: number;
  /** The name of the value in the word; empty if there is none. */
  readonly name: string;
}

/**
 * Returns the part of a word to replace; undefined if it has no secret.
 * @param shown the word as shown, with its secrets redacted
 */
function secretIn(word: string, shown: string): SecretPart | undefined {
  const [, assigned = "", value = word] = ASSIGNED.exec(word) ?? [];
  if (shown === word && hideInUrl(value) === value) return undefined;
  const first = shown.indexOf(REDACTED);
  const isLast = first >= 0 && first + REDACTED.length === shown.length;
  const start = isLast ? first : shown.startsWith(assigned) ? assigned.length : 0;
  // `$${` would be a literal `${`.
  if (word[start - 1] === "$") return { start: 0, name: "" };
  const named = start >= assigned.length ? assigned : "";
  return { start, name: named.replace(/^-+|[=:\s]+$/g, "") };
}

/** Returns the name of an option whose value is the next word; empty if that is not a secret. */
function secretOption(word: string): string {
  const [, name = ""] = /^--?([A-Za-z][\w-]*)$/.exec(word) ?? [];
  return isSecretOption(word) ? name : "";
}

/** Authentication schemes (RFC 9110, section 11.4), which are not secret. */
const SCHEME = /^(?:ApiKey|Basic|Bearer|Digest|DPoP|Negotiate|OAuth|Token) +(?=.)/i;

function schemeEnd(value: string): number {
  return SCHEME.exec(value)?.[0].length ?? 0;
}

function isSecretText(text: string): boolean {
  return commandWithoutSecrets([text]).join() !== text || hideInUrl(text) !== text;
}

/** Whether a value is not empty and does not refer to a variable. */
function isPlain(value: string): boolean {
  return value !== "" && !value.includes("${");
}

/** Returns a name that is valid for variables in POSIX shells. */
function identifier(text: string): string {
  const name = text.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
}
