import { type KeyboardEvent, type ReactElement, useState } from "react";
import { Unseen } from "./unseen.tsx";

/** Characters of a placeholder that fit into a field of the usual width. */
const FITTING = 20;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Id of a `datalist` with proposals. */
  readonly list?: string;
}

/** A field whose text holds once Enter is pressed or the field is left, without spaces around it. */
export function TypedField({
  label,
  value,
  onChange,
  placeholder = "any",
  list,
}: Props): ReactElement {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const commit = (): void => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") commit();
  };
  return (
    <label className={placeholder.length > FITTING ? "wide" : undefined}>
      {label}
      <input
        value={typed}
        list={list}
        placeholder={placeholder}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <Unseen text={typed} />
    </label>
  );
}
