/** A token service or a metadata service on a loopback port. */

import { dial } from "../../src/upstream/http1/dial.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import type { Fetch } from "../../src/upstream/transport.ts";
import { SystemClock } from "../../src/core/clock.ts";
import type { ManualClock } from "./manual_clock.ts";

/** A request that the service received. */
export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly text: string;
  /** The body as a form. */
  readonly form: URLSearchParams;
}

/** Answers a request; undefined leaves it without an answer. */
export type Answer = (call: ServiceCall) => Response | undefined;

/** A running service with a client that reaches it instead of any host of the internet. */
export interface ImitatedService extends AsyncDisposable {
  readonly calls: ServiceCall[];
  /** The host and port. */
  readonly host: string;
  readonly origin: string;
  /** Sends requests for https URLs to this service, and others where they belong. */
  readonly fetch: Fetch;
  /** Changes the answers. */
  answer: Answer;
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
}

export function imitateService(answer: Answer): ImitatedService {
  const waiting: { count: number; resolve: () => void }[] = [];
  const stopped = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const text = await request.text();
    const { method, headers } = request;
    service.calls.push({ method, path, query, headers, text, form: new URLSearchParams(text) });
    for (const { count, resolve } of waiting) if (service.calls.length >= count) resolve();
    const response = service.answer(service.calls.at(-1) as ServiceCall);
    if (response === undefined) await stopped.promise;
    return response ?? new Response("late");
  });
  const clock = new SystemClock();
  const client = new HttpClient({ dial, clock });
  const host = `127.0.0.1:${server.addr.port}`;
  const service: ImitatedService = {
    calls: [],
    host,
    origin: `http://${host}`,
    answer,
    fetch: (url, init) => client.fetch(url.replace(/^https:\/\/[^/]+/, `http://${host}`), init),
    arrived(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (service.calls.length >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
    async [Symbol.asyncDispose]() {
      stopped.resolve();
      client.close();
      clock.close();
      await server.shutdown();
    },
  };
  return service;
}

/** The dependencies of an exchange with a service. */
export function depsFor(
  { fetch }: Pick<ImitatedService, "fetch">,
  clock: ManualClock,
  files: Readonly<Record<string, string>> = {},
) {
  const texts = new Map(Object.entries(files));
  return {
    clock,
    fetch,
    direct: fetch,
    readFile(path: string) {
      const text = texts.get(path);
      if (text === undefined) throw new Deno.errors.NotFound(path);
      return text;
    },
  };
}

/** A variable's value by its name. */
export function envOf(
  variables: Readonly<Record<string, string>>,
  declared?: readonly string[],
) {
  return (name: string) => {
    if (declared?.includes(name) === false) throw new TypeError(`${name} is not declared`);
    return new Map(Object.entries(variables)).get(name);
  };
}
