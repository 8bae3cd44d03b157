/**
 * The arguments that were begun, by the name of their tool. They last as long as the page: they may hold
 * secrets, which are stored nowhere.
 */
export type Drafts = Map<string, string>;
