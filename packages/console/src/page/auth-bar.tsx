import { X } from "lucide-react";
import { type Context, createContext, type ReactElement, useContext, useId } from "react";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { authorizationOf } from "./token.ts";

/** The token of the page, and functions to change it. */
export interface TokenHolder {
  readonly typed: string;
  /** Whether the page received a token through its link. */
  readonly isSignedIn: boolean;
  readonly onType: (typed: string) => void;
  /** Called when the token is complete. */
  readonly onEnter: () => void;
}

export const TokenContext: Context<TokenHolder> = createContext<TokenHolder>({
  typed: "",
  isSignedIn: false,
  onType: () => {},
  onEnter: () => {},
});

/** A field for a token, wherever one is needed. The page keeps the token while it is open and never stores it. */
export function TokenField(): ReactElement {
  const { typed, isSignedIn, onType, onEnter } = useContext(TokenContext);
  // The field may appear at the top of the page and in a dialog at the same time.
  const id = useId();
  const unusable = typed.trim() !== "" && authorizationOf(typed) === undefined;
  return (
    <form
      aria-label="Sign in"
      className="flex min-w-0 flex-1 flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <label htmlFor={id} className="flex flex-1 basis-72 items-center gap-2 font-medium">
        <span className="whitespace-nowrap">Token</span>
        <Input
          id={id}
          type="password"
          value={typed}
          onChange={(event) => onType(event.target.value)}
          placeholder={isSignedIn ? "signed in" : "none"}
          aria-describedby={`${id}-help`}
          aria-invalid={unusable}
        />
      </label>
      <small id={`${id}-help`} className="basis-60 text-soft">
        {unusable
          ? "A header cannot hold these characters."
          : isSignedIn && typed === ""
            ? "Signed in until this tab is reloaded."
            : "Stored in this tab only. Press Enter to retry."}
      </small>
    </form>
  );
}

/** Shows the token field at the top of the page. */
export function AuthBar({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <div className="mb-4 flex items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2">
      <TokenField />
      <Button variant="quiet" size="icon" aria-label="Close" onClick={onClose}>
        <X aria-hidden="true" />
      </Button>
    </div>
  );
}
