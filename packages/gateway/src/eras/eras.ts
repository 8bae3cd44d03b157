import {
  detectRevision,
  type Frame,
  type Revision,
  revisionOf,
} from "@touchstone/protocol/advanced";
import type { Era } from "./era.ts";
import { legacy } from "./legacy.ts";
import { modern } from "./modern.ts";

const BY_NAME: Readonly<Record<Era["name"], Era>> = { legacy, modern };

/** The eras, the older one first. */
export const ERAS: readonly Era[] = [legacy, modern];

/** Returns the era of a revision. An unknown revision, or one that is not agreed on yet, counts as legacy. */
export function eraOf(revision: Revision | string | undefined): Era {
  const known = typeof revision === "string" ? revisionOf(revision) : revision;
  return BY_NAME[known?.era ?? "legacy"];
}

/** Returns the era of a request by its form, even if the revision that it names is unknown. */
export function eraOfRequest(frame: Frame): Era {
  return BY_NAME[detectRevision({ frame }).era ?? "legacy"];
}
