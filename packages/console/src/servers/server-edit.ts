import type { ServerEdit } from "@touchstone/gateway/api";

/** A variable or header that is being edited. */
export interface PairDraft {
  readonly name: string;
  /** Empty for a known variable: it keeps its value, which the page does not know. */
  readonly value: string;
  /** Whether the configuration contains it. */
  readonly isKnown: boolean;
  readonly isRemoved: boolean;
}

/** A server's entry that is being edited. An empty text keeps its value. */
export interface ServerDraft {
  readonly kind: "command" | "url";
  readonly name: string;
  readonly command: string;
  /** One argument per line. */
  readonly args: string;
  readonly cwd: string;
  readonly url: string;
  /** The environment variables of a command, or the headers of a URL. */
  readonly pairs: readonly PairDraft[];
}

/** The initial draft of a new server. */
export const NEW_SERVER: ServerDraft = {
  kind: "command",
  name: "",
  command: "",
  args: "",
  cwd: "",
  url: "",
  pairs: [],
};

/** Returns an unchanged draft of a server's entry. */
export function newDraft(
  name: string,
  kind: ServerDraft["kind"],
  given: readonly string[],
): ServerDraft {
  const pairs = given.map((each) => ({ name: each, value: "", isKnown: true, isRemoved: false }));
  return { ...NEW_SERVER, kind, name, pairs };
}

/** Returns why a draft cannot be proposed, as a message for people; undefined if it can. */
export function draftProblem(draft: ServerDraft, isNew: boolean): string | undefined {
  if (draft.name.trim() === "") return "Enter a name.";
  const { kind } = draft;
  const reached = draft[kind].trim();
  if (isNew && reached === "") return `Enter a ${kind === "url" ? "URL" : "command"}.`;
  if (kind === "url" && reached !== "" && !/^https?:\/\/./i.test(reached)) {
    return "A URL begins with https:// or http://.";
  }
  const names = draft.pairs.map(({ name }) => name.trim());
  const noun = kind === "command" ? "variable" : "header";
  if (names.includes("")) return `Enter the name of each ${noun}, or remove it.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `The ${noun} ${twice} is there twice.`;
  if (!isNew && Object.keys(draftChanges(draft)).length === 0)
    return "Nothing has been changed yet.";
  return undefined;
}

/** Returns what a draft changes. Untouched or empty fields are absent and keep their values. */
export function draftChanges(draft: ServerDraft): ServerEdit {
  const { kind, command, args, cwd, url, pairs } = draft;
  const entry: { -readonly [Name in keyof ServerEdit]: ServerEdit[Name] } = {};
  const texts = kind === "command" ? { command, cwd } : { url };
  for (const [name, text] of Object.entries(texts) as ["command" | "cwd" | "url", string][]) {
    if (text.trim() !== "") entry[name] = text.trim();
  }
  // An argument may begin or end with spaces; an empty line is not an argument.
  const list = args.split(/\r?\n/).filter((line) => line !== "");
  if (kind === "command" && list.length > 0) entry.args = list;
  const changed = pairs.flatMap(
    ({ name, value, isKnown, isRemoved }): (readonly [string, string | null])[] => {
      if (isRemoved) return [[name, null]];
      return isKnown && value === "" ? [] : [[name.trim(), value]];
    },
  );
  if (changed.length > 0) {
    entry[kind === "command" ? "env" : "headers"] = Object.fromEntries(changed);
  }
  return entry;
}
