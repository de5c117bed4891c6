/** The JDK's HTTP client; skipped where no JDK is. */

import { assertEquals, assertMatch } from "@std/assert";
import { needs } from "../support/needs.ts";
import { startSluice } from "../support/process.ts";

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

function hasJava(): boolean {
  try {
    return new Deno.Command("java", { args: ["--list-modules"], stdout: "piped", stderr: "null" })
          .outputSync().stdout.length > 0 &&
      new Deno.Command("javac", { args: ["-version"], stdout: "null", stderr: "null" }).outputSync()
        .success;
  } catch {
    return false;
  }
}

Deno.test({
  ...needs("a JDK", hasJava(), "Java's client at its defaults is served by a compatible listener"),
  async fn() {
    const config = {
      server: {
        port: 0,
        keys: [{ name: "own", key: "sk-own" }],
        listeners: [{ port: 0, compatible: true }],
        workers: 1,
      },
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    };
    await using running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
    await running.logged("\n    -d ");
    const [main = "", compatible = ""] = [...running.stderr().matchAll(/127\.0\.0\.1:\d+/g)]
      .map(([address]) => address).filter((one, at, all) => all.indexOf(one) === at);
    const folder = Deno.makeTempDirSync({ prefix: "sluice-java-" });
    Deno.writeTextFileSync(`${folder}/Ask.java`, PROGRAM);
    const ask = async (...args: string[]) => {
      const { stdout } = await new Deno.Command("java", {
        args: ["-XX:TieredStopAtLevel=1", `${folder}/Ask.java`, ...args],
        stderr: "inherit",
      }).output();
      return new TextDecoder().decode(stdout);
    };
    assertEquals(await ask(`http://${compatible}`), "200 HTTP_1_1 true\n".repeat(2));
    assertEquals(await ask(`http://${main}`, "http1"), "200 HTTP_1_1 true\n".repeat(2));
    // The reason for `compatible`; the runtime answers before the gateway's code runs.
    assertMatch(await ask(`http://${main}`), /^400 /);
    Deno.removeSync(folder, { recursive: true });
  },
});
