/** The arguments that were begun, by the name of their tool. */
export interface Drafts {
  get(tool: string): string | undefined;
  /** @param stored what of the text may be stored; undefined if nothing may */
  set(tool: string, text: string, stored: string | undefined): void;
  delete(tool: string): void;
}

/** Where drafts outlast a reload: `sessionStorage`, which the tab that wrote it reads, and which ends with it. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * Keeps drafts while the page is open, and in the tab's storage what may be stored of them.
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
    set(tool, text, stored) {
      drafts.set(tool, text);
      attempt((at) =>
        stored === undefined ? at.removeItem(keyOf(tool)) : at.setItem(keyOf(tool), stored),
      );
    },
  };
}
