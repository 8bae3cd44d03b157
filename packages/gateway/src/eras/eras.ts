import { type Revision, revisionOf } from "@touchstone/protocol/advanced";
import type { Era } from "./era.ts";
import { legacy } from "./legacy.ts";
import { modern } from "./modern.ts";

const ERAS: Readonly<Record<Era["name"], Era>> = { legacy, modern };

/** Returns the era of a revision. An unknown revision, or one that is not agreed on yet, counts as legacy. */
export function eraOf(revision: Revision | string | undefined): Era {
  const known = typeof revision === "string" ? revisionOf(revision) : revision;
  return ERAS[known?.era ?? "legacy"];
}
