import { valueAt } from "@touchstone/core/advanced";
import { type ShownSettings, settingControls } from "@touchstone/gateway/api";
import { isObject } from "../json/object.ts";
import type { Modes } from "../servers/modes.ts";
import { spanText } from "../text/duration.ts";
import { localTime } from "../text/local-time.ts";

/** A setting as a line: its name, its value as text, and its purpose. */
export type SettingLine = readonly [name: string, value: string, help?: string];

/** Related settings. */
export interface Section {
  readonly title: string;
  readonly lines: readonly SettingLine[];
}

/** A setting that people can change on the page. */
export interface ChangeableSetting {
  /** In `touchstone.json`. */
  readonly setting: string;
  /** Its place in the API's response. */
  readonly at: readonly [section: "activity" | "http" | "validation", ...names: string[]];
  readonly label: string;
  readonly help: string;
  /** Unit of a number; absent for on/off settings. */
  readonly unit?: string;
  /** The values of an on/off setting in the file (default: `false` and `true`). */
  readonly words?: readonly [off: string, on: string];
  /** The labels of its values, for a setting with several; absent for others. */
  readonly choices?: ReadonlyMap<string | boolean, string>;
}

/** A setting with its current value. */
export type CurrentSetting = ChangeableSetting & { readonly value: boolean | number | string };

/**
 * Returns the settings of a section that features let people change.
 * @param at the place of the section in the API's response
 */
function controlsIn(
  section: Parameters<typeof settingControls>[0],
  at: ChangeableSetting["at"],
): readonly ChangeableSetting[] {
  return settingControls(section).map(({ key, ...control }) => ({ ...control, at: [...at, key] }));
}

/** The settings about records and execution that the page can change. To support another one, add one entry. */
export const RECORD_SETTINGS: readonly ChangeableSetting[] = [
  {
    setting: "activity.bodies",
    at: ["activity", "bodies"],
    label: "Keep arguments and results",
    help: "A call fails if its arguments or its result are not valid, or are blocked. Secrets are redacted before anything is written.",
    choices: new Map<string | boolean, string>([
      ["failed", "arguments of failed calls"],
      ["all", "all arguments and results"],
      [false, "none"],
    ]),
  },
  ...controlsIn("activity", ["activity"]),
  {
    setting: "http.allow_execute",
    at: ["http", "allowExecute"],
    label: "Run tools from the console",
    help: "Lets this page and the HTTP tool API call tools. Everyone who may use the gateway can then run them.",
  },
  {
    setting: "activity.retention_days",
    at: ["activity", "retentionDays"],
    label: "Keep records for",
    help: "Older records are removed. A shorter time takes effect soon. Removed records cannot be restored.",
    unit: "days",
  },
  {
    setting: "activity.max_records",
    at: ["activity", "maxRecords"],
    label: "Keep at most",
    help: "The oldest records are removed if there are more.",
    unit: "records",
  },
];

/** The settings about checks that the page can change, besides modes; servers and tools may have separate values. */
export const CHECK_SETTINGS: readonly ChangeableSetting[] = [
  {
    setting: "input_validation.max_bytes",
    at: ["validation", "input", "maxBytes"],
    label: "Check arguments up to",
    help: "Larger arguments count as an issue, and are not compared with the schema.",
    unit: "bytes",
  },
  {
    setting: "input_validation.max_depth",
    at: ["validation", "input", "maxDepth"],
    label: "Check nested arguments up to",
    help: "Deeper arguments count as an issue, and are not compared with the schema.",
    unit: "levels",
  },
  {
    setting: "output_validation.max_bytes",
    at: ["validation", "output", "maxBytes"],
    label: "Check results up to",
    help: "Larger structured results count as an issue, and are not compared with the schema.",
    unit: "bytes",
  },
  {
    setting: "output_validation.max_depth",
    at: ["validation", "output", "maxDepth"],
    label: "Check nested results up to",
    help: "Deeper structured results count as an issue, and are not compared with the schema.",
    unit: "levels",
  },
  {
    setting: "protocol_validation.max_bytes",
    at: ["validation", "protocol", "maxBytes"],
    label: "Check messages up to",
    help: "Larger messages, not counting their long values, count as an issue.",
    unit: "bytes",
  },
  ...controlsIn("input_validation", ["validation", "input"]),
  ...controlsIn("output_validation", ["validation", "output"]),
];

