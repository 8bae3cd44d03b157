import { revisionOf } from "@touchstone/protocol";
import type { Era } from "./era.ts";
import { legacy } from "./legacy.ts";
import { modern } from "./modern.ts";

const ERAS: Readonly<Record<Era["name"], Era>> = { legacy, modern };

/** Returns the era of a revision. One that is not known, or not agreed on yet, is treated as a legacy one. */
export function eraOf(revision: string | undefined): Era {
  return ERAS[(revision === undefined ? undefined : revisionOf(revision)?.era) ?? "legacy"];
}
