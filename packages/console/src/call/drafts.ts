/** The arguments that were begun, by the name of their tool. */
export interface Drafts {
  get(tool: string): string | undefined;
  /** @param schema the text of the schema of the arguments */
  set(tool: string, text: string, schema: string): void;
  delete(tool: string): void;
}

/** Where drafts outlast a reload: `sessionStorage`, which the tab that wrote it reads, and which ends with it. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Longer drafts last only as long as the page. */
const MAX_KEPT = 100_000;
/** Names of properties whose values are not stored, whatever their schema says. */
const SECRET =
  /pass(?:word|phrase|wd)|secret|token|api[-_]?key|credential|private[-_]?key|authorization/i;
/** What a schema says of values that are not to be shown (JSON Schema 2020-12, Validation, section 9.4). */
const HIDDEN = /"(?:format|writeOnly)"\s*:\s*(?:"password"|true)/;

/** Whether arguments may hold a secret, as far as the names in them and their schema tell. */
export function mayHoldSecret(text: string, schema: string): boolean {
  return SECRET.test(text) || HIDDEN.test(schema);
}

/**
 * Keeps drafts while the page is open, and those that are short and tell no secret by their names in the tab's storage.
 * Never throws: storage may be full or forbidden.
 * @param base the address of the tool API, so that those of another server stay apart
 */
export function createDrafts(
  base: string,
  storage: () => DraftStorage = () => sessionStorage,
): Drafts {
  const drafts = new Map<string, string>();
  const keyOf = (tool: string): string => `touchstone draft ${base} ${tool}`;
  const attempt = <T>(run: (storage: DraftStorage) => T): T | undefined => {
    try {
      return run(storage());
    } catch {
      return undefined;
    }
  };
  return {
    get: (tool) => drafts.get(tool) ?? attempt((at) => at.getItem(keyOf(tool))) ?? undefined,
    delete(tool) {
      drafts.delete(tool);
      attempt((at) => at.removeItem(keyOf(tool)));
    },
    set(tool, text, schema) {
      drafts.set(tool, text);
      const isKept = text.length <= MAX_KEPT && !mayHoldSecret(text, schema);
      attempt((at) => (isKept ? at.setItem(keyOf(tool), text) : at.removeItem(keyOf(tool))));
    },
  };
}
