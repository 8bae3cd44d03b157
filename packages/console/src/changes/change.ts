import { readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import type { Tone } from "../ui/tones.ts";

/** One difference between two definitions, and what it means. */
export interface MeantChange {
  /** A key of {@link CLASSES}, or what a newer gateway calls it. */
  readonly meant: string;
  readonly path: string;
  readonly message: string;
  /** JSON of arguments that were accepted and are refused, or of a result that was not promised. */
  readonly counterexample: string | null;
}

/** How a definition differs that a record is about. */
export interface DefinitionChange {
  /** What is compared: one schema, or all that is declared; null if neither text is kept. */
  readonly kind: string | null;
  /** Lines as of `diff -u`; null if a text is not kept. */
  readonly diff: string | null;
  /** Null if it is not known what they mean. */
  readonly changes: readonly MeantChange[] | null;
}

/** How each class of changes looks, the heaviest first. */
export const CLASSES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  breaking: ["bad", "breaking"],
  unproven: ["warn", "unproven"],
  text: ["warn", "text"],
  compatible: ["good", "compatible"],
  new: ["info", "new"],
};

function readMeant(item: unknown): MeantChange | undefined {
  const [meant, message] = [textOf(item, "class"), textOf(item, "message")];
  if (meant === null || message === null) return undefined;
  const path = textOf(item, "path") ?? "";
  return { meant, path, message, counterexample: textOf(item, "counterexample") };
}

/** Reads the response of `GET /api/v1/activity/{id}/diff`; undefined if it is not one. */
export function readDefinitionChange(answer: unknown): DefinitionChange | undefined {
  if (!isObject(answer) || !("diff" in answer)) return undefined;
  return {
    kind: textOf(answer, "kind"),
    diff: textOf(answer, "diff"),
    changes: readList(answer["changes"], readMeant) ?? null,
  };
}
