/** A saved view of the console: filters with a name. */
export interface SavedView {
  readonly id: string;
  /** 1 to {@link MAX_VIEW_NAME} characters; unique. */
  readonly name: string;
  /** What it lists. */
  readonly list: "calls" | "records";
  /** The filters, in the syntax of `parseQuery`. */
  readonly query: string;
  /** When it was last saved: RFC 3339 in UTC. */
  readonly saved: string;
}

/** The most characters of a view's name. */
export const MAX_VIEW_NAME = 80;
/** The most views of a store. */
export const MAX_VIEWS = 200;

/** Keeps saved views for everybody who shares a store. Every method rejects with an ActivityError. */
export interface ViewStore {
  /** Returns all views, sorted by name. */
  all(): Promise<readonly SavedView[]>;
  /**
   * Saves a view; replaces the one with the same name.
   * @returns undefined if there are already {@link MAX_VIEWS} other views
   */
  save(view: Omit<SavedView, "id" | "saved">, now: Date): Promise<SavedView | undefined>;
  /** Removes a view. Returns whether it was there. */
  remove(id: string): Promise<boolean>;
}
