import { expect, it } from "vitest";
import {
  clientFiles,
  CLIENTS as INSTALLED,
  OLDER_NAMES,
  PROGRAMS,
} from "../packages/cli/src/install/clients.ts";
import { CLIENT_ENTRIES } from "../packages/console/src/servers/client-entries.ts";
import { CLIENTS } from "../packages/protocol/src/tool-checks/adapt/clients.ts";

const PLACE = { platform: "linux", home: "/home/me", cwd: "/home/me", env: {} } as const;

/** Returns the names of clients in `install --client`, by the programs that they mean. */
function installNames(): readonly (readonly [program: string, name: string])[] {
  const byProgram = new Map(Object.entries(PROGRAMS).map(([name, [, program]]) => [program, name]));
  return INSTALLED.flatMap((client) =>
    [...clientFiles(client, PLACE, false), ...clientFiles(client, PLACE, true)].map(
      ({ program }) => [program, byProgram.get(program) ?? client] as const,
    ),
  );
}

it("a client has one name in install, adapt.for and the console", () => {
  const places = [
    installNames(),
    Object.entries(CLIENTS).map(([name, { title }]) => [title, name] as const),
    CLIENT_ENTRIES.map(({ id, label }) => [label, id] as const),
  ];
  const names = new Map<string, Set<string>>();
  for (const [title, name] of places.flat()) {
    const key = title.toLowerCase();
    names.set(key, (names.get(key) ?? new Set()).add(name));
  }
  expect([...names].filter(([, of]) => of.size > 1)).toEqual([]);
  const everywhere = [...names.keys()].filter((title) =>
    places.every((place) => place.some(([one]) => one.toLowerCase() === title)),
  );
  // Some clients occur in one or two of the places only.
  expect(everywhere.toSorted()).toEqual([
    "claude code",
    "claude desktop",
    "cline",
    "codex",
    "cursor",
    "gemini cli",
    "goose",
    "opencode",
    "vs code",
    "windsurf",
    "zed",
  ]);
});

it("an older name is the name of no other client", () => {
  for (const [older, current] of OLDER_NAMES) {
    expect(INSTALLED).toContain(current);
    expect(INSTALLED).not.toContain(older);
  }
});