/** Sections in the order in which people look for them; others come last. */
const TITLES: Readonly<Record<string, string>> = {
  "": "Gateway",
  configuration: "Configuration",
  listen: "Listening",
  auth: "Access",
  http: "HTTP tool API",
  validation: "Validation",
  limits: "Limits",
  activity: "Activity",
};
/** Shown by the mode switches, or as separate sections. */
const ELSEWHERE: ReadonlySet<string> = new Set(["own"]);
const CHANGED_ABOVE: ReadonlySet<string> = new Set([
  ...[...RECORD_SETTINGS, ...CHECK_SETTINGS].map(({ at }) => at.join(".")),
  // Shown in separate cards.
  ...["auth.callers", "validation.policy", "validation.limits"],
]);
/** Nested objects are listed down to this depth; the values of deeper ones share one line. */
const MAX_DEPTH = 3;

/** RFC 3339, in UTC. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Readable names of settings, and their purpose. */
const NAMES: Readonly<Record<string, readonly [label: string, help: string]>> = {
  version: ["Version", ""],
  node: ["Node.js", ""],
  startedAt: ["Started", ""],
  uptimeSeconds: ["Running for", ""],
  writes: ["To change settings", "What is needed to change settings over HTTP."],
  capability: ["Deep checks", "Whether servers are offered touchstone/validate."],
  file: ["File", ""],
  editable: ["Can be edited here", ""],
  hash: [
    "Hash",
    "Gateways with the same hash check and record in the same way. Secrets, addresses, alerts and the log are not part of it.",
  ],
  ignoredKeys: ["Ignored keys", "Keys of other programs, which Touchstone does not read."],
  leftOut: ["Skipped servers", "Entries that cannot be served, and why."],
  host: ["Address", ""],
  port: ["Port", ""],
  allowedHosts: ["Allowed hosts", "Names in the Host header, against DNS rebinding."],
  allowedOrigins: ["Allowed origins", "Web pages that may use the gateway."],
  allowedHeaders: ["Allowed headers", "What these pages may send besides the headers of MCP."],
  idleTimeout: ["Idle connections", "How long they stay open."],
  apiKey: ["API key", "What clients send as a token."],
  adminKey: ["Admin key", "What an operator sends to change settings."],
  editServers: ["Add and change servers here", "Whether an operator may write servers over HTTP."],
  store: ["Database", ""],
  bodyMaxBytes: ["Largest body kept", "A longer one is cut."],
  maxBytes: ["Most bytes", ""],
  onWriteFailure: ["If a record cannot be written", ""],
  sync: ["Flush to disk", ""],
};

