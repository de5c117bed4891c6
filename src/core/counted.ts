/** Numbers with their nouns. */

/** A number and the noun that fits it, such as `1 provider` or `2 providers`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
