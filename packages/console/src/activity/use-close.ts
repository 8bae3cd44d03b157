import { useEffect, useRef } from "react";

/** In the state of an entry of the browser's history: how many entries behind the list it is. */
const KEY = "touchstoneBehindList";

function keptDepth(): number | undefined {
  const state: unknown = history.state;
  const depth: unknown = typeof state === "object" && state !== null && Reflect.get(state, KEY);
  return typeof depth === "number" ? depth : undefined;
}

/**
 * Closes the record that is open by going back to the list it was opened from, so that going back once
 * more does not open it again. Where it was not opened from a list, the list takes its place.
 * @param open its id; undefined while the list is shown alone
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
