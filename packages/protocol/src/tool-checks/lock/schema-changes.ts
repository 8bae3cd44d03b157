import { isObject, joinPointer, quotePointer } from "@touchstone/core/advanced";
import type { SearchEffort } from "../../inclusion/counterexample.ts";
import { type FoundChange, jsonChange, ownMember, parseJsonText } from "./change.ts";
import { compareSchemas, type Direction, type SchemaChange } from "./compare-schemas.ts";

/** How many differences of texts are listed for one schema. */
const MAX_TEXTS = 20;
/** Members of a schema that describe it and check nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "title description default examples $comment deprecated readOnly writeOnly markdownDescription enumDescriptions".split(
    " ",
  ),
);
/** Yields what the change of a schema means, and which of its texts have changed. */
export function* schemaChanges(
  path: string,
  direction: Direction,
  old: string | undefined,
  now: string | undefined,
  effort: SearchEffort | undefined,
): Generator<FoundChange> {
  const change = compareSchemas(old, now, direction, effort);
  const texts = [
    ...textChanges(path, parseJsonText(old), parseJsonText(now), change.kind === "same"),
  ];
  yield* meaning(path, direction, change, old, now, texts.length > 0);
  yield* texts.slice(0, MAX_TEXTS);
  if (texts.length > MAX_TEXTS) {
    const message = `${texts.length - MAX_TEXTS} more texts in the schema have changed`;
    yield { class: "text", rule: "text", path, message };
  }
}

const WORDS = {
  input: {
    breaking: "arguments that were accepted are now refused",
    undeclared:
      "arguments that the locked schema does not declare are now refused; declared ones are accepted as before",
    unproven:
      "the schema has changed, and there is no proof that it still accepts what it accepted",
    fine: "the schema has changed, but still accepts what it accepted",
    declared:
      "the schema has changed, but accepts what it accepted, except for arguments that were not declared",
  },
  output: {
    breaking: "results may now be what the locked schema refuses",
    undeclared:
      "results may now have members that the locked schema does not declare; declared ones match it as before",
    unproven:
      "the schema has changed, and there is no proof that results still match the locked one",
    fine: "the schema has changed, and results still match the locked one",
    declared:
      "the schema has changed, but results still match the locked one, except for members that are no longer declared",
  },
} as const;

function* meaning(
  path: string,
  direction: Direction,
  change: SchemaChange,
  old: string | undefined,
  now: string | undefined,
  hasTexts: boolean,
): Generator<FoundChange> {
  const said = WORDS[direction];
  const shown = {
    ...(old === undefined ? {} : { before: old }),
    ...(now === undefined ? {} : { after: now }),
  };
  const rule = `${direction}-schema`;
  switch (change.kind) {
    case "same":
      if (!hasTexts) {
        yield { class: "compatible", rule, path, message: said.fine, evidence: "proved", ...shown };
      }
      return;
    case "unusable": {
      const { which, fault } = change;
      const at = fault.path === "" ? "" : ` (${fault.path})`;
      const message = `the ${which === "old" ? "locked" : "new"} schema cannot be used, so nothing can be compared: ${fault.message}${at}`;
      // No call can be checked by a schema that cannot be used. If the old schema could not be used, it is not known
      // what it accepted.
      const kind = which === "new" ? "breaking" : "unproven";
      yield { class: kind, rule: "unusable-schema", path, message, ...shown };
      return;
    }
    case "breaking": {
      const { counterexample, onlyUndeclared } = change;
      yield {
        class: "breaking",
        rule: onlyUndeclared ? (direction === "input" ? "closed-schema" : "opened-schema") : rule,
        path,
        message: onlyUndeclared ? said.undeclared : said.breaking,
        counterexample,
        ...shown,
      };
      return;
    }
    case "proved": {
      const message = change.proof === "all" ? said.fine : said.declared;
      yield { class: "compatible", rule, path, message, evidence: "proved", ...shown };
      return;
    }
    case "unproven": {
      const { accepted, isCut, gap } = change;
      const unproven = { class: "unproven", path, evidence: accepted, ...shown } as const;
      if (accepted === 0) {
        const message = `${said.unproven}: no value was found that both accept, so nothing could be compared`;
        yield { ...unproven, rule: "untested-schema", message };
        return;
      }
      const place = `what decides it is ${gap === "" ? "numbers that no double holds" : quotePointer(gap)}`;
      const cut = isCut ? ", and some values take too many steps to check" : "";
      yield { ...unproven, rule, message: `${said.unproven}: ${place}${cut}` };
    }
  }
}

/**
 * Yields the annotations that differ at places that both schemas have.
 * @param all whether to yield every difference, because only annotations differ
 */
function* textChanges(
  path: string,
  old: unknown,
  now: unknown,
  all: boolean,
): Generator<FoundChange> {
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    for (const [at, item] of old.entries()) yield* textChanges(`${path}/${at}`, item, now[at], all);
    return;
  }
  if (!isObject(old) || !isObject(now)) {
    if (all && JSON.stringify(old) !== JSON.stringify(now)) yield jsonChange(path, old, now);
    return;
  }
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [mine, theirs] = [ownMember(old, name), ownMember(now, name)];
    const at = joinPointer(path, name);
    if (ANNOTATIONS.has(name) && !(isObject(mine) && isObject(theirs))) {
      if (JSON.stringify(mine) !== JSON.stringify(theirs)) yield jsonChange(at, mine, theirs);
    } else if (all || (mine !== undefined && theirs !== undefined)) {
      yield* textChanges(at, mine, theirs, all);
    }
  }
}
