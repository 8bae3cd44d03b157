/** Unfinished arguments, by tool name. */
export interface Drafts {
  get(tool: string): string | undefined;
  /** @param stored the part of the text that may be stored; undefined if nothing may */
  set(tool: string, text: string, stored: string | undefined): void;
  delete(tool: string): void;
}

/** Where drafts survive a reload: `sessionStorage`, which belongs to one tab and ends with it. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const PREFIX = "touchstone draft ";

/** Deletes the drafts of all tools from the tab's storage. Never throws. */
export function forgetDrafts(storage: () => Storage = () => sessionStorage): void {
  try {
    const at = storage();
    const keys = Array.from({ length: at.length }, (_, index) => at.key(index));
    for (const key of keys) if (key?.startsWith(PREFIX) === true) at.removeItem(key);
  } catch {
    // If storage is forbidden, no drafts are stored.
  }
}

/**
 * Keeps drafts while the page is open, and stores the permitted part of them in the tab's storage. Never throws:
 * storage may be full or forbidden.
 * @param base the address of the tool API, which keeps drafts of different servers apart
 */
export function createDrafts(
  base: string,
  storage: () => DraftStorage = () => sessionStorage,
): Drafts {
  const drafts = new Map<string, string>();
  const keyOf = (tool: string): string => `${PREFIX}${base} ${tool}`;
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
