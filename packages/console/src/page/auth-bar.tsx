import { X } from "lucide-react";
import type { ReactElement } from "react";
import { authorizationOf } from "../call/token.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";

interface Props {
  readonly typed: string;
  /** Whether the page has got a token by its link. */
  readonly isSignedIn: boolean;
  readonly onType: (typed: string) => void;
  /** The token is complete. */
  readonly onEnter: () => void;
  readonly onClose: () => void;
}

/** Takes a token. The page holds it while it is open, and never stores it. */
export function AuthBar({ typed, isSignedIn, onType, onEnter, onClose }: Props): ReactElement {
  const unusable = typed.trim() !== "" && authorizationOf(typed) === undefined;
  return (
    <form
      aria-label="Sign in"
      className="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <label htmlFor="token" className="flex flex-1 basis-72 items-center gap-2 font-medium">
        Token
        <Input
          id="token"
          type="password"
          value={typed}
          onChange={(event) => onType(event.target.value)}
          placeholder={isSignedIn ? "signed in" : "none"}
          aria-describedby="token-help"
          aria-invalid={unusable}
        />
      </label>
      <small id="token-help" className="basis-60 text-soft">
        {unusable
          ? "A header cannot hold these characters."
          : isSignedIn && typed === ""
            ? "Signed in until this tab is reloaded."
            : "Stored in this tab only. Press Enter to retry."}
      </small>
      <Button variant="quiet" size="icon" aria-label="Close" onClick={onClose}>
        <X aria-hidden="true" />
      </Button>
    </form>
  );
}
