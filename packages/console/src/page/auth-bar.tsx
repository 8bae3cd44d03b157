import type { ReactElement } from "react";
import { authorizationOf } from "../call/token.ts";

interface Props {
  readonly typed: string;
  /** Whether the page has got a token by its link. */
  readonly isSignedIn: boolean;
  readonly onType: (typed: string) => void;
  /** The token is complete. */
  readonly onEnter: () => void;
}

/** Takes a token. It is held by the page while it is open, and never stored. */
export function AuthBar({ typed, isSignedIn, onType, onEnter }: Props): ReactElement {
  const unusable = typed.trim() !== "" && authorizationOf(typed) === undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <label>
        Token{" "}
        <input
          type="password"
          value={typed}
          onChange={(event) => onType(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          placeholder={isSignedIn ? "signed in" : "none"}
          aria-describedby="token-help"
          aria-invalid={unusable}
        />{" "}
        <small id="token-help">
          {unusable
            ? "no header can hold these characters"
            : isSignedIn && typed === ""
              ? "signed in until this tab is reloaded"
              : "Stored in this tab only. Press Enter to retry."}
        </small>
      </label>
    </form>
  );
}
