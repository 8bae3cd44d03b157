import { type Issue, isSchemaRule, placeKey } from "@touchstone/core/advanced";
import { isUndeclared, NOTED_PREFIX } from "@touchstone/records/plain";
import type { ActivityRecord } from "@touchstone/records/record";
import type { CallDetail, SuggestedTool, Suggestion } from "@touchstone/records/schemas";
import { REDACTED } from "@touchstone/util";
import type { JsonValue } from "../../config/document.ts";
import type { ConfigChange } from "../../config/edit/changes.ts";
import { levelPath } from "../../config/edit/modes.ts";
import { settingControls } from "../../features/section-settings.ts";
import type { ConfigAction, ServerEdit } from "../api/schemas.ts";
import { AdminError } from "./errors.ts";

/** The result of an action. */
export interface EditResult {
  readonly changes: readonly ConfigChange[];
  /** What was changed, for the record. */
  readonly told: string;
  /** The servers that it is about; absent if it is about all. */
  readonly servers?: readonly string[] | undefined;
  /** Whether it changes which programs run, or where requests go. */
  readonly changesServer?: boolean;
}

/** Settings of the file that can be changed over HTTP, by their names or their sections' names. */
const TOP: readonly string[] = [
  ...["activity.bodies", "activity.body_max_bytes"],
  ...settingControls("activity").map(({ setting }) => setting),
  "activity.on_write_failure",
  ...["activity.retention_days", "activity.max_records", "activity.max_bytes", "activity.sync"],
  ...["http.allow_execute", "limits.", "logging.", "telemetry.metrics", "capability"],
];
/** Turns the policy on and off; the tools that it allows are changed in the file. */
const POLICY_MODE = "policy.mode";
const PRESET = "preset";
const CHECKS: readonly string[] = [
  "input_validation.",
  "output_validation.",
  "protocol_validation.",
];

/**
 * Returns the changes of an action.
 * @param find returns the call of a record
 * @throws {AdminError} `BAD_REQUEST`, `NOT_FOUND`
 */
export async function editOf(
  action: ConfigAction,
  find: (id: string) => Promise<CallDetail | undefined>,
): Promise<EditResult> {
  switch (action.kind) {
    case "allow":
      return allowing(action.record, await find(action.record));
    case "strict": {
      const { directions = ["input", "output", "protocol"], server, tool } = action;
      const at = levelPath(tool === undefined ? { server } : { server, tool });
      const changes = directions.map((direction) => ({
        path: [...at, `${direction}_validation`, "mode"],
        value: "strict",
      }));
      return { changes, told: `strict for ${nameOf(server, tool)}`, servers: [server] };
    }
    case "settings":
      return setting(action);
    case "rules":
      return ruling(action.mcpServers);
    case "server":
      return serving(action.name, action.entry);
  }
}

function nameOf(server: string, tool: string | undefined): string {
  return tool === undefined ? server : `${tool} of ${server}`;
}

/**
 * Returns the most specific rules that would have turned a decision into a warning; if it was a warning in every
 * mode, those that ignore the issues.
 */
function allowing(id: string, found: CallDetail | undefined): EditResult {
  if (found === undefined) throw new AdminError("NOT_FOUND", `There is no record ${id}.`);
  const decisions = found.records.filter(
    ({ type, issues }) => type === "policy_decision" && issues.length > 0,
  );
  const asked = decisions.find((record) => record.id === id.toUpperCase());
  const weight = ({ decision }: ActivityRecord): number => (decision === "blocked" ? 1 : 0);
  const decision = asked ?? decisions.toSorted((a, b) => weight(b) - weight(a))[0];
  const { server, tool, direction, issues = [], truncated = 0 } = decision ?? {};
  const others = issues.find(({ rule }) => !isSchemaRule(rule));
  const places = new Set(issues.map(keyOf));
  // Issues that did not fit into the record have unknown places.
  const isLong = truncated > 0 || places.size > MOST_PLACES;
  // Whether undeclared arguments without a known place are allowed depends on the setting for them, not on their
  // class.
  const isBySetting = (issue: Issue): boolean =>
    isUndeclared(issue) && (isLong || keyOf(issue) === issue.rule);
  const ruled = issues.filter((issue) => !isBySetting(issue));
  const rules = [...new Set(ruled.map((issue) => (isLong ? issue.rule : keyOf(issue))))];
  const undeclared = ruled.length < issues.length ? ["undeclared"] : [];
  const isOfSchema = direction === "input" || direction === "output";
  if (
    typeof server !== "string" ||
    typeof tool !== "string" ||
    !isOfSchema ||
    others ||
    issues.length === 0
  ) {
    const why =
      decision === undefined
        ? "the record has no issues"
        : "its issues are not about a value that a schema describes, and no rule excuses those";
    throw new AdminError("BAD_REQUEST", `No rule can allow this: ${why}.`);
  }
  const at = [...levelPath({ server, tool }), `${direction}_validation`];
  const changes = [
    ...rules.map((rule) => [...at, "rules", rule]),
    ...undeclared.map((name) => [...at, name]),
  ];
  const all = [...rules, ...undeclared];
  const named = all.length > 5 ? `${all.length} places` : all.join(", ");
  const told = `${named} of ${direction} allowed for ${nameOf(server, tool)}`;
  // If no mode blocks the issues, they already count as warnings, so allowing them means to stop recording them.
  const isNoted = decision?.reason?.startsWith(NOTED_PREFIX) === true;
  const value = (path: readonly string[]): string =>
    !isNoted ? "warning" : path.at(-2) === "rules" ? "ignore" : "allow";
  const allowed = changes.map((path) => ({ path, value: value(path) }));
  return { changes: allowed, told, servers: [server] };
}

