/** Returns a number with a noun in the singular or plural: `1 server`, `2 servers`. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
