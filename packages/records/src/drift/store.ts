import type { Shape } from "./shape.ts";

/** A tool with the declaration that was in force for its results. */
export interface DriftKey {
  readonly server: string;
  readonly tool: string;
  /** Hash of the output schema, as in records. */
  readonly schemaHash: string;
}

/** The data about a tool's results. */
export interface DriftEntry extends DriftKey {
  /** The output schema's source text. */
  readonly schema: string;
  readonly shape: Shape;
}

/** The data about a tool. */
export interface StoredDrift extends DriftEntry {
  /** When the first and the last of the results were added; RFC 3339. */
  readonly since: string;
  readonly until: string;
}

/** How many schemas of one tool to keep data for: those of the latest results. */
export const MAX_SCHEMAS = 10;

/** Keeps the shapes of results, for all processes that share a place. */
export interface DriftStore {
  /** Adds to the data, and drops the oldest schemas of a tool beyond {@link MAX_SCHEMAS}. @throws ActivityError */
  add(entries: readonly DriftEntry[]): Promise<void>;
}
