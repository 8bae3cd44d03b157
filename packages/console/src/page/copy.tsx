import { type ReactElement, useState } from "react";

/** A button that copies a text, and says whether it could: clipboards are for secure origins only. */
export function Copy({
  text,
  what,
}: {
  readonly text: string;
  readonly what: string;
}): ReactElement {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied.");
    } catch {
      setSaid("The browser does not allow it here; select the text and copy it.");
    }
  };
  return (
    <span className="copy">
      <button type="button" onClick={() => void copy()}>
        Copy {what}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
