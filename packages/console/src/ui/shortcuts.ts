import { useEffect, useRef } from "react";

/** A key, or two keys one after the other, that does something. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names them: "?", "j", "g o"; with "Mod+" for Control, or Command on a Mac. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

/** Two keys belong together if the second comes within this many milliseconds. */
const SEQUENCE_MS = 1_000;

const shortcuts = new Set<{ readonly current: Shortcut }>();
let first = "";
let firstAt = 0;

/** Returns whether letters that are typed there are text. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.shadowRoot !== null) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  if (event.defaultPrevented || event.isComposing || altKey) return;
  const isMod = ctrlKey || metaKey;
  if (!isMod && isWriting(target)) return;
  const pressed = isMod ? `Mod+${key}` : key;
  const sequence = timeStamp - firstAt < SEQUENCE_MS && first !== "" ? `${first} ${pressed}` : "";
  [first, firstAt] = [pressed, timeStamp];
  // What was added last is in front of the rest of the page.
  const all = [...shortcuts].reverse();
  const found =
    all.find(({ current }) => current.keys === sequence) ??
    all.find(({ current }) => current.keys === pressed);
  if (found === undefined) return;
  event.preventDefault();
  first = "";
  found.current.run();
}

/** Returns the shortcuts that work now, for a list of them. */
export function shortcutsNow(): readonly Shortcut[] {
  return [...shortcuts].map(({ current }) => current);
}

/** Has keys do something for as long as the component is shown. Nothing happens while somebody writes. */
export function useShortcut(shortcut: Shortcut, isOn = true): void {
  const held = useRef(shortcut);
  useEffect(() => {
    held.current = shortcut;
  });
  useEffect(() => {
    if (!isOn) return;
    if (shortcuts.size === 0) addEventListener("keydown", onKeyDown);
    shortcuts.add(held);
    return () => {
      shortcuts.delete(held);
      if (shortcuts.size === 0) removeEventListener("keydown", onKeyDown);
    };
  }, [isOn]);
}

/** Returns the keys as they are written on a keyboard. */
export function keysText(keys: string): string {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  return keys
    .replace("Mod+k", isMac ? "⌘K" : "Ctrl K")
    .replace("Mod+Enter", isMac ? "⌘↵" : "Ctrl ↵");
}
