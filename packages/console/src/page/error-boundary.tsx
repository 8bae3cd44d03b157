import { Component, type ReactNode } from "react";

interface Props {
  readonly children: ReactNode;
  /** Shown in the place of children that threw. */
  readonly fallback: ReactNode;
}

/** Keeps a part of the page that throws from taking down the rest. */
export class ErrorBoundary extends Component<Props, { readonly failed: boolean }> {
  override readonly state: { readonly failed: boolean } = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
