const MAX_LENGTH = 2000;
const PATH = "[path]";

/** Text in quotes that begins like an absolute path or a file URL, spaces and all. */
const QUOTED = /(["'`])(?:file:\/\/|\/[^/"'`\n]+\/|[a-zA-Z]:[\\/]|\\\\)[^"'`\n]*\1/g;
/** Such paths without quotes, of two segments or more; those of http URLs do not begin a word. */
const BARE = /file:\/\/[^\s"'`<>()]+|(?<![\w./-])(?:\/[^\s/"'`<>():,;]+){2,}\/?(?::\d+)*/g;
const WINDOWS = /(?<!\w)(?:[a-zA-Z]:[\\/]|\\\\)[^\s"'`<>(),;]+/g;

function textOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : thrown;
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

/**
 * The message of what a handler threw, for its caller: without stack lines, and with absolute paths
 * of files masked, since both tell of the host. Never throws.
 */
export function publicMessage(thrown: unknown): string {
  const [message = ""] = textOf(thrown)
    .slice(0, 4 * MAX_LENGTH)
    .split(/\n\s+at /, 1);
  const masked = message
    .replace(QUOTED, `$1${PATH}$1`)
    .replace(WINDOWS, PATH)
    .replace(BARE, PATH)
    .trim();
  if (masked === "") return "The tool failed without a message.";
  return masked.length > MAX_LENGTH ? `${masked.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : masked;
}
