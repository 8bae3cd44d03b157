import { useEffect, useState } from "react";
import type { Checker } from "./checker.ts";
import type { PlaygroundState } from "./question.ts";

/** How long the input must not change before the address does, in milliseconds. */
const PAUSE_MS = 400;

const fragmentOf = (): string => location.hash.slice(1);

/** The state of the page's address. */
export interface AddressState {
  /** Why the address does not contain what is entered; empty if it does. */
  readonly message: string;
  /** Whether the address with which the page was opened has been read. */
  readonly isReady: boolean;
}

/** Keeps what is entered in the fragment of the address, which browsers do not send, and reads it from there. */
export function useAddress(
  checker: Checker,
  state: PlaygroundState,
  onRead: (state: PlaygroundState) => void,
): AddressState {
  const [unread, setUnread] = useState("");
  const [unkept, setUnkept] = useState("");
  const [isReady, setIsReady] = useState(() => fragmentOf() === "");

  useEffect(() => {
    let isOver = false;
    const read = async (): Promise<void> => {
      const fragment = fragmentOf();
      if (fragment === "") return;
      const reply = await checker.ask("decode", { fragment });
      if (isOver || reply === undefined) return;
      if (reply.ok) onRead(reply.state);
      setUnread(reply.ok ? "" : reply.message);
      setIsReady(true);
    };
    void read();
    const again = (): void => void read();
    addEventListener("hashchange", again);
    return () => {
      isOver = true;
      removeEventListener("hashchange", again);
    };
  }, [checker, onRead]);

  useEffect(() => {
    if (!isReady) return;
    let isOld = false;
    const timer = setTimeout(async () => {
      const reply = await checker.ask("encode", state);
      if (isOld || reply === undefined) return;
      const { pathname, search } = location;
      const fragment = reply.ok ? `#${reply.fragment}` : "";
      history.replaceState(null, "", `${pathname}${search}${fragment}`);
      setUnkept(reply.ok ? "" : reply.message);
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [checker, state, isReady]);

  return { message: unkept === "" ? unread : unkept, isReady };
}
