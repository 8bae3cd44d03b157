/** How long the names of tools may be for clients. */
export interface NameSettings {
  /** Most characters that a client accepts, including its own prefix. */
  readonly max: number;
  /** Characters that the client puts before the name, such as those of `mcp__github__`. */
  readonly prefixLength: number;
}

/** The smallest room for a name: a part of it, and the longer hash. */
export const MIN_NAME_LENGTH = 24;
