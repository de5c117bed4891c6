/**
 * LangChain4j in front of a gateway, as a part of `deno task clients`: Maven gets the library. It
 * is skipped where no JDK, no Maven or no library can be had.
 */

import { assertEquals } from "@std/assert";
import { hasCommands, hasJdk, runJava, startForJava } from "../support/java.ts";
import { needs } from "../support/needs.ts";
import { LANGCHAIN4J_VERSION as VERSION } from "./programs.ts";

const dependency = (artifact: string) => `
    <dependency>
      <groupId>dev.langchain4j</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${VERSION}</version>
    </dependency>`;

const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId>
  <artifactId>test</artifactId>
  <version>1</version>
  <dependencies>${dependency("langchain4j")}${dependency("langchain4j-open-ai")}
  </dependencies>
</project>
`;

/** Prints what a chat, a stream and a loop with a tool come to. */
const PROGRAM = `
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.chat.response.*;
import dev.langchain4j.model.openai.*;
import dev.langchain4j.service.*;
import java.net.http.HttpClient;
import java.util.concurrent.*;

public class Ask {
  public static class Tools {
    int calls = 0;
    @Tool("The weather of a city") public String weather(String city) { calls++; return "sunny"; }
  }
  interface Assistant { Result<String> chat(String message); }
  interface Streaming { TokenStream chat(String message); }

  public static void main(String[] args) throws Exception {
    var base = args[0] + "/v1";
    var plain = OpenAiChatModel.builder().baseUrl(base).apiKey("sk-own").modelName("mock-echo");
    var stream = OpenAiStreamingChatModel.builder().baseUrl(base).apiKey("sk-own").modelName("mock-echo");
    if (args.length > 1) {
      var http = JdkHttpClient.builder().httpClientBuilder(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
      plain.httpClientBuilder(http);
      stream.httpClientBuilder(http);
    }
    try {
      System.out.println("chat: " + plain.maxRetries(0).build().chat("Hello there"));
    } catch (Exception thrown) {
      System.out.println("failed: " + thrown.getClass().getSimpleName());
      return;
    }
    var tools = new Tools();
    var answer = AiServices.builder(Assistant.class).chatModel(plain.build()).tools(tools).build().chat("The weather please");
    System.out.println("tools: " + tools.calls + " " + answer.toolExecutions().get(0).request().name() + " " + !answer.content().isEmpty());
    for (var prompt : new String[] {"Hello there", "The weather please"}) {
      var done = new CompletableFuture<ChatResponse>();
      var pieces = new StringBuffer();
      var used = new Tools();
      AiServices.builder(Streaming.class).streamingChatModel(stream.build()).tools(used).build().chat(prompt)
        .onPartialResponse(pieces::append).onCompleteResponse(done::complete).onError(done::completeExceptionally).start();
      var whole = done.get(30, TimeUnit.SECONDS).aiMessage().text();
      System.out.println("stream: " + used.calls + " " + !whole.isEmpty() + " " + whole.equals(pieces.toString()));
    }
    System.exit(0);
  }
}`;

/** The class path of the library; undefined where it cannot be had. */
async function resolveClassPath(): Promise<string | undefined> {
  if (!hasJdk() || !hasCommands(["mvn", "--version"])) return undefined;
  const folder = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    await Deno.writeTextFile(`${folder}/pom.xml`, PROJECT);
    const { success } = await new Deno.Command("mvn", {
      args: ["-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=class_path"],
      cwd: folder,
      stdout: "null",
      stderr: "null",
    }).output();
    return success ? await Deno.readTextFile(`${folder}/class_path`) : undefined;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const classPath = await resolveClassPath();

Deno.test({
  ...needs(
    `a JDK, and Maven with LangChain4j ${VERSION}`,
    classPath !== undefined,
    `LangChain4j ${VERSION}: a chat, streams and tools, at its defaults and with HTTP/1.1`,
  ),
  async fn() {
    await using gateway = await startForJava();
    const { main, compatible, running } = gateway;
    running.write("Ask.java", PROGRAM);
    const ask = (...args: string[]) => runJava(`${running.directory}/Ask.java`, args, classPath);
    const answers = [
      "chat: You said: Hello there",
      "tools: 1 weather true",
      "stream: 0 true true",
      "stream: 1 true true",
      "",
    ].join("\n");
    assertEquals(await ask(compatible), answers);
    assertEquals(await ask(main, "http1"), answers);
    // What `compatible` is for.
    assertEquals(await ask(main), "failed: InvalidRequestException\n");
  },
});
