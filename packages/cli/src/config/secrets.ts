/** Stands for a value that is set and not shown. */
export const HIDDEN = "(set, not shown)";

const SECRET_NAME = /(?:token|secret|passw|passphrase|credential|auth|bearer|api[-_]?key|apikey)/i;

/**
 * Arguments of a command without what looks like a secret: the value of an option or a header whose
 * name says so, and the user's part of a URL.
 */
export function hideSecrets(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    if (before !== undefined && isSecretOption(before) && !arg.startsWith("-")) return HIDDEN;
    const assigned = /^([^=:\s]+[=:]\s*)(.+)$/s.exec(arg);
    const [, name = "", value = ""] = assigned ?? [];
    if (value !== "" && SECRET_NAME.test(name)) return `${name}${HIDDEN}`;
    return arg.replace(/^(\w[\w+.-]*:\/\/)[^/@\s]+@/, `$1${HIDDEN}@`);
  });
}

function isSecretOption(arg: string): boolean {
  return arg.startsWith("-") && !arg.includes("=") && SECRET_NAME.test(arg);
}
