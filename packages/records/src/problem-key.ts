/** What calls of one problem have in common. */
export interface ProblemKey {
  /** Empty if the record names none. */
  readonly server: string;
  readonly tool: string;
  readonly direction: string;
  /** A pointer in the form of a key of `rules`: `*` is any item of an array. */
  readonly place: string;
  /** The class of the issue. */
  readonly rule: string;
  /** The JSON Schema keyword; empty if the issue has none. */
  readonly keyword: string;
}