const MOST_PLACES = 50;
/** More values must be written by hand, because each is an edit of the whole text. */
const MOST_RULES = 500;

/** Returns the changes of suggested rules. */
function ruling(mcpServers: Suggestion["mcpServers"]): EditResult {
  const tools = Object.entries(mcpServers).flatMap(([server, { touchstone }]) =>
    Object.entries(touchstone.tools).map(([tool, sections]) => ({ server, tool, sections })),
  );
  const changes = tools.flatMap(({ server, tool, sections }) =>
    Object.entries(sections).flatMap(([section, set]: readonly [string, Section | undefined]) => {
      const at = [...levelPath({ server, tool }), section];
      const rules = Object.entries(set?.rules ?? {});
      return [
        ...rules.map(([key, value]): ConfigChange => ({ path: [...at, "rules", key], value })),
        ...(set?.undeclared ? [{ path: [...at, "undeclared"], value: set.undeclared }] : []),
      ];
    }),
  );
  if (changes.length === 0 || changes.length > MOST_RULES) {
    const found = changes.length === 0 ? "There is none here" : `These are ${changes.length}`;
    throw new AdminError(
      "BAD_REQUEST",
      `An edit can set 1 to ${MOST_RULES} rules. ${found}: use the suggestion for one server or tool, or change the file.`,
    );
  }
  const [first] = tools;
  const named =
    tools.length === 1 && first ? nameOf(first.server, first.tool) : `${tools.length} tools`;
  return { changes, told: `suggested rules for ${named}`, servers: Object.keys(mcpServers) };
}

type Section = NonNullable<SuggestedTool["input_validation"]>;

/**
 * Returns the most specific key of `rules` for an issue: its place, for every item of an array, or its class if it is
 * about the whole payload.
 */
function keyOf({ path, rule }: Issue): string {
  // A record removes secrets from names, and cuts very long ones.
  const isWhole = !path.includes(REDACTED) && !path.endsWith("…");
  if (path === "" || !isWhole || rule === "guard" || rule === "budget") return rule;
  return placeKey(path).replace(/\/(?:0|[1-9]\d*)(?=\/|$)/g, "/*");
}

function setting({
  server,
  tool,
  set,
}: Extract<ConfigAction, { readonly kind: "settings" }>): EditResult {
  if (tool !== undefined && server === undefined) {
    throw new AdminError("BAD_REQUEST", "A tool's settings need the name of its server.");
  }
  const isTop = server === undefined;
  const allowed = isTop
    ? [...TOP, ...CHECKS, POLICY_MODE, PRESET]
    : tool === undefined
      ? [...CHECKS, "capability", POLICY_MODE, PRESET]
      : CHECKS;
  const at =
    server === undefined ? [] : levelPath(tool === undefined ? { server } : { server, tool });
  const changes = Object.entries(set).map(([name, value]) => {
    const known = allowed.some((one) => (one.endsWith(".") ? name.startsWith(one) : name === one));
    if (!known) {
      throw new AdminError(
        "BAD_REQUEST",
        `${JSON.stringify(name.slice(0, 100))} cannot be changed over HTTP here. Change it in the file. These can: ${allowed.map((one) => (one.endsWith(".") ? `${one}*` : one)).join(", ")}.`,
      );
    }
    return { path: [...at, ...stepsOf(name)], value: value === null ? undefined : value };
  });
  const names = Object.keys(set).join(", ");
  const told = server === undefined ? names : `${names} for ${nameOf(server, tool)}`;
  const servers = server === undefined ? undefined : [server];
  return { changes, told, servers };
}

/** `a.rules.NAME` has three steps, whatever the name contains. */
function stepsOf(name: string): readonly string[] {
  const [section = "", key, ...rest] = name.split(".");
  return [
    section,
    ...(key === undefined ? [] : [key]),
    ...(rest.length === 0 ? [] : [rest.join(".")]),
  ];
}

function serving(name: string, entry: ServerEdit): EditResult {
  const at = ["mcpServers", name];
  const changes = Object.entries(entry).flatMap(([key, value]): ConfigChange[] => {
    if ((key === "env" || key === "headers") && typeof value === "object" && value !== null) {
      return Object.entries(value as Readonly<Record<string, string | null>>).map(
        ([member, text]) => ({ path: [...at, key, member], value: text ?? undefined }),
      );
    }
    return [{ path: [...at, key], value: (value ?? undefined) as JsonValue | undefined }];
  });
  return { changes, told: `server ${name}`, servers: [name], changesServer: true };
}
