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

/** What a suite of calls needs. */
export interface Execution {
  /** The call handler. It is reset before each test to return "sunny". */
  readonly handleCall: Mock<ToolCallHandler>;
  /** The faults that were reported to the host in this test. */
  readonly faults: readonly Fault[];
  /**
   * Serves {@link TOOLS} with execution enabled, until the test ends or `start` is called again. Returns a function
   * that sends {@link GOOD} by default.
   */
  start(options?: UIConfig): Promise<Client["send"]>;
  /** Returns the API that `start` served last. */
  served(): Served;
}

/** Sets up a suite in which each test can serve the tools through one interface. */
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
