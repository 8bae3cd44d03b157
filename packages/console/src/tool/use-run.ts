import { useRef, useState } from "react";
import { type Answer, ApiError } from "../api/client.ts";

/** What was asked of the server, and how far it is. */
export interface RunState {
  readonly kind: "idle" | "validate" | "call";
  readonly isRunning: boolean;
  readonly answer?: Answer;
  /** Why there is no answer. */
  readonly error?: string;
}

export interface Running {
  readonly state: RunState;
  start(kind: "validate" | "call", ask: (signal: AbortSignal) => Promise<Answer>): void;
  /** Ends what is running: no answer is waited for. */
  stop(): void;
}

/** Asks the server one thing at a time; another one ends it. */
export function useRun(): Running {
  const [state, setState] = useState<RunState>({ kind: "idle", isRunning: false });
  const current = useRef<AbortController>(null);
  const ask = async (
    kind: "validate" | "call",
    controller: AbortController,
    request: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<void> => {
    try {
      const answer = await request(controller.signal);
      if (!controller.signal.aborted) setState({ kind, isRunning: false, answer });
    } catch (thrown) {
      if (controller.signal.aborted) return;
      const error = thrown instanceof ApiError ? thrown.message : "The request could not be made.";
      setState({ kind, isRunning: false, error });
    }
  };
  return {
    state,
    start(kind, request) {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      setState({ kind, isRunning: true });
      void ask(kind, controller, request);
    },
    stop() {
      current.current?.abort();
      setState({ kind: "idle", isRunning: false });
    },
  };
}
