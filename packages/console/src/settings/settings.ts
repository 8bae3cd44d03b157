import { textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { localTime } from "../page/local-time.ts";
import { type Modes, readModes } from "../servers/modes.ts";

/** A setting as a line: its name, its value as text, and what it is for. */
export type Line = readonly [name: string, value: string, help?: string];

/** Settings that belong together. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** What `GET /api/v1/settings` tells, ready to be shown. */
export interface Settings {
  readonly sections: readonly Section[];
  /** What holds for the whole gateway. */
  readonly modes: Modes;
  /** What the configuration says for the whole gateway. */
  readonly own: Modes;
  readonly isEditable: boolean;
  /** Why not. */
  readonly reason: string | null;
  /** What a change needs: `api_key`, `token` or `off`. */
  readonly writes: string | null;
}

/** Sections in the order in which people ask for them; others come behind. */
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
/** Shown by the mode switches, or as sections. */
const ELSEWHERE: ReadonlySet<string> = new Set(["own"]);
/** Objects in objects are listed down to here; of deeper ones the values stand in one line. */
const MAX_DEPTH = 3;

/** RFC 3339, in UTC. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Names of settings in words, and what they are for. */
const NAMES: Readonly<Record<string, readonly [label: string, help: string]>> = {
  version: ["Version", ""],
  node: ["Node.js", ""],
  startedAt: ["Started", ""],
  uptimeSeconds: ["Running for", ""],
  writes: ["To change settings", "What a change over HTTP needs."],
  capability: ["Deep checks", "Whether servers are offered touchstone/validate."],
  file: ["File", ""],
  editable: ["Can be edited here", ""],
  hash: ["Hash", "Gateways with the same hash have the same configuration."],
  ignoredKeys: ["Ignored keys", "Keys of other programs, which Touchstone does not read."],
  leftOut: ["Servers left out", "Entries that cannot be served, and why."],
  host: ["Address", ""],
  port: ["Port", ""],
  allowedHosts: ["Allowed hosts", "Names in the Host header, against DNS rebinding."],
  allowedOrigins: ["Allowed origins", "Web pages that may use the gateway."],
  apiKey: ["API key", "What clients send as a token."],
  adminKey: ["Admin key", "What an operator sends to change settings."],
  allowExecute: ["Run tools from the console", "Lets this page and the tool API call tools."],
  editServers: ["Add and change servers here", "Whether an operator may write servers over HTTP."],
  store: ["Database", ""],
  bodies: ["Keep arguments and results", "Secrets are redacted first."],
  bodyMaxBytes: ["Largest body kept", "A longer one is cut."],
  drift: ["Watch results for drift", "Learns how results differ from their schema."],
  retentionDays: ["Keep records for", ""],
  maxRecords: ["Most records kept", ""],
  maxBytes: ["Most bytes", ""],
  onWriteFailure: ["If a record cannot be written", ""],
  sync: ["Flush to disk", ""],
  missingStructuredContent: ["Missing structured content", ""],
};

/** Returns a name in camel case as words: `maxBodyBytes` is `Max body bytes`. */
export function words(name: string): string {
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
/** Seconds of a day, an hour and a minute. */
const SPANS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Returns a size in the largest unit that leaves at most two digits after the point: `64 MiB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (unit < UNITS.length - 1 && size >= 1024 && Number.isInteger((size * 100) / 1024)) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toLocaleString("en")} ${UNITS[unit]}`;
}

/** Returns a time in its two largest units: `2 h 5 min`. */
export function spanText(seconds: number): string {
  let left = seconds;
  const parts: string[] = [];
  for (const [size, unit] of SPANS) {
    const count = Math.floor(left / size);
    if (count > 0 || (size === 1 && parts.length === 0)) parts.push(`${count} ${unit}`);
    left -= count * size;
  }
  return parts.slice(0, 2).join(" ");
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

function linesOf(value: unknown, name: string, depth: number, key = ""): readonly Line[] {
  const help = helpOf(key);
  const line = (text: string): Line => (help === undefined ? [name, text] : [name, text, help]);
  if (!isObject(value) || depth >= MAX_DEPTH) return [line(valueText(value, key))];
  const members = Object.entries(value);
  if (members.length === 0) return [line("none")];
  return members.flatMap(([each, member]) => {
    const said = name === "" ? words(each) : `${name}, ${words(each).toLowerCase()}`;
    return linesOf(member, said, depth + 1, each);
  });
}

/** Reads the response of the API; undefined if it is none. */
export function readSettings(answer: unknown): Settings | undefined {
  if (!isObject(answer) || textOf(answer, "version") === null) return undefined;
  const { configuration, validation, own } = answer;
  const plain = Object.entries(answer).filter(([, value]) => !isObject(value));
  const known = Object.keys(TITLES).filter((name) => isObject(answer[name]));
  const others = Object.keys(answer).filter(
    (name) => isObject(answer[name]) && !Object.hasOwn(TITLES, name) && !ELSEWHERE.has(name),
  );
  const gateway = { title: TITLES[""] ?? "", lines: linesOf(Object.fromEntries(plain), "", 0) };
  const sections = [...known, ...others].map((name) => ({
    title: (Object.hasOwn(TITLES, name) ? TITLES[name] : undefined) ?? words(name),
    lines: linesOf(answer[name], "", 0),
  }));
  const modes = isObject(validation)
    ? Object.entries(validation).map(([direction, value]) => [direction, textOf(value, "mode")])
    : [];
  return {
    sections: [gateway, ...sections],
    modes: readModes(Object.fromEntries(modes)),
    own: readModes(own),
    isEditable: isObject(configuration) && configuration["editable"] === true,
    reason: textOf(configuration, "reason"),
    writes: textOf(answer, "writes"),
  };
}
