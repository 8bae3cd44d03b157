import { useEffect, useRef } from "react";
import { isDialogOpen } from "./cover.tsx";

/** An action for a key, or for two keys pressed one after the other. */
export interface Shortcut {
  /** As in `KeyboardEvent.key`: "?", "j", "g o"; with "Mod+" for Control, or Command on a Mac. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
  /** Whether the key means this now; if not, it keeps its usual meaning. Default: always. */
  readonly applies?: () => boolean;
}

/** Two keys form a sequence if the second follows within this many milliseconds. */
const SEQUENCE_MS = 1_000;

const shortcuts = new Set<{ readonly current: Shortcut }>();
let first = "";
let firstAt = 0;

/** Returns whether letters typed there are text input. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.shadowRoot !== null) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  if (event.defaultPrevented || event.isComposing || altKey || isDialogOpen()) return;
  const isMod = ctrlKey || metaKey;
  if (!isMod && isWriting(target)) return;
  const pressed = isMod ? `Mod+${key}` : key;
  const sequence = timeStamp - firstAt < SEQUENCE_MS && first !== "" ? `${first} ${pressed}` : "";
  [first, firstAt] = [pressed, timeStamp];
  // The shortcut added last belongs to the frontmost part of the page.
  const all = [...shortcuts].reverse();
  const meaning = (keys: string) =>
    all.find(({ current }) => current.keys === keys && current.applies?.() !== false);
  const found = meaning(sequence) ?? meaning(pressed);
  if (found === undefined) return;
  event.preventDefault();
  first = "";
  found.current.run();
}

/** Returns the shortcuts that are active now, to list them. */
export function activeShortcuts(): readonly Shortcut[] {
  return [...shortcuts].map(({ current }) => current);
}

/** Activates shortcuts while the component is shown. They are ignored while the user types text. */
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

/** Returns the keys as they are labeled on a keyboard. */
export function keysText(keys: string): string {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  return keys
    .replace("Mod+k", isMac ? "⌘K" : "Ctrl K")
    .replace("ArrowDown", "↓")
    .replace("ArrowUp", "↑")
    .replace("Escape", "Esc")
    .replace("Mod+Enter", isMac ? "⌘↵" : "Ctrl ↵");
}
