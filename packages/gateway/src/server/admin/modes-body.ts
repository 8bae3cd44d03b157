import { didYouMean } from "../../config/closest.ts";
import { isJsonObject, parseDocument } from "../../config/document.ts";
import { DIRECTIONS, MODES, type ModeChange, type Modes } from "../../config/edit/modes.ts";
import { quote } from "../../config/faults.ts";
import type { Direction, Mode } from "../../policy/settings.ts";
import { AdminError } from "./errors.ts";

/** What a change of modes answers. */
export interface ModesChanged {
  /** Those that hold at the level now. */
  readonly modes: Modes;
  /** Directions in which an option of the command line wins over what was written. */
  readonly overridden: readonly Direction[];
  /** What took effect, one line each. */
  readonly changes: readonly string[];
  /** That the tool has not been listed by its server, and which one may be meant. */
  readonly warning?: string;
}

const SHAPE = `{"input": MODE, "output": MODE, "protocol": MODE}, at least one of them, each ${MODES.map((mode) => JSON.stringify(mode)).join(", ")} or null`;

/**
 * Reads the body of a change of modes.
 * @throws {AdminError} `BAD_REQUEST` that says what is wrong and what would be right
 */
export function readModeChange(body: Uint8Array): ModeChange {
  const document = parseDocument(textOf(body));
  if ("faults" in document) throw bad(document.faults[0]?.message ?? "it is no JSON");
  const [twice] = document.duplicates;
  if (twice !== undefined) throw bad(`the key ${nameOf(twice)} stands there twice`);
  const [prototype] = document.prototypes;
  if (prototype !== undefined) throw bad(`the key ${nameOf(prototype)} may not stand there`);
  const { value } = document;
  if (!isJsonObject(value)) throw bad("it is no object");
  const entries = Object.entries(value).map(([key, mode]) => [directionOf(key), modeOf(key, mode)]);
  if (entries.length === 0) throw bad("it sets nothing");
  return Object.fromEntries(entries);
}

function nameOf({ path }: { readonly path: readonly (string | number)[] }): string {
  return quote(String(path.at(-1)));
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw bad("it is not UTF-8");
  }
}

function directionOf(key: string): Direction {
  const direction = DIRECTIONS.find((known) => known === key);
  if (direction !== undefined) return direction;
  throw bad(`the key ${quote(key)} is not known${didYouMean(key, DIRECTIONS)}`);
}

function modeOf(key: string, value: unknown): Mode | null {
  if (value === null) return null;
  const mode = MODES.find((known) => known === value);
  if (mode !== undefined) return mode;
  throw bad(`the value of ${quote(key)} is no mode`);
}

function bad(problem: string): AdminError {
  const end = problem.endsWith("?") ? "" : ".";
  return new AdminError("BAD_REQUEST", `The body cannot be used: ${problem}${end} Send ${SHAPE}.`);
}
