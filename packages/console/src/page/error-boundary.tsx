import { Component, type ReactNode } from "react";
import { Failure } from "./failure.tsx";
import { PartError, retryParts } from "./lazy-part.tsx";

interface Props {
  readonly children: ReactNode;
  /** Shown instead of children that threw. */
  readonly fallback: ReactNode;
}

interface State {
  readonly failed: boolean;
  readonly thrown?: unknown;
}

const NOT_LOADED =
  "This part of the page could not be loaded. Check that the server runs, then try again; if it was updated in the meantime, reload the page.";

/**
 * Keeps a part of the page that throws from taking down the rest. If the part's code failed to load, the user can
 * retry; showing another part in between also retries.
 */
export class ErrorBoundary extends Component<Props, State> {
  override readonly state: State = { failed: false };

  static getDerivedStateFromError(thrown: unknown): State {
    return { failed: true, thrown };
  }

  override componentWillUnmount(): void {
    if (this.state.failed) retryParts();
  }

  override render(): ReactNode {
    const { failed, thrown } = this.state;
    if (!failed) return this.props.children;
    if (!(thrown instanceof PartError)) return this.props.fallback;
    const retry = (): void => {
      retryParts();
      this.setState({ failed: false });
    };
    return <Failure error={NOT_LOADED} onRetry={retry} />;
  }
}
