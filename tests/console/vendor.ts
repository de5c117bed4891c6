/** A vendor on a loopback port for the tests of the playground: its answers depend on the model. */

/** What the page must show as text, and never run. */
export const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>' +
  '<a href="javascript:alert(3)">x</a> [x](javascript:alert(4)) "onload=alert(5) </textarea>';

/** The length of the longest answer, in characters. */
export const LONG_ANSWER_CHARS = 200_000;

/** What an answer may contain besides paragraphs. */
const MARKDOWN = "~~old~~ and ~ 5 ~ and $5 or $6, $x_1 * y_2$ and \\(a_b_c\\).\n\n" +
  "- [ ] open\n- [x] done\n- plain\n\n" +
  "| left | middle | right |\n|:--|:-:|--:|\n| a | b | c |\n\n" +
  "שלום עולם\n\n```ts\nconst a = 1;\nconst b = 2;\n```\n";

const BAD_CALL = {
  ...{ index: 0, id: "call_bad", type: "function" },
  function: { name: "get_weather", arguments: '{"city": ' },
};

type Chunks = Iterable<unknown> | AsyncIterable<unknown>;

export class ConsoleVendor implements AsyncDisposable {
  /** The bodies of the requests, in order. */
  // deno-lint-ignore no-explicit-any
  readonly bodies: any[] = [];
  /** Resolves when the connection of an endless answer has been closed. */
  readonly closed: Promise<void>;
  readonly #markClosed: () => void;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#markClosed = resolve;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#answer(request),
    );
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.json();
    this.bodies.push(body);
    switch (body.model) {
      case "endless":
        return this.#endless();
      case "long":
        return stream(longAnswer());
      case "hostile":
        return stream(hostileAnswer(body));
      case "refused":
        return Response.json(
          { error: { message: HOSTILE, type: "invalid_request_error", param: "seed" } },
          { status: 400 },
        );
      case "markdown":
        return stream([delta({ content: MARKDOWN }), END]);
      case "bad-call":
        return stream([delta({ tool_calls: [BAD_CALL] }), END]);
      case "thinking":
        return stream([
          delta({ reasoning_content: "First I count. " }),
          delta({ reasoning_content: "Then I answer." }),
          delta({ content: "Four." }),
          END,
        ]);
      default:
        return stream([delta({ content: "Seen." }), END]);
    }
  }

  /** Writes a word again and again, until the connection is closed. */
  #endless(): Response {
    let timer: ReturnType<typeof setInterval> | undefined;
    const text = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = () => controller.enqueue(encode(delta({ content: "more " })));
        write();
        timer = setInterval(write, 20);
      },
      cancel: () => {
        clearInterval(timer);
        this.#markClosed();
      },
    });
    return new Response(text, { headers: EVENTS });
  }
}

const EVENTS = { "content-type": "text/event-stream" };
const END = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

function delta(delta: Record<string, unknown>) {
  return { choices: [{ index: 0, delta, finish_reason: null }] };
}

function encode(chunk: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

function stream(chunks: Chunks): Response {
  const events = async function* () {
    for await (const chunk of chunks) yield encode(chunk);
    yield new TextEncoder().encode("data: [DONE]\n\n");
  };
  return new Response(ReadableStream.from(events()), { headers: EVENTS });
}

/** Markdown of all kinds, word by word, as fast as the connection takes it. */
function* longAnswer() {
  const block =
    "## A heading\n\nSome **bold** words with `code`, a [link](https://example.com) and " +
    "plain text that goes on for a while, so that the paragraph has several lines.\n\n- one\n" +
    "- two\n\n```ts\nconst answer = 42;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
  let written = 0;
  for (let index = 0; written < LONG_ANSWER_CHARS - 100_000; index++) {
    for (const word of `${index} ${block}`.match(/\S*\s*/g) ?? []) {
      if (word === "") continue;
      written += word.length;
      yield delta({ content: word });
    }
  }
  // A line without an end is the hardest text for a browser.
  while (written < LONG_ANSWER_CHARS) {
    yield delta({ content: "words without a line break " });
    written += 27;
  }
  yield delta({ content: "the-end" });
  yield END;
}

function* hostileAnswer({ tools }: { readonly tools?: unknown }) {
  yield delta({ reasoning_content: HOSTILE });
  yield delta({ content: `${HOSTILE}\n\n# ${HOSTILE}\n\n- ${HOSTILE}\n\n> ${HOSTILE}\n\n` });
  yield delta({
    content: `\`\`\`${HOSTILE}\n${HOSTILE}\n\`\`\`\n\n| ${HOSTILE} |\n|---|\n| x |\n\n`,
  });
  yield delta({ content: `${HOSTILE} **${HOSTILE}** _${HOSTILE}_ [${HOSTILE}](data:text/html,x)` });
  if (tools !== undefined) {
    const call = { name: `f${HOSTILE}`, arguments: JSON.stringify({ city: HOSTILE }) };
    yield delta({
      tool_calls: [{ index: 0, id: `call_${HOSTILE}`, type: "function", function: call }],
    });
  }
  yield END;
}
