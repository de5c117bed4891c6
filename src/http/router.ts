/** Finds the route of a request: one table of methods and path patterns. */

/** What a route says about the requests that it takes. */
export interface RoutePattern {
  readonly method: string;
  /**
   * A path whose segments stand for themselves or, as `{name}`, for any segment. A last segment
   * `{name...}` stands for one or more segments.
   */
  readonly path: string;
}

/** The routes of one path, with what its pattern captured. */
export interface RouteMatch<Route> {
  readonly routes: readonly Route[];
  /** The captured segments by name, percent-decoded where that is possible. */
  readonly params: ReadonlyMap<string, string>;
}

/** All routes with the same path pattern. */
interface PathEntry<Route> {
  readonly segments: readonly string[];
  readonly routes: Route[];
}

const NO_PARAMS: ReadonlyMap<string, string> = new Map();

/** Matches paths against a table. Paths without parameters are found by one look-up. */
export class Router<Route extends RoutePattern> {
  readonly #exact = new Map<string, Route[]>();
  /** In the order of the table. */
  readonly #patterns: PathEntry<Route>[] = [];

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

  /** The routes of a path. One slash at the end is ignored. */
  match(requested: string): RouteMatch<Route> | undefined {
    const path = requested.length > 1 && requested.endsWith("/")
      ? requested.slice(0, -1)
      : requested;
    const exact = this.#exact.get(path);
    if (exact !== undefined) return { routes: exact, params: NO_PARAMS };
    for (const { segments, routes } of this.#patterns) {
      const params = capture(segments, path);
      if (params !== undefined) return { routes, params };
    }
    return undefined;
  }
}

/** What a pattern captures of a path, or undefined when the path does not fit. */
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

/** Clients percent-encode the slashes and the `@` of a model ID, or they do not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
