import { quotedAuthorText } from "../finding.ts";
import { type PlaceRule, type Provider, wordSet } from "./provider.ts";

/** Keywords whose values are numbers. */
const NUMBERS =
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties";

/**
 * Requires whole numbers in bounds to be within these limits. Beyond them, a number that a double cannot hold exactly
 * always fails; others may fail.
 */
export function boundsWithin(least: number, most: number, what: string): PlaceRule {
  const keywords = NUMBERS.split(" ");
  return ({ schema }) =>
    keywords.flatMap((keyword) => {
      const value = schema[keyword];
      // From 1e21 on, JSON is written with an exponent and is not read as an integer.
      const isInteger =
        typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 1e21;
      if (!isInteger || (value >= least && value <= most)) return [];
      const severity = Number.isSafeInteger(value) ? "warning" : "error";
      return [
        {
          severity,
          at: `/${keyword}`,
          // Beyond 2^53 the file may have other digits than the double.
          message: `${Number.isSafeInteger(value) ? `the bound ${value}` : keyword} is not ${what} ("int too big to convert")`,
          fix: "Leave the bound out, or write a smaller one that the tool really has.",
        },
      ];
    });
}

/** Amazon's own models were seen to refuse definitions at the top; the rules of `nova` have the sources. */
const definitionsForNova: PlaceRule = ({ schema }, isTop) =>
  ["$defs", "definitions"]
    .filter((keyword) => isTop && Object.hasOwn(schema, keyword))
    .map((keyword) => ({
      at: `/${keyword}`,
      message: `Amazon Nova refuses ${quotedAuthorText(keyword)} at the top of the parameters`,
      fix: "If you use that model, check with the rules of nova.",
      severity: "info",
    }));

const BOUNDS = {
  "number-range": boundsWithin(-(2 ** 31), 2 ** 31 - 1, "a whole number of 32 bits"),
};

/**
 * `toolSpec` of Amazon Bedrock's Converse API
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html): a name of 1 to 64
 * characters, and, if there is a description, at least one character in it. Bounds beyond 32 bits have failed with
 * "int too big to convert" (https://github.com/tailcallhq/forgecode/issues/3307). The models behind the API have
 * their own limits.
 */
export const BEDROCK: Provider = {
  name: "bedrock",
  title: "Bedrock",
  toolName: /^[A-Za-z0-9_-]{1,64}$/,
  places: { ...BOUNDS, "top-level": definitionsForNova },
  limits: { prefixedName: 64, emptyDescription: false },
};

/**
 * Amazon Nova through Bedrock's Converse API: "Only three fields are supported in the top-level Object - type (must be
 * set to 'object'), properties, and required" (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html,
 * for version 1 of the models). Others are refused ("extraneous key [definitions] is not permitted"):
 * https://github.com/zed-industries/zed/issues/28521 (2025-04-10, Zed 0.182.1),
 * https://github.com/zed-industries/zed/issues/31815 (2025-05-31, Nova Premier),
 * https://github.com/pydantic/pydantic-ai/issues/1623 (2025-04-30: "disallowed and result in a hard API error").
 */
export const NOVA: Provider = {
  ...BEDROCK,
  name: "nova",
  title: "Amazon Nova",
  places: BOUNDS,
  allowedAtTop: wordSet("type properties required"),
};
