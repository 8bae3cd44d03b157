import { Check, Copy } from "lucide-react";
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { showToast } from "./toast.ts";

/** How long a button shows that the text was copied, in milliseconds. */
const SAID_MS = 2_000;

/** Copies a text, and returns whether it succeeded: clipboards are available to secure origins only. */
export async function copyText(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ title: `Copied ${what}` });
    return true;
  } catch {
    showToast({
      kind: "bad",
      title: `Could not copy ${what}`,
      text: "The browser does not allow it here. Select the text and copy it.",
    });
    return false;
  }
}

/** A button that copies a text. */
export function CopyButton({
  text,
  what,
  compact = false,
}: {
  readonly text: string;
  /** Names what is copied, as in "Copy URL". */
  readonly what: string;
  /** Whether to show only the icon. */
  readonly compact?: boolean;
}): ReactElement {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      variant={compact ? "quiet" : "default"}
      size={compact ? "icon" : "sm"}
      {...(compact ? { "aria-label": `Copy ${what}` } : {})}
      onClick={() => void copyText(text, what).then(setIsCopied)}
    >
      <Icon aria-hidden="true" />
      {!compact && `Copy ${what}`}
    </Button>
  );
}
