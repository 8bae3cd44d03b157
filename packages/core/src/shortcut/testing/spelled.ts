const SPACES = ["", "", " ", "\n\t", "                    "];

/** A JSON text of a value in which `seed` chooses white space, escapes, and how numbers are spelled. */
export function spelled(value: unknown, seed: number): string {
  let state = seed >>> 0;
  const choose = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % count;
  };
  const space = (): string => (seed % 3 === 0 ? "" : (SPACES[choose(SPACES.length)] as string));
  const escaped = (text: string): string => {
    const plain = JSON.stringify(text);
    if (seed % 4 !== 0 || choose(3) !== 0) return plain;
    const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
  };
  const number = (of: number): string => {
    const plain = JSON.stringify(of);
    if (plain.includes("e")) return plain;
    const spellings = [plain, plain.includes(".") ? `${plain}0` : `${plain}.0`, `${plain}e0`];
    return spellings[choose(4)] ?? plain;
  };
  const write = (part: unknown): string => {
    if (typeof part === "string") return escaped(part);
    if (typeof part === "number") return number(part);
    if (Array.isArray(part)) {
      const items = part.map((item) => `${space()}${write(item)}${space()}`);
      return `[${items.length === 0 ? space() : items.join(",")}]`;
    }
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    const members = Object.entries(part).map(
      ([key, item]) => `${space()}${escaped(key)}${space()}:${space()}${write(item)}${space()}`,
    );
    return `{${members.length === 0 ? space() : members.join(",")}}`;
  };
  return `${space()}${write(value)}${space()}`;
}
