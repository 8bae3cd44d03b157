import { list, members, oneOf, type TypeOf, text, typed } from "@touchstone/util/schema";

/** Names and globs of tools in the file. */
export const TOOL_PATTERNS = {
  type: "array",
  items: {
    type: "string",
    pattern: "^[^\\p{Cc}]{1,256}$",
    patternErrorMessage:
      "must be a tool's name of 1 to 256 characters, in which * matches any characters and ? one",
  },
} as const;

/** The keys of a section that say which tools may be listed and called. */
export const TOOL_LIST_KEYS = {
  allow_tools: { ...TOOL_PATTERNS, description: "Only these tools may be listed and called" },
  deny_tools: {
    ...TOOL_PATTERNS,
    description: "These tools may not be listed and called; overrides allow_tools",
  },
  read_only: {
    enum: [false, true, "unless_allowed"],
    description:
      "true: only tools that declare readOnlyHint: true may be listed and called; unless_allowed: the same, until an allow_tools names the tools",
  },
} as const;

type Written = TypeOf<{ properties: typeof TOOL_LIST_KEYS }>;

/** The tool policy of one level, as written there. */
export interface ToolRules {
  /** Where it is set: at the top of the file, in the server's entry, or for the caller. */
  readonly level: "top" | "server" | "caller";
  /** Names and globs; absent if any tool is allowed, empty if none is. */
  readonly allowTools?: readonly string[];
  /** Names and globs. */
  readonly denyTools?: readonly string[];
  /**
   * Whether only tools that declare `readOnlyHint: true` are allowed; `unless_allowed`: only if the file has no
   * `allowTools` at any level.
   */
  readonly readOnly?: boolean | "unless_allowed";
}

/** Reads the rules of a level. */
export function readToolRules(
  level: ToolRules["level"],
  { allow_tools: allowTools, deny_tools: denyTools, read_only: readOnly }: Written,
): ToolRules {
  return {
    level,
    ...(allowTools === undefined ? {} : { allowTools }),
    ...(denyTools === undefined ? {} : { denyTools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/** Returns rules as the file has them. {@link readToolRules} reads them. */
export function rulesSection({ allowTools, denyTools, readOnly }: ToolRules): Written {
  return {
    ...(allowTools === undefined ? {} : { allow_tools: allowTools }),
    ...(denyTools === undefined ? {} : { deny_tools: denyTools }),
    ...(readOnly === undefined ? {} : { read_only: readOnly }),
  };
}

const READ_ONLY = typed<boolean | "unless_allowed">({
  enum: [false, true, "unless_allowed"],
});

/** Rules of a level in the HTTP API. */
export const SHOWN_TOOL_RULES = members(
  {
    level: oneOf(["top", "server", "caller"]),
    allowTools: list(text()),
    denyTools: list(text()),
    readOnly: READ_ONLY,
  },
  "allowTools",
  "denyTools",
  "readOnly",
);
