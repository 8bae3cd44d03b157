import { afterEach, beforeEach, type Mock, vi } from "vitest";
import type { Fault, ToolCallHandler, UIConfig } from "../index.ts";
import { type Client, openClient } from "./client.ts";
import type { Door, Served } from "./doors.ts";
import { post, TOOLS } from "./fixtures.ts";

export const CALL = "/tools/get_weather/call";
/** A call that runs the tool. */
export const GOOD: RequestInit = post('{"city":"Oslo"}');

export const textContent = (text: string): { type: "text"; text: string } => ({
  type: "text",
  text,
});

/** What a suite of calls works with. */
export interface Execution {
  /** Answers "sunny" at the start of each test. */
  readonly handleCall: Mock<ToolCallHandler>;
  /** What the host was reported in this test. */
  readonly faults: readonly Fault[];
  /** Serves {@link TOOLS}, to be executed, until the test ends or again; sends {@link GOOD} unless told otherwise. */
  start(options?: UIConfig): Promise<Client["send"]>;
  /** The API as `start` has served it last. */
  served(): Served;
}

/** Tools that are served behind a door, again in each test of the suite that asks for this. */
export function execution(open: Door["open"]): Execution {
  const handleCall = vi.fn<ToolCallHandler>();
  const faults: Fault[] = [];
  let api: Served | undefined;
  beforeEach(() => {
    faults.length = 0;
    handleCall.mockReset();
    handleCall.mockResolvedValue({ content: [textContent("sunny")] });
  });
  const close = async () => {
    const open = api;
    api = undefined;
    await open?.close();
  };
  afterEach(close);
  return {
    handleCall,
    faults,
    async start(options = {}) {
      await close();
      const onFault = (fault: Fault) => void faults.push(fault);
      const given = { allowExecute: true, onFault, ...options };
      const client = await openClient(open, TOOLS, handleCall, given);
      api = client.api;
      return (path, init = GOOD) => client.send(path, init);
    },
    served() {
      if (api === undefined) throw new Error("nothing was served yet");
      return api;
    },
  };
}
