import { type ReactElement, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { activeShortcuts, keysText } from "../ui/shortcuts.ts";

/** Lists the keyboard shortcuts of the open page. */
export default function ShortcutList({ onClose }: { readonly onClose: () => void }): ReactElement {
  // A part of the page may give a key another meaning: the last one counts.
  const [shortcuts] = useState(() => [
    ...new Map(activeShortcuts().map((shortcut) => [shortcut.keys, shortcut])).values(),
  ]);
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" region="Shortcuts">
      <dl className="grid gap-x-8 p-4 sm:grid-cols-2">
        {shortcuts.map(({ keys, label }) => (
          <div
            key={keys}
            className="flex items-center justify-between gap-4 border-b border-line py-1.5"
          >
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keysText(keys)
                .split(" ")
                .map((key) => (
                  <kbd
                    key={key}
                    className="min-w-6 rounded border border-edge bg-sunken px-1.5 text-center font-mono text-xs leading-5"
                  >
                    {key}
                  </kbd>
                ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
