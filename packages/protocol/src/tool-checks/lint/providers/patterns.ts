import { isObject, type JsonObject, joinPointer } from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import type { Objection, PlaceRule } from "./provider.ts";
import { pythonFault } from "./python-pattern.ts";

/** The patterns of one schema, with pointers to them. */
export function patternsOf({
  pattern,
  patternProperties,
}: JsonObject): readonly [string, string][] {
  const found: [string, string][] = [];
  if (typeof pattern === "string") found.push([pattern, "/pattern"]);
  if (isObject(patternProperties)) {
    for (const source of Object.keys(patternProperties)) {
      found.push([source, joinPointer("/patternProperties", source)]);
    }
  }
  return found;
}

const INSTEAD = "Write the pattern without it, or say in the description what the text may be.";

/** Returns the parts of a pattern outside and inside character classes, without escaped characters. */
function parts(source: string): { readonly outside: string; readonly inside: string } {
  const plain = source.replace(/\\./gsu, "..");
  let inside = "";
  const outside = plain.replace(/\[\^?([^\]]*)\]?/g, (_, held: string) => {
    inside += held;
    return ".";
  });
  return { outside, inside };
}

const LOOKAROUND = /\(\?<?[=!]/;

/** Returns whether a pattern has lookahead or lookbehind. */
export function hasLookaround(source: string): boolean {
  return LOOKAROUND.test(parts(source).outside);
}

/** Returns the syntax in a pattern that not every engine supports, judged by its characters. */
function portable(source: string, lookaround: Objection["severity"]): readonly Objection[] {
  const found: Objection[] = [];
  const { outside, inside } = parts(source);
  if (LOOKAROUND.test(outside)) {
    const message = `the pattern ${quotedAuthorText(source)} has lookaround ("regex lookaround is not supported")`;
    found.push({ message, fix: INSTEAD, severity: lookaround ?? "warning" });
  }
  if (inside.includes("[")) {
    const message = `the pattern ${quotedAuthorText(source)} has "[" in a class without a backslash, which engines such as Rust's read as the start of another class`;
    found.push({ message, fix: "Write \\[ there.", severity: "warning" });
  }
  return found;
}

/**
 * Checks that patterns compile in OpenAI's tool validator, which uses Python's `re`
 * (https://github.com/BerriAI/litellm/pull/40485, https://github.com/pleaseai/shunt/pull/488: "… is not a 'regex'").
 * Some of its routes refuse lookaround (https://github.com/cline/cline/pull/14019,
 * https://github.com/can1357/oh-my-pi/issues/2784). Providers with an engine in Rust refuse a bare "[" in a class
 * (https://github.com/Dokploy/mcp/issues/72, https://github.com/rust-lang/regex/issues/592).
 * @param lookaround how severe lookaround is
 */
export function pythonPatterns(lookaround: Objection["severity"]): PlaceRule {
  return ({ schema }) =>
    patternsOf(schema).flatMap(([source, at]): Objection[] => {
      const fault = pythonFault(source);
      if (fault === undefined) {
        return portable(source, lookaround).map((objection) => ({ ...objection, at }));
      }
      const message = `the pattern ${quotedAuthorText(source)} is not a regular expression of Python: ${fault} ("… is not a 'regex'")`;
      return [{ at, message, fix: INSTEAD }];
    });
}
