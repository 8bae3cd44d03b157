import { useEffect, useRef } from "react";

/** Key in the state of a browser history entry: the number of entries since the list. */
const KEY = "touchstoneBehindList";

function keptDepth(): number | undefined {
  const state: unknown = history.state;
  const depth: unknown = typeof state === "object" && state !== null && Reflect.get(state, KEY);
  return typeof depth === "number" ? depth : undefined;
}

/**
 * Closes the open record by going back to the list it was opened from, so that going back again does not reopen it.
 * If it was not opened from a list, replaces it with the list.
 * @param open its id; undefined while only the list is shown
 * @param list the fragment of the list
 */
export function useClose(open: string | undefined, list: string): () => void {
  const depth = useRef<number>(undefined);
  useEffect(() => {
    if (open === undefined) {
      depth.current = 0;
      return;
    }
    const kept = keptDepth();
    const next = kept ?? (depth.current === undefined ? undefined : depth.current + 1);
    depth.current = next;
    if (next !== kept) history.replaceState({ ...Object(history.state), [KEY]: next }, "");
  }, [open]);
  return () => {
    if (depth.current === undefined) location.replace(list);
    else history.go(-depth.current);
  };
}
