/** Severity, least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Values that a log line carries beside its text. Never secrets, never payloads. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where diagnostics go. Each call is one line. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const UNQUOTED = /^[\w.:/@+-]+$/;

/**
 * What can move the cursor, reorder, hide or fake text on a terminal: control characters (Cc, with
 * line breaks and escape sequences), format characters (Cf, with bidirectional controls, see
 * Unicode TR 36, section 2.10), line and paragraph separators, lone surrogates, and every other
 * code point that shows as nothing (Default_Ignorable_Code_Point).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const MAX_MESSAGE = 2_000;

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** Replaces each character that a terminal would act on, or show as nothing. */
export function replaceUnsafe(text: string, by: (character: string) => string): string {
  return text.replace(UNSAFE, by);
}

/**
 * Text from outside as one line that a terminal shows as it is, with unsafe characters as `\u{1b}`,
 * and cut, with `…`, after `max` UTF-16 code units of what is shown.
 */
export function visible(text: string, max: number = MAX_MESSAGE): string {
  const shown = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return cut(replaceUnsafe(cut(text, max), shown), max);
}

function formatField(name: string, value: string | number | boolean): string {
  const text = visible(String(value));
  return `${name}=${UNQUOTED.test(text) ? text : JSON.stringify(text)}`;
}

/**
 * A logger that writes `touchstone LEVEL message name=value …` lines, one a call.
 * @param write takes one line with its line feed; it must not throw.
 * @param level the least severe level that is written.
 */
export function createLogger(write: (line: string) => void, level: LogLevel): Logger {
  const threshold = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(name) < threshold) return;
      const parts = [`touchstone ${name}: ${visible(message)}`];
      for (const [key, value] of Object.entries(fields)) {
        if (value !== undefined) parts.push(formatField(key, value));
      }
      write(`${parts.join(" ")}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
