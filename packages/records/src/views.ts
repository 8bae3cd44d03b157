/** A saved view of the console: filters with a name. */
export interface SavedView {
  readonly id: string;
  /** 1 to {@link MAX_VIEW_NAME} characters; no two views have the same. */
  readonly name: string;
  /** What it lists. */
  readonly list: "calls" | "records";
  /** The filters, as `parseQuery` reads them. */
  readonly query: string;
  /** When it was saved last: RFC 3339 in UTC. */
  readonly saved: string;
}

/** The most characters of a view's name. */
export const MAX_VIEW_NAME = 80;
/** The most views of a store. */
export const MAX_VIEWS = 200;

/** Keeps saved views for all who share a store. Every method rejects with an ActivityError. */
export interface ViewStore {
  /** Returns all views by their names. */
  all(): Promise<readonly SavedView[]>;
  /**
   * Saves a view, instead of the one with the same name.
   * @returns undefined if there are {@link MAX_VIEWS} others
   */
  save(view: Omit<SavedView, "id" | "saved">, now: Date): Promise<SavedView | undefined>;
  /** Removes a view. Returns whether it was there. */
  remove(id: string): Promise<boolean>;
}
