import type { StepKind } from "@touchstone/protocol/lint";
import { count, flag, list, members, oneOf, type TypeOf, text } from "@touchstone/util/schema";
import { MIN_NAME_LENGTH, type NameSettings } from "../../contracts/name-settings.ts";
import type { Level, LevelFault, LevelSetting } from "../level-setting.ts";

/** The kinds of steps that rewrite schemas, in the order in which they are made. */
export const ADAPT_STEPS = ["same", "narrower", "wider"] as const satisfies readonly StepKind[];

const SECTION = {
  type: "object",
  description: "Changes of tool lists that let clients use them",
  properties: {
    unusable_tools: {
      enum: ["pass", "leave_out"],
      description: "leave_out: do not list tools that make clients fail",
    },
    output_schema: {
      enum: ["pass", "drop_unusable", "drop"],
      description: "Do not list output schemas that clients cannot use, or any at all",
    },
    pages: {
      enum: ["pass", "merge"],
      description: "merge: the pages of a list are sent as one",
    },
    for: {
      type: "array",
      items: {
        enum: [
          "auto",
          "claude-code",
          "claude-desktop",
          "codex",
          "chatgpt",
          "gemini-cli",
          "vscode",
          "q-developer",
          "cursor",
          "windsurf",
          "copilot-cli",
          "cline",
          "roo-code",
          "opencode",
          "goose",
          "zed",
          "librechat",
          "openai",
          "openai-strict",
          "anthropic",
          "bedrock",
          "nova",
          "gemini",
          "gemini-openapi",
          "moonshot",
          "llama-cpp",
        ],
      },
      description:
        "Clients and model providers that schemas are rewritten for; auto: the one that asks",
    },
    steps: {
      type: "array",
      items: { enum: ADAPT_STEPS },
      description:
        "How schemas may be rewritten: same: they accept the same; narrower: nothing that the server's refuses; wider: more, only for tools with strict input_validation; all three if not set",
    },
    mirror_content: {
      type: "boolean",
      description: "Add the JSON of structured results without content as a text",
    },
    names: {
      type: "object",
      description: "List long and unusual names as short ones",
      properties: {
        max: {
          type: "integer",
          minimum: 24,
          maximum: 128,
          description:
            "Maximum characters of a name, with the prefix that the client adds (default: 64)",
        },
        prefix_length: {
          type: "integer",
          minimum: 0,
          maximum: 40,
          description: "Characters of the prefix that the client adds to names (default: 0)",
        },
      },
      additionalProperties: false,
    },
    descriptions: {
      type: "object",
      properties: {
        max: {
          type: "integer",
          minimum: 16,
          maximum: 1_000_000,
          description: "Maximum length of tool descriptions, in characters; longer ones are cut",
        },
        strip_hidden: {
          type: "boolean",
          description: "Remove invisible and bidirectional characters",
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

type Written = TypeOf<{ properties: { adapt: typeof SECTION } }>;
type Section = NonNullable<Written["adapt"]>;
/** A kind of step that rewrites schemas. */
export type AdaptStep = NonNullable<Section["steps"]>[number];
/** A client or model provider to rewrite schemas for, or `auto` for the requesting client. */
export type AdaptTarget = NonNullable<Section["for"]>[number];

/** How to adapt tool lists to the clients that request them. */
export interface AdaptSettings {
  readonly unusableTools: NonNullable<Section["unusable_tools"]>;
  readonly outputSchema: NonNullable<Section["output_schema"]>;
  /** Whether the pages of a list are sent as one. */
  readonly pages: NonNullable<Section["pages"]>;
  /** The clients and providers whose rules schemas are rewritten for; empty if schemas stay as they are. */
  readonly for: readonly AdaptTarget[];
  /** The kinds of steps that rewrite schemas. */
  readonly steps: readonly AdaptStep[];
  /** Whether structured results without content get a block of text. */
  readonly mirrorContent: boolean;
  readonly descriptions: { readonly max?: number | undefined; readonly stripHidden: boolean };
  /** How to shorten names that are too long or that some clients refuse. Absent: names stay. */
  readonly names?: NameSettings | undefined;
}

const NOT_ADAPTED: AdaptSettings = {
  unusableTools: "pass",
  outputSchema: "pass",
  pages: "pass",
  for: [],
  steps: ADAPT_STEPS,
  mirrorContent: false,
  descriptions: { max: undefined, stripHidden: false },
};
const NAMES: NameSettings = { max: 64, prefixLength: 0 };

/** `adapt`: how lists of tools are changed for their clients. A level replaces each key. */
export const adapt = {
  name: "adapt",
  keys: { top: { adapt: SECTION }, server: { adapt: SECTION } },
  merge(set: AdaptSettings | undefined, { adapt: section }: Written): AdaptSettings | undefined {
    if (section === undefined) return set;
    const above = set ?? NOT_ADAPTED;
    const { descriptions = {}, names: written } = section;
    // An empty section asks for short names with the defaults.
    const names = written !== undefined && {
      max: written.max ?? (above.names ?? NAMES).max,
      prefixLength: written.prefix_length ?? (above.names ?? NAMES).prefixLength,
    };
    const merged: AdaptSettings = {
      unusableTools: section.unusable_tools ?? above.unusableTools,
      outputSchema: section.output_schema ?? above.outputSchema,
      pages: section.pages ?? above.pages,
      for: section.for ?? above.for,
      steps: section.steps ?? above.steps,
      mirrorContent: section.mirror_content ?? above.mirrorContent,
      descriptions: {
        max: descriptions.max ?? above.descriptions.max,
        stripHidden: descriptions.strip_hidden ?? above.descriptions.stripHidden,
      },
      ...(names ? { names } : above.names && { names: above.names }),
    };
    return sectionText(merged) === sectionText(NOT_ADAPTED) ? undefined : merged;
  },
  /** Includes a feature that the top level turns on and the server turns off. */
  write(settings: AdaptSettings | undefined, _: Level, above: AdaptSettings | undefined): Written {
    return settings === undefined && above === undefined ? {} : { adapt: sectionOf(settings) };
  },
  faultIn({ names }: Partial<AdaptSettings> = {}, { adapt: own }: Written): LevelFault | undefined {
    if (own?.names === undefined || names === undefined) return undefined;
    const { max, prefixLength } = names;
    if (max - prefixLength >= MIN_NAME_LENGTH) return undefined;
    const message = `max (${max}) less prefix_length (${prefixLength}) leaves fewer than ${MIN_NAME_LENGTH} characters for names`;
    return { code: "INVALID_VALUE", path: ["adapt", "names"], message };
  },
  shown: members(
    {
      unusableTools: oneOf(SECTION.properties.unusable_tools.enum),
      outputSchema: oneOf(SECTION.properties.output_schema.enum),
      pages: oneOf(SECTION.properties.pages.enum),
      for: list(text("A client or model provider, or auto.")),
      steps: list(oneOf(ADAPT_STEPS)),
      mirrorContent: flag,
      names: members({ max: count(), prefixLength: count() }),
      descriptions: members({ max: count(), stripHidden: flag }, "max"),
    },
    "names",
  ),
} as const satisfies LevelSetting;

/** Returns a section with all of these settings. */
function sectionOf(adapt: AdaptSettings = NOT_ADAPTED): Section {
  const { descriptions, names } = adapt;
  const { max, stripHidden } = descriptions;
  return {
    unusable_tools: adapt.unusableTools,
    output_schema: adapt.outputSchema,
    pages: adapt.pages,
    for: adapt.for,
    steps: adapt.steps,
    mirror_content: adapt.mirrorContent,
    descriptions: { ...(max === undefined ? {} : { max }), strip_hidden: stripHidden },
    ...(names && { names: { max: names.max, prefix_length: names.prefixLength } }),
  };
}

const sectionText = (adapt: AdaptSettings): string => JSON.stringify(sectionOf(adapt));

/**
 * Returns whether optional properties are listed as required ones that may be null, so that calls have nulls which the
 * tool's own schema may refuse.
 */
export function requiresNullable(adapt: AdaptSettings | undefined): boolean {
  return adapt?.for.includes("openai-strict") === true;
}
