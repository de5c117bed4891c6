/** The JDK's HTTP client; skipped where no JDK is. */

import { assertEquals, assertMatch } from "@std/assert";
import { hasJdk, runJava, startForJava } from "../support/java.ts";
import { needs } from "../support/needs.ts";

/** Sends two chat requests on one connection, and prints their statuses and the last body. */
const PROGRAM = `
import java.net.URI;
import java.net.http.*;
public class Ask {
  public static void main(String[] args) throws Exception {
    var builder = HttpClient.newBuilder();
    if (args.length > 1) builder.version(HttpClient.Version.HTTP_1_1);
    var client = builder.build();
    var body = "{\\"model\\":\\"mock-echo\\",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"Hi\\"}]}";
    for (int count = 0; count < 2; count++) {
      var request = HttpRequest.newBuilder(URI.create(args[0] + "/v1/chat/completions"))
        .header("authorization", "Bearer sk-own").header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
      var response = client.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(response.statusCode() + " " + response.version() + " " + response.body().contains("mock-echo"));
    }
  }
}`;

Deno.test({
  ...needs("a JDK", hasJdk(), "Java's client at its defaults is served by a compatible listener"),
  async fn() {
    await using gateway = await startForJava();
    const { main, compatible, running } = gateway;
    running.write("Ask.java", PROGRAM);
    const ask = (...args: string[]) => runJava(`${running.directory}/Ask.java`, args);
    assertEquals(await ask(compatible), "200 HTTP_1_1 true\n".repeat(2));
    assertEquals(await ask(main, "http1"), "200 HTTP_1_1 true\n".repeat(2));
    // The reason for `compatible`; the runtime answers before the gateway's code runs.
    assertMatch(await ask(main), /^400 /);
  },
});
