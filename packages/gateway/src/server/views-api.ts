import type { ViewStore } from "@touchstone/records/plain";
import { formatQuery, parseQuery } from "@touchstone/records/query";
import { CALL_KEYS, RECORD_KEYS } from "@touchstone/records/query-scope";
import { MAX_VIEWS } from "@touchstone/records/views";
import { AdminError } from "./admin/errors.ts";
import type { SavedView, ViewContent } from "./api/view-schemas.ts";

/** Lists, saves and removes the views that people share. */
export class ViewsApi {
  readonly #store: ViewStore;
  readonly #now: () => Date;

  constructor(store: ViewStore, now: () => Date = () => new Date()) {
    this.#store = store;
    this.#now = now;
  }

  list(): Promise<readonly SavedView[]> {
    return this.#store.all();
  }

  /**
   * Saves filters under a name; replaces an existing view of that name.
   * @throws {AdminError} `BAD_REQUEST` for an empty name, a query with a problem, or one view too many
   */
  async save({ name: given, list, query }: ViewContent): Promise<SavedView> {
    const name = given.trim();
    if (name === "" || /\p{Cc}|\p{Cs}/u.test(name)) {
      throw bad("name: must have a character that can be seen, and no control characters");
    }
    const { terms, problems } = parseQuery(query, list === "calls" ? CALL_KEYS : RECORD_KEYS);
    if (problems.length > 0) throw bad(`query: ${problems.join(" ")}`);
    const saved = await this.#store.save({ name, list, query: formatQuery(terms) }, this.#now());
    if (saved !== undefined) return saved;
    throw bad(`There are ${MAX_VIEWS} saved views already. Delete one of them first.`);
  }

  /** @throws {AdminError} `NOT_FOUND` */
  async remove(id: string): Promise<readonly SavedView[]> {
    if (!(await this.#store.remove(id))) {
      throw new AdminError("NOT_FOUND", "No saved view has this id. Load the list again.");
    }
    return this.list();
  }
}

function bad(problem: string): AdminError {
  return new AdminError("BAD_REQUEST", problem);
}