/** Splits a camel-case name into words: `maxBodyBytes` becomes `Max body bytes`. */
export function camelCaseWords(name: string): string {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (known !== undefined) return known[0];
  const text = name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .replaceAll("_", " ")
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function helpOf(name: string): string | undefined {
  const help = Object.hasOwn(NAMES, name) ? NAMES[name]?.[1] : undefined;
  return help === "" ? undefined : help;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB"] as const;
/** Formats a size in the largest unit that leaves at most two decimal places: `64 MiB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (unit < UNITS.length - 1 && size >= 1024 && Number.isInteger((size * 100) / 1024)) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toLocaleString("en")} ${UNITS[unit]}`;
}

function numberText(value: number, name: string): string {
  if (name === "port") return `${value}`;
  if (/bytes$/i.test(name)) return sizeText(value);
  if (/seconds$/i.test(name) || (/timeout$/i.test(name) && value % 1000 === 0 && value > 0)) {
    return spanText(/seconds$/i.test(name) ? value : value / 1000);
  }
  if (/days$/i.test(name)) return value === 1 ? "1 day" : `${value.toLocaleString("en")} days`;
  return value.toLocaleString("en");
}

function valueText(value: unknown, name: string): string {
  if (Array.isArray(value)) {
    const mark = value.some(isObject) ? "; " : ", ";
    return value.length === 0 ? "none" : value.map((item) => valueText(item, name)).join(mark);
  }
  if (typeof value === "number") return numberText(value, name);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return MOMENT.test(value) ? localTime(value) : value;
  if (isObject(value)) {
    const parts = Object.values(value).map((each) => valueText(each, ""));
    return parts.length === 0 ? "none" : parts.join(": ");
  }
  return value === null ? "none" : JSON.stringify(value);
}

function linesOf(value: unknown, name: string, depth: number, key = ""): readonly SettingLine[] {
  const help = helpOf(key);
  const line = (text: string): SettingLine =>
    help === undefined ? [name, text] : [name, text, help];
  if (!isObject(value) || depth >= MAX_DEPTH) return [line(valueText(value, key))];
  const members = Object.entries(value);
  if (members.length === 0) return [line("none")];
  return members.flatMap(([each, member]) => {
    const said =
      name === "" ? camelCaseWords(each) : `${name}, ${camelCaseWords(each).toLowerCase()}`;
    return linesOf(member, said, depth + 1, each);
  });
}

/** Returns changeable settings with the values that the gateway reports. */
export function currentSettings(
  settings: ShownSettings,
  changeable: readonly ChangeableSetting[],
): readonly CurrentSetting[] {
  return changeable.flatMap((each): CurrentSetting[] => {
    const at = valueAt(settings, each.at)?.value;
    if (each.choices !== undefined) {
      const known = [...each.choices.keys()].find((value) => value === at);
      return known === undefined ? [] : [{ ...each, value: known }];
    }
    const value = each.words?.includes(String(at)) === true ? at === each.words[1] : at;
    const isNumber = each.unit !== undefined;
    return typeof value === (isNumber ? "number" : "boolean")
      ? [{ ...each, value } as CurrentSetting]
      : [];
  });
}

/** Returns the value that is written to the file for a new value of a setting. */
export function writtenSetting(
  { words }: ChangeableSetting,
  value: CurrentSetting["value"],
): CurrentSetting["value"] {
  return words !== undefined && typeof value === "boolean" ? words[value ? 1 : 0] : value;
}

/** Returns the read-only members of a section, and of the objects in it. */
function onlyRead(place: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const at = `${place}.${name}`;
    return CHANGED_ABOVE.has(at) ? [] : [[name, onlyRead(at, member)] as const];
  });
  return Object.fromEntries(kept);
}

/** Returns all settings as lines, in the order in which people look for them; those of a newer gateway come last. */
export function sectionsOf(settings: ShownSettings): readonly Section[] {
  const all: Readonly<Record<string, unknown>> = settings;
  const plain = Object.entries(all).filter(([, value]) => !isObject(value));
  const known = Object.keys(TITLES).filter((name) => isObject(all[name]));
  const others = Object.keys(all).filter(
    (name) => isObject(all[name]) && !Object.hasOwn(TITLES, name) && !ELSEWHERE.has(name),
  );
  const gateway = { title: TITLES[""] ?? "", lines: linesOf(Object.fromEntries(plain), "", 0) };
  const sections = [...known, ...others].map((name) => ({
    title: (Object.hasOwn(TITLES, name) ? TITLES[name] : undefined) ?? camelCaseWords(name),
    lines: linesOf(onlyRead(name, all[name]), "", 0),
  }));
  return [gateway, ...sections];
}

/** Returns the modes in force for the whole gateway. */
export function modesOf({ validation: { input, output, protocol } }: ShownSettings): Modes {
  return { input: input.mode, output: output.mode, protocol: protocol.mode };
}
