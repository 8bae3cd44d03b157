import { RotateCw } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Notice } from "./notice.tsx";

/** Shows why something failed, with a button to try again if that is possible. */
export function Failure({
  error,
  onRetry,
}: {
  readonly error: string;
  readonly onRetry?: () => void;
}): ReactElement {
  return (
    <div role="alert">
      <Notice kind="bad">
        <p>
          <ExternalText text={error} />
        </p>
        {onRetry !== undefined && (
          <Button size="sm" onClick={onRetry}>
            <RotateCw aria-hidden="true" />
            Try again
          </Button>
        )}
      </Notice>
    </div>
  );
}
