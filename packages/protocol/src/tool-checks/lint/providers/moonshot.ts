import { isObject, joinPointer } from "@touchstone/core/advanced";
import { anyOfTyped, objectSchemas, refToDefs, refWithoutType } from "./place-rules.ts";
import type { Objection, PlaceRule, Provider } from "./provider.ts";

const VALUES = ["enum", "const"];
const COMPOSED = ["type", "anyOf", "oneOf", "allOf", "not", "$ref"];

/** A property must name its type or be composed of other schemas. */
const typedProperties: PlaceRule = ({ schema: { properties } }) =>
  Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]): Objection[] => {
    if (!isObject(schema) || COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))) return [];
    const at = joinPointer("/properties", name);
    const fix = "Add the type.";
    if (!VALUES.some((keyword) => Object.hasOwn(schema, keyword))) {
      return [{ at, message: 'the property names no type ("type is not defined")', fix }];
    }
    const message =
      'the property lists its values without a type; some models refuse it ("type is not defined")';
    return [{ at, message, fix, severity: "warning" }];
  });

/** The schemas of properties must be objects, and `{}` does not help: it names no type. */
const schemasWithTypes: PlaceRule = (place, isTop) =>
  objectSchemas(place, isTop).map((objection) => ({
    ...objection,
    fix: "Write a schema with a type instead.",
  }));

/**
 * Moonshot's API for Kimi, which takes a "moonshot flavored json schema"
 * (https://github.com/MoonshotAI/walle/blob/main/docs/mfjs-spec.md). It refuses:
 *
 * - a type beside `anyOf` ("when using anyOf, type should be defined in anyOf items instead of the parent schema"):
 *   https://github.com/nicobailon/pi-subagents/issues/127 of 2026-04-30,
 *   https://github.com/Hmbown/Codewhale/issues/2438 of 2026-05-31, https://github.com/openclaw/openclaw/issues/113130 of
 *   2026-07-23, https://github.com/MoonshotAI/kimi-code/issues/2661 of 2026-08-05, Kimi Code 0.33.0;
 * - a property without a type ("type is not defined"): https://github.com/MoonshotAI/kimi-cli/issues/1595 of 2026-03-26,
 *   https://github.com/earendil-works/pi/issues/5822 of 2026-06-16, Pi 0.79.5,
 *   https://github.com/router-for-me/CLIProxyAPI/issues/5571 of 2026-09-06, 7.2.152. The specification shows a property
 *   of only an `enum`; reports say that it is refused, and `const` too, so both are warnings:
 *   https://github.com/MoonshotAI/kimi-cli/pull/2030 of 2026-04-23, https://github.com/anomalyco/opencode/issues/40127 of
 *   2026-08-02, 1.18.8;
 * - `true` as the schema of a property ("must be an object"): https://github.com/can1357/oh-my-pi/issues/5952 of
 *   2026-07-18;
 * - a type beside `$ref` ("when using $ref, type should be defined in the referenced schema instead of the parent
 *   schema"): https://github.com/lidge-jun/opencodex/issues/2673 of 2026-08-26, Codex CLI 0.145.0,
 *   https://github.com/router-for-me/CLIProxyAPI/issues/5316 of 2026-08-28, 7.2.145. A description beside it was refused
 *   ("conflicting keywords found after $ref expansion: description"):
 *   https://github.com/MoonshotAI/kimi-cli/issues/2061 of 2026-04-24, Kimi Code CLI 1.39.0,
 *   https://github.com/NousResearch/hermes-agent/pull/18130 of 2026-05-01. The first report says that it is taken in
 *   August, so other keywords are warnings;
 * - references other than `#` and into `$defs` at the top, as the specification says:
 *   https://github.com/anomalyco/opencode/issues/27054 of 2026-05-12, Kimi K2.6;
 * - a name that does not begin with a letter ("function name is invalid, must start with a letter and can contain
 *   letters, numbers, underscores, and dashes"): https://github.com/MoonshotAI/kimi-cli/issues/1773 of 2026-04-07, Kimi
 *   CLI 1.30.0; https://github.com/openclaw/openclaw/issues/79179 of 2026-05-08.
 */
export const MOONSHOT: Provider = {
  name: "moonshot",
  title: "Moonshot",
  toolName: /^[A-Za-z][A-Za-z0-9_-]*$/,
  places: {
    "any-of-type": anyOfTyped,
    "ref-alone": refWithoutType,
    "ref-target": refToDefs,
    "boolean-schema": schemasWithTypes,
    "type-missing": typedProperties,
  },
};
