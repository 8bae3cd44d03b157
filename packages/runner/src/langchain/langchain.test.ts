import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { InvalidSchemaError, ToolInputError, ToolOutputError } from "../index.ts";
import { loadSdk } from "../testing/sdk.ts";
import { withValidation } from "./index.ts";

const { sdk, skip } = await loadSdk("@langchain/core", async () => {
  const [tools, messages] = await Promise.all([
    import("@langchain/core/tools"),
    import("@langchain/core/messages"),
  ]);
  return { ...tools, ToolMessage: messages.ToolMessage };
});

const WEATHER = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
} as const;

describe.skipIf(sdk === undefined)(`a tool of LangChain${skip ? ` (${skip})` : ""}`, () => {
  if (sdk === undefined) return;
  const { isStructuredTool, StructuredTool, ToolInputParsingException, ToolMessage, tool } = sdk;
  const run = vi.fn(async (args: unknown): Promise<unknown> => `sunny ${JSON.stringify(args)}`);
  const make = () => {
    run.mockClear();
    return tool(run as never, { name: "get_weather", description: "d", schema: WEATHER as never });
  };
  const bad = { town: "secret", days: "2" };
  const call = (args: object) => ({
    type: "tool_call" as const,
    id: "1",
    name: "get_weather",
    args,
  });

  it("has an unhelpful message without the check", async () => {
    await expect(make().invoke(bad as never)).rejects.toThrow(
      /^Received tool input did not match expected schema$/,
    );
  });

  it("stays a StructuredTool, and reports what to fix", async () => {
    const wrapped = withValidation(make(), { ToolInputParsingException });
    expect(wrapped).toBeInstanceOf(StructuredTool);
    expect(isStructuredTool(wrapped)).toBe(true);
    expect(wrapped).toMatchObject({ name: "get_weather", description: "d", schema: WEATHER });
    const error = await wrapped.invoke(bad as never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolInputParsingException);
    expect(error).toMatchObject({ output: JSON.stringify(bad), cause: expect.any(ToolInputError) });
    expect((error as Error).message).toMatch(/\/city.*required.*\/days.*integer/s);
    expect((error as Error).message).not.toContain("secret");
    expect(run).not.toHaveBeenCalled();
    await expect(wrapped.invoke({ city: "Oslo" } as never)).resolves.toBe('sunny {"city":"Oslo"}');
    const message = await wrapped.invoke(call({ city: "Oslo" }) as never);
    expect(message).toMatchObject({ tool_call_id: "1", content: 'sunny {"city":"Oslo"}' });
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("rejects with our error, or returns a message", async () => {
    await expect(withValidation(make()).invoke(bad as never)).rejects.toThrow(ToolInputError);
    const wrapped = withValidation(make(), { ToolMessage: ToolMessage as never });
    const message = await wrapped.invoke(call(bad) as never);
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ status: "error", tool_call_id: "1", name: "get_weather" });
    expect((message as { content: string }).content).toMatch(/\/city.*required/);
    await expect(wrapped.invoke(bad as never)).rejects.toThrow(ToolInputError);
    expect(run).not.toHaveBeenCalled();
  });

  it("checks arguments even on a path around LangChain's own check", async () => {
    const wrapped = withValidation(make(), { ToolInputParsingException });
    const { func } = wrapped;
    const ways: ((args: never) => unknown)[] = [
      (args) => Reflect.get(wrapped, "_call").call(wrapped, args),
      (args) => wrapped.func(args),
      (args) => Object.create(wrapped).func(args),
      (args) => func(args),
    ];
    for (const way of ways as ((args: unknown) => unknown)[]) {
      await expect(way(bad)).rejects.toThrow(ToolInputParsingException);
      await expect(way(undefined)).rejects.toThrow(ToolInputParsingException);
      expect(run).not.toHaveBeenCalled();
      await expect(way({ city: "Oslo" })).resolves.toBe('sunny {"city":"Oslo"}');
      run.mockClear();
    }
  });

  it("reports arguments without JSON text too", async () => {
    const wrapped = withValidation(make(), { ToolInputParsingException });
    const cyclic: Record<string, unknown> = { city: "Oslo" };
    cyclic["self"] = cyclic;
    for (const args of [cyclic, { city: 5n }, undefined]) {
      const error = await Reflect.apply(wrapped.func, wrapped, [args]).catch((it: unknown) => it);
      expect(error).toBeInstanceOf(ToolInputParsingException);
      expect(error).toMatchObject({ output: "", cause: expect.any(ToolInputError) });
    }
    expect(run).not.toHaveBeenCalled();
  });

  it("runs a class whose handler uses private members", async () => {
    class Forecast extends StructuredTool {
      name = "forecast";
      description = "d";
      schema = WEATHER as never;
      readonly #source = "station";
      protected override async _call({ city }: { city: string }) {
        return `${this.#source} ${city}`;
      }
    }
    const wrapped = withValidation(new Forecast());
    await expect(wrapped.invoke({ city: "Oslo" } as never)).resolves.toBe("station Oslo");
    await expect(wrapped.invoke(bad as never)).rejects.toThrow(ToolInputError);
  });

  it("keeps a class whose accessors use private members", async () => {
    class Forecast extends StructuredTool {
      // LangChain declares `name` as a field, which an accessor of a subclass would not replace.
      name = "forecast";
      #station = "north";
      #asked = 0;
      get station() {
        return this.#station;
      }
      set station(station: string) {
        this.#station = station;
      }
      get description() {
        return `asked ${this.#asked} times`;
      }
      get schema() {
        return this.#asked < 0 ? (undefined as never) : (WEATHER as never);
      }
      source(of: string) {
        return `${this.#station} of ${of}`;
      }
      protected override async _call({ city }: { city: string }) {
        this.#asked += 1;
        return this.source(city);
      }
    }
    class Tomorrow extends Forecast {
      readonly #days = 1;
      get days() {
        return this.#days;
      }
      override source(of: string) {
        return `${super.source(of)} in ${this.#days} day`;
      }
      // A method must run on the wrapped tool: otherwise the calls that it makes would not be checked.
      async ask(input: object) {
        return this.invoke(input as never);
      }
    }
    const own = new Tomorrow();
    const wrapped = withValidation(own);
    expect(isStructuredTool(wrapped)).toBe(true);
    expect(wrapped).toBeInstanceOf(Forecast);
    expect([wrapped.name, wrapped.station, wrapped.days]).toEqual(["forecast", "north", 1]);
    expect(own.source("Oslo")).toBe("north of Oslo in 1 day");
    await expect(wrapped.invoke(bad as never)).rejects.toThrow(ToolInputError);
    await expect(wrapped.ask(bad)).rejects.toThrow(ToolInputError);
    const [answer] = await wrapped.batch([{ city: "Oslo" }] as never);
    expect(answer).toBe("north of Oslo in 1 day");
    expect(wrapped.description).toBe("asked 1 times");
    wrapped.station = "south";
    expect([wrapped.station, own.station]).toEqual(["south", "south"]);
    await expect(wrapped.invoke(call({ city: "Oslo" }) as never)).resolves.toMatchObject({
      name: "forecast",
      content: "south of Oslo in 1 day",
    });
    expect(JSON.stringify(wrapped)).toBe(JSON.stringify(own));
  });

  it("runs methods of LangChain's own classes on the wrapped tool", async () => {
    const wrapped = withValidation(make());
    for (const way of [wrapped.withRetry({ stopAfterAttempt: 1 }), wrapped.withConfig({})]) {
      await expect(way.invoke(bad as never)).rejects.toThrow(ToolInputError);
      await expect(way.invoke({ city: "Oslo" } as never)).resolves.toBe('sunny {"city":"Oslo"}');
    }
    const chunks = [];
    for await (const chunk of await wrapped.stream({ city: "Oslo" } as never)) chunks.push(chunk);
    expect(chunks).toEqual(['sunny {"city":"Oslo"}']);
    await expect(wrapped.stream(bad as never)).rejects.toThrow(ToolInputError);
  });

  it("repairs arguments if repair is on", async () => {
    const wrapped = withValidation(make(), { repair: ["coerce-scalars"] });
    await wrapped.invoke(call({ city: "Oslo", days: "2" }) as never);
    expect(run).toHaveBeenCalledExactlyOnceWith({ city: "Oslo", days: 2 }, expect.anything());
  });

  it("checks results: JSON text, a value, the first of a pair, the end of a stream", async () => {
    const outputSchema = { type: "object", properties: { degrees: { type: "number" } } };
    const results: [unknown, boolean, object?][] = [
      ['{"degrees":1}', true],
      ['{"degrees":"warm"}', false],
      ["warm", false],
      [{ degrees: 1 }, true],
      [{ degrees: "warm" }, false],
      [[{ degrees: 1 }, "artifact"], true, { responseFormat: "content_and_artifact" }],
      [[{ degrees: "warm" }, "artifact"], false, { responseFormat: "content_and_artifact" }],
    ];
    for (const [result, valid, extra] of results) {
      const fields = { name: "t", description: "d", schema: WEATHER, ...extra };
      const made = tool((async () => result) as never, fields as never);
      const wrapped = withValidation(made as never, { outputSchema }) as typeof made;
      const given = wrapped.invoke({ city: "a" } as never);
      if (valid) await expect(given).resolves.toBeDefined();
      else await expect(given).rejects.toThrow(ToolOutputError);
    }
    const stream = async function* () {
      yield "progress";
      return { degrees: "warm" };
    };
    const made = tool(stream as never, { name: "t", description: "d", schema: WEATHER } as never);
    const wrapped = withValidation(made as never, { outputSchema }) as typeof made;
    await expect(wrapped.invoke({ city: "a" } as never)).rejects.toThrow(ToolOutputError);
  });

  it.each([
    5,
    "text",
    null,
    undefined,
    [],
    10n,
    Symbol("s"),
    () => 1,
    new Date(),
    Promise.resolve({}),
  ])("is not created from an invalid schema: %s", (schema) => {
    const made = Object.create(make(), { schema: { value: schema } });
    expect(() => withValidation(made)).toThrow(InvalidSchemaError);
    const { contract } = withValidation(made, { lenient: true });
    expect(contract.input.checked).toBe(false);
    expect(contract.input.reason).not.toBe("sdk");
  });

  it("leaves a Zod schema to LangChain, and says so", async () => {
    const schema = z.object({ city: z.string() });
    const wrapped = withValidation(
      tool(run as never, { name: "t", description: "d", schema }) as never,
    ) as {
      contract: object;
      invoke(args: unknown): Promise<unknown>;
    };
    expect(wrapped.contract).toMatchObject({ input: { checked: false, reason: "sdk" } });
    await expect(wrapped.invoke({})).rejects.toThrow(ToolInputParsingException);
  });
});
