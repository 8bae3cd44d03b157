import { textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { localTime } from "../page/local-time.ts";
import { type Modes, readModes } from "../servers/modes.ts";

/** A setting as a line: its name, and its value as text. */
export type Line = readonly [name: string, value: string];

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

/** Returns a name in camel case as words: `maxBodyBytes` is `max body bytes`. */
export function words(name: string): string {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .replaceAll("_", " ")
    .toLowerCase();
}

function valueText(value: unknown, name: string): string {
  if (Array.isArray(value)) {
    const mark = value.some(isObject) ? "; " : ", ";
    return value.length === 0 ? "none" : value.map((item) => valueText(item, name)).join(mark);
  }
  if (typeof value === "number") return name === "port" ? `${value}` : value.toLocaleString("en");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return MOMENT.test(value) ? localTime(value) : value;
  if (isObject(value)) {
    const parts = Object.values(value).map((each) => valueText(each, name));
    return parts.length === 0 ? "none" : parts.join(": ");
  }
  return value === null ? "none" : JSON.stringify(value);
}

function linesOf(value: unknown, name: string, depth: number): readonly Line[] {
  if (!isObject(value) || depth >= MAX_DEPTH) return [[name, valueText(value, name)]];
  const members = Object.entries(value);
  if (members.length === 0) return [[name, "none"]];
  return members.flatMap(([key, member]) =>
    linesOf(member, name === "" ? words(key) : `${name}, ${words(key)}`, depth + 1),
  );
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
