import { type ReactElement, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { keysText, shortcutsNow } from "../ui/shortcuts.ts";

/** Lists the keyboard shortcuts of the open page. */
export default function ShortcutList({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [shortcuts] = useState(shortcutsNow);
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
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
