import type { Shape } from "./shape.ts";

/** One tool, as it was declared when its results came. */
export interface DriftKey {
  readonly server: string;
  readonly tool: string;
  /** Hash of the output schema, as in records. */
  readonly schemaHash: string;
}

/** What was seen of a tool's results. */
export interface DriftEntry extends DriftKey {
  /** The output schema's source text. */
  readonly schema: string;
  readonly shape: Shape;
}

/** What is kept of a tool. */
export interface KeptDrift extends DriftEntry {
  /** When the first and the last of the results were added; RFC 3339. */
  readonly since: string;
  readonly until: string;
}

/** Of this many schemas of one tool it is kept: of those that results came under last. */
export const MAX_SCHEMAS = 10;

/** Keeps the shapes of results, of all processes that share a place together. */
export interface DriftStore {
  /** Adds to what is kept, and forgets the oldest schemas of a tool beyond {@link MAX_SCHEMAS}. @throws ActivityError */
  add(entries: readonly DriftEntry[]): Promise<void>;
}
