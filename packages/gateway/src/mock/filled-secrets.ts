import {
  type CompiledSchema,
  compileDeclared,
  type JsonRange,
  joinPointer,
  locatePointers,
  parseJson,
  pointerTokens,
} from "@touchstone/core/advanced";
import { type Frame, spliceFrame } from "@touchstone/protocol/advanced";
import { acceptedValue } from "@touchstone/protocol/sample";
import { REDACTED } from "@touchstone/util";
import { schemasAt } from "./schema-parts.ts";

/** How many removed secrets of one response are filled. */
const MAX_FILLED = 100;
/** How many values are tried for each. */
const MAX_TRIES = 8;

/** A response whose structured content has placeholders for removed secrets. */
export interface FilledResponse {
  readonly bytes: Uint8Array;
  /** Pointers to the placeholders in the structured content. */
  readonly filled: readonly string[];
  /** Pointers to removed secrets for which no placeholder was found that the output schema accepts. */
  readonly unfilled: readonly string[];
}

/**
 * Replaces removed secrets in the structured content of a response by values that the output schema accepts, if it does
 * not accept the content as it is. Everything else stays.
 */
export function fillSecrets(response: Frame, schema: CompiledSchema, seed: number): FilledResponse {
  const unchanged = { bytes: response.bytes, filled: [], unfilled: [] };
  const range = response.ranges.structuredContent;
  const { canonical } = schema;
  if (range === undefined || response.isError || canonical === undefined) return unchanged;
  let bytes = response.bytes;
  const contentIn = (whole: Uint8Array, { start }: JsonRange): Uint8Array =>
    whole.subarray(start, range.end + whole.length - response.bytes.length);
  if (schema.validateText(contentIn(bytes, range)).valid) return unchanged;
  const parsed = parseJson(contentIn(bytes, range));
  if (!parsed.ok) return unchanged;
  const filled: string[] = [];
  const unfilled: string[] = [];
  for (const pointer of removedIn(parsed.value)) {
    const faulty = (content: Uint8Array): boolean =>
      schema.validateText(content).errors.some(({ path }) => path === pointer);
    const content = contentIn(bytes, range);
    if (!faulty(content)) continue;
    const place = locatePointers(content, [pointer]).get(pointer);
    if (place === undefined) continue;
    const at = { start: range.start + place.value.start, end: range.start + place.value.end };
    const tried = placeholders(canonical, pointer, seed)
      .map((text) => spliceFrame(bytes, [{ range: at, text }]))
      .find((made) => !faulty(contentIn(made, range)));
    if (tried === undefined) unfilled.push(pointer);
    else {
      bytes = tried;
      filled.push(pointer);
    }
  }
  return { bytes, filled, unfilled };
}

/** Returns JSON texts that the schemas at a place accept, each by itself. */
function placeholders(
  root: Readonly<Record<string, unknown>>,
  pointer: string,
  seed: number,
): readonly string[] {
  const { $defs } = root;
  const made = schemasAt(root, pointerTokens(pointer)).flatMap((part) => {
    const own = compileDeclared({ value: $defs === undefined ? part : { ...part, $defs } });
    return Array.from({ length: MAX_TRIES }, (_, at) => acceptedValue(own, seed + at) ?? []).flat();
  });
  return [...new Set(made)];
}

/** Returns pointers to the strings that a capture left instead of secrets. */
function removedIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: [unknown, string][] = [[value, ""]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [each, pointer] = next;
    if (typeof each === "string" && each.includes(REDACTED)) found.push(pointer);
    if (found.length === MAX_FILLED) break;
    if (typeof each !== "object" || each === null) continue;
    for (const [name, member] of Object.entries(each)) {
      waiting.push([member, joinPointer(pointer, name)]);
    }
  }
  return found.reverse();
}
