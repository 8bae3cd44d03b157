/** The value of `lock` that approves what a server declares first. */
export const TRUST_ON_FIRST_USE = "first_use";

/** What happens to unapproved declarations; the same for all tools of a server. */
export interface PinSettings {
  readonly mode: "off" | "warn" | "strict";
  /** What is approved: {@link TRUST_ON_FIRST_USE}, or the absolute path of a lock file. Absent: nothing. */
  readonly lock?: string;
}
