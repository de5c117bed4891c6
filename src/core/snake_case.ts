/** A name in camelCase as snake_case, the other spelling of protobuf's JSON. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
