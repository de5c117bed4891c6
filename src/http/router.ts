/** Matches requests against a table of methods and path patterns. */

/** The method and the path of a route. */
export interface RoutePattern {
  readonly method: string;
  /**
   * A path of literal segments and parameters. `{name}` matches one segment; `{name...}`, as the
   * last segment, matches one or more.
   */
  readonly path: string;
}

/** The routes of a path, and the values of its parameters. */
export interface RouteMatch<Route> {
  readonly routes: readonly Route[];
  /** The values of the parameters, percent-decoded if they are valid. */
  readonly params: ReadonlyMap<string, string>;
}

/** All routes with the same path pattern. */
interface PathEntry<Route> {
  readonly segments: readonly string[];
  readonly routes: Route[];
}

const NO_PARAMS: ReadonlyMap<string, string> = new Map();

/** Matches paths against a table. A path without parameters takes one lookup. */
export class Router<Route extends RoutePattern> {
  readonly #exact = new Map<string, Route[]>();
  /** The paths with parameters, in the order of the table. */
  readonly #patterns: PathEntry<Route>[] = [];
  /** The last path without parameters. */
  #lastPath: string | undefined;
  #lastMatch: RouteMatch<Route> | undefined;

  constructor(table: readonly Route[]) {
    for (const route of table) {
      if (!route.path.includes("{")) {
        const routes = this.#exact.get(route.path);
        if (routes === undefined) this.#exact.set(route.path, [route]);
        else routes.push(route);
        continue;
      }
      const known = this.#patterns.find(({ routes }) => routes[0]?.path === route.path);
      if (known === undefined) {
        this.#patterns.push({ segments: route.path.split("/"), routes: [route] });
      } else known.routes.push(route);
    }
  }

  /** Returns the routes of a path. One trailing slash is ignored. */
  match(requested: string): RouteMatch<Route> | undefined {
    const path = requested.length > 1 && requested.endsWith("/")
      ? requested.slice(0, -1)
      : requested;
    // Comparing a path takes less time than computing its hash.
    if (path === this.#lastPath) return this.#lastMatch;
    const exact = this.#exact.get(path);
    if (exact !== undefined) {
      this.#lastPath = path;
      return this.#lastMatch = { routes: exact, params: NO_PARAMS };
    }
    for (const { segments, routes } of this.#patterns) {
      const params = capture(segments, path);
      if (params !== undefined) return { routes, params };
    }
    return undefined;
  }
}

/** The values of a pattern's parameters, or undefined when the path does not match. */
function capture(segments: readonly string[], path: string): Map<string, string> | undefined {
  const params = new Map<string, string>();
  let start = 0;
  for (const [index, segment] of segments.entries()) {
    if (start > path.length) return undefined;
    const name = /^\{(\w+)(\.\.\.)?\}$/.exec(segment);
    const takesRest = name?.[2] !== undefined;
    const slash = takesRest ? -1 : path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const value = path.slice(start, end);
    if (name === null ? value !== segment : value === "") return undefined;
    if (name?.[1] !== undefined) params.set(name[1], decoded(value));
    start = end + 1;
    if (index === segments.length - 1 && end !== path.length) return undefined;
  }
  return params;
}

/** Percent-decodes a segment, since some clients encode the `/` and the `@` of a model ID. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
