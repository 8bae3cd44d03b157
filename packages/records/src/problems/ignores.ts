/** A decision to ignore a problem for some time. Times are RFC 3339 in UTC. */
export interface ProblemIgnore {
  readonly problem: string;
  readonly until: string;
  readonly since: string;
  /** How the person who decided was identified, and the name of the key or person. */
  readonly actor: string;
  readonly caller: string | null;
  /** The reason, in that person's words. */
  readonly reason: string | null;
}

/** Keeps these decisions with the records. Every method rejects with an ActivityError. */
export interface ProblemIgnores {
  /** Stores a decision; it replaces an earlier one about the same problem. Returns false if the problem is unknown. */
  add(ignore: ProblemIgnore): Promise<boolean>;
  /** Removes a decision. Returns whether there was one that had not ended. */
  end(problem: string, now: string): Promise<boolean>;
}
