import { quotedAuthorText } from "../finding.ts";
import { hasLookaround } from "./patterns.ts";
import type { Objection, PlaceRule, Provider } from "./provider.ts";

/** `MAX_REPETITION_THRESHOLD` of its grammar parser. */
const MOST_REPEATED = 2_000;
const REPEATED = ["maxLength", "minLength", "maxItems", "minItems"];

/** Escapes that its grammar reads, wherever they are in a pattern: `parse_char` of `src/llama-grammar.cpp`. */
const READ = /^\\(?:[tnr\\"[\]]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/;
/** Escapes that are replaced by their character before the grammar is read, if they are outside of classes. */
const TURNED = /^\\[\^$.[\]()|{}*+?]/;

/** Returns the first escape of a pattern, without its anchors, that a grammar does not know. */
function unknownEscape(source: string): string | undefined {
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "\\") {
      // The longest escape that is read has 10 characters.
      const rest = source.slice(i, i + 10);
      if (!READ.test(rest) && (inClass || !TURNED.test(rest))) return rest.slice(0, 2);
      i += 1;
    }
  }
  return undefined;
}

/** Patterns become rules of a grammar, which must be anchored and have neither lookaround nor most escapes. */
const grammarPatterns: PlaceRule = ({ schema: { pattern } }): readonly Objection[] => {
  if (typeof pattern !== "string") return [];
  const at = "/pattern";
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) {
    const message = `the pattern ${quotedAuthorText(pattern)} is not anchored ("Pattern must start with '^' and end with '$'")`;
    const fix = "Write it with ^ and $ around what the whole text must be, or leave it out.";
    return [{ at, message, fix }];
  }
  if (hasLookaround(pattern)) {
    const message = `the pattern ${quotedAuthorText(pattern)} has lookaround ("failed to parse grammar")`;
    return [{ at, message, fix: "Write the pattern without it, or leave it out." }];
  }
  const unknown = unknownEscape(pattern.slice(1, -1));
  if (unknown === undefined) return [];
  const message = `the pattern ${quotedAuthorText(pattern)} has the escape ${unknown} ("failed to parse grammar")`;
  const fix =
    "Write the characters instead, such as [0-9] for \\d and / for \\/, or leave the pattern out.";
  return [{ at, message, fix }];
};

const repetitions: PlaceRule = ({ schema }) =>
  REPEATED.flatMap((keyword): Objection[] => {
    const value = schema[keyword];
    if (typeof value !== "number" || value <= MOST_REPEATED) return [];
    const message = `${keyword} is over ${MOST_REPEATED}, the most repetitions of a grammar ("exceeds sane defaults")`;
    const fix = "Leave it out, or write a smaller one that the tool really has.";
    return [{ at: `/${keyword}`, message, fix, severity: "warning" }];
  });

/**
 * llama.cpp's server, and LM Studio and Ollama with it, which make one grammar of all tools. A pattern that is not
 * anchored is refused with the whole request ("Pattern must start with '^' and end with '$'",
 * https://github.com/containers/kubernetes-mcp-server/issues/758 of 2026-02-10,
 * https://github.com/openclaw/openclaw/issues/113562 of 2026-07-25, https://github.com/aebrer/dreb/pull/422 of
 * 2026-07-31), and so is lookaround (https://github.com/codefuturist/email-mcp/issues/58 of 2026-07-24, zod 4.3.6), and
 * an escape that its grammar does not know ("unknown escape at \\d"): `\\d`, `\\w`, `\\s` and `\\b`
 * (https://github.com/ggml-org/llama.cpp/issues/22314 of 2026-04-24, b8893,
 * https://github.com/elpapi42/pi-observational-memory/issues/11 of 2026-05-09, r9049,
 * https://github.com/ggml-org/llama.cpp/issues/27580 of 2026-08-23), `\\/`
 * (https://github.com/ggml-org/llama.cpp/issues/27397 of 2026-08-19, fe8156f7), and by its source all others.
 * Large bounds of texts and lists have been refused ("exceeds sane defaults",
 * https://github.com/firecrawl/firecrawl/issues/4512 of 2026-09-02, https://github.com/openclaw/openclaw/issues/117070 of
 * 2026-07-31). The limit is 2000 (`MAX_REPETITION_THRESHOLD`, https://github.com/ggml-org/llama.cpp/pull/21139), and it
 * depends on the rest of the grammar (https://github.com/ggml-org/llama.cpp/issues/26596), so this is a warning.
 */
export const LLAMA_CPP: Provider = {
  name: "llama-cpp",
  title: "llama.cpp",
  places: { pattern: grammarPatterns, "number-range": repetitions },
};
