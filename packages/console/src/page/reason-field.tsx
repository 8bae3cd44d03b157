import { type ReactElement, useId } from "react";
import { Input } from "../ui/field.tsx";
import type { TextField } from "../ui/toast.ts";

/** Maximum number of characters that the gateway accepts. */
const MAX_REASON = 1_000;

/** The field beside a button that undoes a change. */
export const REASON_TO_UNDO: TextField = {
  label: "Reason for undoing (optional)",
  maxLength: MAX_REASON,
};

/** A field for why a change is made; its record keeps it. */
export function ReasonField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const id = useId();
  return (
    <label htmlFor={id} className="flex flex-col gap-1">
      <span className="font-medium">Reason</span>
      <Input
        id={id}
        value={value}
        maxLength={MAX_REASON}
        placeholder="Reason, for the record of the change (optional)"
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** Returns the member of a request's body for a reason; empty if none was typed. */
export function reasonIn(typed: string): { readonly reason?: string } {
  const reason = typed.trim();
  return reason === "" ? {} : { reason };
}
