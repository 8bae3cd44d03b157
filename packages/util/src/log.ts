import { UNSAFE_CHARACTERS } from "@touchstone/core/plain";
import { beginningWithoutSecrets, REDACTED } from "./known-secrets.ts";

/** Severity, least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Values of a log line besides its text. Never secrets or payloads. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** How lines are written: for people, or as JSON Lines (https://jsonlines.org) for programs. */
export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Which lines to write, and how. */
export interface LogSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** Receives diagnostics. Each call is one line. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger for lines about one server. JSON lines name it, whatever the text says. */
  about?(server: string): Logger;
}

/** Returns a logger for lines about one server, or `log` itself if it cannot make one. */
export function serverLogger(log: Logger, server: string): Logger {
  return log.about?.(server) ?? log;
}

const UNQUOTED = /^[\w.:/@+-]+$/;

/** Characters that a terminal would act on, or not show. */
const UNSAFE = new RegExp(`[${UNSAFE_CHARACTERS}]`, "gu");

const MAX_MESSAGE = 2_000;
/** The limit for a line of another process, which was already cut by its reader. */
const MAX_RELAYED = 20_000;

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** Replaces each character that a terminal would act on, or not show. */
export function replaceUnsafe(text: string, by: (character: string) => string): string {
  return text.replace(UNSAFE, by);
}

/**
 * Returns outside text as one line that a terminal shows literally, with unsafe characters as `\u{1b}`, cut with `…`
 * after `max` visible UTF-16 code units.
 */
export function visible(text: string, max: number = MAX_MESSAGE): string {
  return cut(replaceUnsafe(cut(text, max), named), max);
}

function named(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function formatField(name: string, value: string | number | boolean): string {
  const text = visible(String(value));
  return `${name}=${UNQUOTED.test(text) ? text : JSON.stringify(text)}`;
}

function textLine(level: LogLevel, message: string, fields: LogFields): string {
  const parts = [`touchstone ${level}: ${visible(message)}`];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) parts.push(formatField(key, value));
  }
  return parts.join(" ");
}

/**
 * Returns one event in ECS Logging form, the Elastic Common Schema for logs
 * (https://github.com/elastic/ecs-logging/tree/main/spec), as a line of JSON without its line feed. The field `code`
 * becomes `error.code`, the others are under `touchstone`. Characters that a terminal would act on are escaped, so
 * that a line can be viewed as it is and still reads back unchanged.
 * @param max texts are cut, with `…`, after that many UTF-16 code units
 */
export function jsonLine(
  level: LogLevel,
  message: string,
  fields: LogFields,
  max: number = MAX_MESSAGE,
): string {
  const { code, ...others } = fields;
  const kept = Object.entries(others).map(([key, value]) => [
    key,
    typeof value === "string" ? cut(value, max) : value,
  ]);
  const event = {
    "@timestamp": new Date().toISOString(),
    "log.level": level,
    message: cut(message, max),
    "ecs.version": "8.17.0",
    "service.name": "touchstone",
    "event.dataset": "touchstone.log",
    ...(code === undefined ? {} : { "error.code": String(code) }),
    ...(kept.length === 0 ? {} : { touchstone: Object.fromEntries(kept) }),
  };
  return replaceUnsafe(JSON.stringify(event), escaped);
}

/** Returns a character as JSON escapes it (RFC 8259, section 7). */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

type MakeLine = (level: LogLevel, message: string, fields: LogFields) => string;

const LINES: Readonly<Record<LogFormat, MakeLine>> = { text: textLine, json: jsonLine };

/**
 * Returns a logger with one line per call: `touchstone LEVEL: message name=value …`, or an ECS Logging event as JSON,
 * in which the field `code` becomes `error.code` and the others are under `touchstone`.
 * @param write receives one line with its line feed; it must not throw.
 * @param settings the least severe level to write, and the format (default: `text`). Read for each line, so they may
 *   change meanwhile.
 */
export function createLogger(
  write: (line: string) => void,
  settings: LogLevel | LogSettings,
): Logger {
  const holds: LogSettings =
    typeof settings === "string" ? { level: settings, format: "text" } : settings;
  const logger = (bound: LogFields): Logger => {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}): void => {
        if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(holds.level)) return;
        // In the text format, the message itself names the server.
        const all = holds.format === "text" ? fields : { ...bound, ...fields };
        write(`${LINES[holds.format](level, withoutSecrets(message), cleaned(all))}\n`);
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      about: (server) => logger({ server }),
    };
  };
  return logger({});
}

/** Removes the secrets of the configuration: a client may have sent one as a name. */
function withoutSecrets(text: string): string {
  return beginningWithoutSecrets(text, MAX_MESSAGE + 1, () => REDACTED);
}

function cleaned(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? withoutSecrets(value) : value,
    ]),
  );
}

/** A sequence of colors (ECMA-48, section 8.3.117, SELECT GRAPHIC RENDITION). */
const COLOURS = /(\p{Cc}\[[\d;:]*m)/u;
const ESCAPE = "\u001b";
const RESET = `${ESCAPE}[0m`;

/** Characters that move the cursor or reverse text. Joiners stay, because emoji and some scripts use them. */
const ACTED_ON = /(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Returns a line of a server's stderr for a terminal: it may have colors, but cannot overwrite other lines or color
 * later ones.
 */
export function keepColors(line: string): string {
  let reset = "";
  const parts = line.split(COLOURS).map((part, at) => {
    if (at % 2 === 0 || !part.startsWith(ESCAPE)) return part.replace(ACTED_ON, named);
    reset = RESET;
    return part;
  });
  return parts.join("") + reset;
}

/**
 * Returns a line of a server's stderr in a log's format: after the server's name in brackets, with its colors and
 * nothing else that a terminal would act on; or as an event of level `info`, because its severity is unknown.
 */
export function relayedLine(server: string, line: string, format: LogFormat): string {
  const kept = beginningWithoutSecrets(line, MAX_RELAYED + 1, () => REDACTED);
  if (format === "text") return `[${visible(server)}] ${keepColors(kept)}\n`;
  return `${jsonLine("info", kept, { server, stream: "stderr" }, MAX_RELAYED)}\n`;
}
