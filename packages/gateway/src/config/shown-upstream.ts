import { REDACTED, redactText } from "@touchstone/util";
import type { ServerConfig } from "./config.ts";
import { isSecretOption, withoutCredentialOptions } from "./credential-options.ts";
import {
  type IsKeySegment,
  mayBeKeySegment,
  shownUrl,
  shownUrlWithReferences,
  withoutKeySegments,
} from "./shown-url.ts";

/** How to reach a server, without parts that may be secret, and with references to variables instead of their values. */
export type ShownUpstream =
  | {
      readonly transport: "stdio";
      /** The program and its arguments, as one line. */
      readonly command: string;
      /** Names of the configured variables. */
      readonly env: readonly string[];
    }
  | {
      readonly transport: "http";
      /** Without query and fragment, and without segments that look like keys. */
      readonly url: string;
      /** Names of the configured headers. */
      readonly headers: readonly string[];
    }
  /** A client starts it through `touchstone wrap`. */
  | { readonly transport: "wrap" };

/**
 * Returns what may be shown of a server's upstream: names and places, and values if none is a secret.
 * @param isKey returns whether to leave out a segment of a URL's path
 */
export function shownUpstream(
  { upstream, written = {} }: Pick<ServerConfig, "upstream" | "written">,
  isKey: IsKeySegment = mayBeKeySegment,
): ShownUpstream {
  if (upstream.type === "http") {
    const headers = Object.keys(upstream.headers);
    const url = shownUrlWithReferences(written.url ?? "", isKey) ?? shownUrl(upstream.url, isKey);
    return { transport: "http", url, headers };
  }
  if (upstream.type === "wrap") return { transport: "wrap" };
  const words = commandWithoutSecrets(written.words ?? [upstream.command, ...upstream.args], isKey);
  return {
    transport: "stdio",
    command: words.map(quoted).join(" "),
    env: Object.keys(upstream.env),
  };
}

/**
 * Returns the words of a command line without secrets: values of options, variables and headers with a secret's name,
 * passwords of one-letter options ({@link withoutCredentialOptions}), and texts that look like secrets in any place.
 */
export function commandWithoutSecrets(
  words: readonly string[],
  isKey: IsKeySegment = mayBeKeySegment,
): readonly string[] {
  const args = withoutCredentialOptions(words);
  return args.map((arg, at) => {
    const before = args[at - 1];
    const option = before?.startsWith("-") === true && !/[=:]/.test(before);
    if (option && isSecretOption(before) && !arg.startsWith("-")) {
      // curl's -k takes no value.
      if (before !== "-k" || !/^https?:\/\//.test(arg)) return REDACTED;
    }
    if (/^-k[^-\s]/.test(arg)) return `-k${REDACTED}`;
    const [, name = "", value = ""] = /^([^=:\s]+[=:]\s*)(.+)$/s.exec(arg) ?? [];
    if (value !== "" && isSecretOption(name)) return name + REDACTED;
    return inUrl(inScript(redactText(arg).text), isKey);
  });
}

/** Variables and options in an argument that is itself a command, as after `sh -c`. */
function inScript(arg: string): string {
  const [first = "", ...rest] = arg.split(/(\s+)/);
  const shown = withoutCredentialOptions([first, ...rest.filter((_, at) => at % 2 === 1)]);
  const script = shown.map((word, at) => word + (rest[2 * at] ?? "")).join("");
  return script.replace(
    /(?<![\w-])(--?[\w-]+\s+|[\w-]+=)("[^"]*"|'[^']*'|[^\s"'-]\S*)/g,
    (whole, name: string) => (isSecretOption(name) ? name + REDACTED : whole),
  );
}

/** In URLs among the arguments, keys are in the path, the query or the fragment (RFC 3986, section 3). */
function inUrl(arg: string, isKey: IsKeySegment): string {
  const [, base, path = "", before = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)([?#])?/i.exec(arg) ?? [];
  if (base === undefined) return arg;
  return (
    base + withoutKeySegments(path, REDACTED, isKey) + (before === "" ? "" : before + REDACTED)
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) ? word : JSON.stringify(word);
}
