/** What the requests of several APIs have in common. */

/**
 * Refuses members that an API does not have: nothing is left out in silence.
 *
 * @throws {RangeError}
 */
export function refuse(body, isKnown, api) {
  const name = Object.keys(body).find((member) => !isKnown(member));
  if (name !== undefined) throw new RangeError(`${name}: the ${api} API does not have it`);
}

/** The members of a body besides some. */
export function others(body, names) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

/** The parts of reasoning that this API wrote, as it wrote them. */
export function inApi(details, api) {
  return details.filter((detail) => detail.api === api).map(({ api: _, ...detail }) => detail);
}

/** The arguments of a tool as an object; an empty object for other text. */
export function parsedObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
