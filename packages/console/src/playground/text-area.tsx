import { type ReactElement, useId, useState } from "react";
import { cx } from "../ui/classes.ts";
import { MAX_FIELD } from "./question.ts";

/**
 * A field for a JSON text of bounded length. The browser does not lay out a longer text, because it is refused first.
 */
export function TextArea({
  label,
  hint,
  value,
  rows,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly rows: number;
  readonly onChange: (text: string) => void;
}): ReactElement {
  const id = useId();
  const [tooLong, setTooLong] = useState<number>();
  const accept = (length: number): boolean => {
    setTooLong(length > MAX_FIELD ? length : undefined);
    return length <= MAX_FIELD;
  };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[0.8125rem] text-soft">
          {hint}
        </p>
      )}
      <textarea
        id={id}
        aria-describedby={cx(hint !== undefined && `${id}-hint`, `${id}-length`)}
        aria-invalid={tooLong !== undefined}
        value={value}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        wrap="off"
        className="w-full min-w-0 resize-y rounded-md border border-edge bg-raised px-2.5 py-1.5 font-mono text-[0.8125rem] leading-5 aria-[invalid=true]:border-bad scroll-thin"
        onPaste={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget;
          const { length } = event.clipboardData.getData("text/plain");
          if (!accept(value.length - (selectionEnd - selectionStart) + length)) {
            event.preventDefault();
          }
        }}
        onDrop={(event) => {
          const { length } = event.dataTransfer.getData("text/plain");
          if (!accept(value.length + length)) event.preventDefault();
        }}
        onChange={(event) => {
          const { value: text } = event.target;
          if (accept(text.length)) onChange(text);
        }}
      />
      <p id={`${id}-length`} role="status" className="text-[0.8125rem] text-bad empty:hidden">
        {tooLong !== undefined &&
          `This has ${tooLong.toLocaleString("en")} characters. The playground takes ${MAX_FIELD.toLocaleString("en")}, so the field is unchanged.`}
      </p>
    </div>
  );
}
