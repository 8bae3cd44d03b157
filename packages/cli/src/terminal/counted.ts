/** Returns a number with a noun in the singular or plural: `1 file`, `2 files`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
