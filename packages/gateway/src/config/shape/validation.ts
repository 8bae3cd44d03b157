import { DEFAULT_SETTINGS, type SchemaRule } from "../../policy/settings.ts";
import type { InputSection, OutputSection, ProtocolSection } from "../config-file.ts";
import { type Shape, section } from "./kinds.ts";
import { MAX_BYTES, oneOf, size } from "./values.ts";

const MODES = ["off", "warn", "strict"] as const;
const ALLOW_OR_BLOCK = ["allow", "block"] as const;
/** What a class of issues may count as. */
export const TREATMENTS: readonly ["violation", "warning", "ignore"] = [
  "violation",
  "warning",
  "ignore",
];
const MAX_DEPTH = 10_000;

const mode = (what: string) =>
  oneOf(MODES, "warn", `${what}: off checks nothing, warn records failures, strict blocks them`);
const rule = (name: SchemaRule) =>
  oneOf(TREATMENTS, "violation", `How issues of the class "${name}" count`);
const input = {
  max_bytes: size(MAX_BYTES, DEFAULT_SETTINGS.input.maxBytes, "Largest payload to judge, bytes"),
  max_depth: size(MAX_DEPTH, DEFAULT_SETTINGS.input.maxDepth, "Deepest payload to judge, levels"),
  on_invalid_schema: oneOf(ALLOW_OR_BLOCK, "allow", "Strict only: tools whose schema is unusable"),
  on_unknown_schema: oneOf(
    ALLOW_OR_BLOCK,
    "block",
    "Strict only: tools whose schemas are not known, since the server does not list them",
  ),
  rules: section({
    type: rule("type"),
    required: rule("required"),
    extra: rule("extra"),
    value: rule("value"),
    format: rule("format"),
    guard: rule("guard"),
    budget: rule("budget"),
  } satisfies Record<SchemaRule, unknown>),
};
/** The settings of checks, which may stand for the whole file, for a server and for a tool. */
export const SECTIONS: {
  readonly input_validation: Shape<InputSection>;
  readonly output_validation: Shape<OutputSection>;
  readonly protocol_validation: Shape<ProtocolSection>;
} = {
  input_validation: section({ mode: mode("Arguments of calls"), ...input }),
  output_validation: section({
    mode: mode("Structured results of calls"),
    ...input,
    missing_structured_content: oneOf(
      ALLOW_OR_BLOCK,
      "allow",
      "Strict only: an output schema is declared and nothing structured is returned",
    ),
  }),
  protocol_validation: section({
    mode: mode("JSON-RPC and MCP messages"),
    max_bytes: size(
      MAX_BYTES,
      DEFAULT_SETTINGS.protocol.maxBytes,
      "How much of a message its schema may look at beside long values, bytes",
    ),
  }),
};
