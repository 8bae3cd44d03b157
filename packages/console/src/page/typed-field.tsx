import { type KeyboardEvent, type ReactElement, useState } from "react";
import { Input } from "../ui/field.tsx";
import { InvisibleCharacters } from "./invisible-characters.tsx";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Id of a `datalist` with suggestions. */
  readonly list?: string;
}

/** A field whose text takes effect when Enter is pressed or the field loses focus, without surrounding spaces. */
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
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
    <label className="flex min-w-0 flex-1 basis-36 flex-col gap-1 text-[0.8125rem] text-soft sm:max-w-52">
      {label}
      <Input
        className="text-sm text-text"
        value={typed}
        list={list}
        placeholder={placeholder}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={onKeyDown}
      />
      <InvisibleCharacters text={typed} />
    </label>
  );
}
