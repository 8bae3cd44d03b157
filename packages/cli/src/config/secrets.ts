import { commandWithoutSecrets, REDACTED, withoutKeySegments } from "@touchstone/gateway/config";

/** Replaces a value that is set but not shown. */
export const HIDDEN_VALUE = "(set, not shown)";

const SECRET_NAME = /(?:token|secret|passw|passphrase|credential|auth|bearer|api[-_]?key|apikey)/i;

/**
 * Returns the words of a command line without anything that looks like a secret, here or in the console, which shows
 * less of a URL.
 */
export function hideSecrets(words: readonly string[]): readonly string[] {
  const shown = commandWithoutSecrets(words);
  return hideNamed(words).map((word, index) => {
    if (word !== words[index] || isUrl(word)) return word;
    return shown[index]?.replaceAll(REDACTED, HIDDEN_VALUE) ?? word;
  });
}

/** Hides the value of an option or header whose name suggests a secret, and the userinfo of a URL. */
function hideNamed(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    if (before !== undefined && isSecretOption(before) && !arg.startsWith("-")) return HIDDEN_VALUE;
    const assigned = /^([^=:\s]+[=:]\s*)(.+)$/s.exec(arg);
    const [, name = "", value = ""] = assigned ?? [];
    if (value !== "" && SECRET_NAME.test(name)) return `${name}${HIDDEN_VALUE}`;
    return hideInUrl(arg);
  });
}

/**
 * Returns a URL without its userinfo (RFC 3986, section 3.2.1), path segments that may be keys, and query values
 * whose names suggest a secret. Returns any other text unchanged.
 */
export function hideInUrl(text: string): string {
  if (!isUrl(text)) return text;
  return text
    .replace(/^([^/]*\/\/)[^/?#\s]+@/, `$1${HIDDEN_VALUE}@`)
    .replace(
      /^([^/]*\/\/[^/?#]*)([^?#]*)/,
      (_, base: string, path: string) => base + withoutKeySegments(path, HIDDEN_VALUE),
    )
    .replace(/([?&;]([^=&;#]+)=)[^&;#]+/g, (whole, before: string, name: string) =>
      SECRET_NAME.test(name) || /key|sig/i.test(name) ? before + HIDDEN_VALUE : whole,
    );
}

function isUrl(text: string): boolean {
  return /^\w[\w+.-]*:\/\//.test(text);
}

function isSecretOption(arg: string): boolean {
  return arg.startsWith("-") && !arg.includes("=") && SECRET_NAME.test(arg);
}
