/** Maps with a maximum number of entries: the oldest one is dropped. */

/** Sets the newest entry of a map. */
export function setNewest<Name, Value>(
  entries: Map<Name, Value>,
  name: Name,
  value: Value,
  most: number,
): void {
  entries.delete(name);
  entries.set(name, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

/** Returns an entry of a map, which becomes the newest one; a new one if there is none. */
export function touch<Name, Value>(
  entries: Map<Name, Value>,
  name: Name,
  most: number,
  create: () => Value,
): Value {
  const value = entries.get(name) ?? create();
  setNewest(entries, name, value, most);
  return value;
}
