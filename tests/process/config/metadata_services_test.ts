import { assertEquals } from "@std/assert";
import { MetadataServices } from "../../../src/process/config/network_clients.ts";
import type { MetadataService } from "../../../src/upstream/credentials/find_ambient.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A service that exists once it is switched on. */
function createService(address = "a") {
  const state = { exists: false, probes: 0 };
  const service: MetadataService = {
    cloud: "aws",
    label: "AWS instance metadata",
    address,
    probe() {
      state.probes++;
      return Promise.resolve(state.exists);
    },
  };
  return { service, state };
}

function setUp() {
  const clock = new ManualClock();
  const changes: string[] = [];
  const services = new MetadataServices();
  const start = () =>
    services.start({
      clock,
      fetch: () => Promise.reject(new TypeError()),
      onChange: ({ address }, exists) => void changes.push(`${address} ${exists}`),
    });
  return { clock, changes, services, start };
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};

Deno.test("a service is unknown until it is checked, which loading does not wait for", async () => {
  const { changes, clock, services, start } = setUp();
  const { service, state } = createService();
  assertEquals([services.has(service), state.probes], [undefined, 0]);
  state.exists = true;
  const stop = start();
  assertEquals(services.has(service), undefined);
  await settle();
  assertEquals([services.has(service), state.probes], [true, 1]);
  assertEquals([changes, clock.pending], [["a true"], 0]);
  stop();
});

Deno.test("a missing service is looked for again, less and less often", async () => {
  const { changes, clock, services, start } = setUp();
  const { service, state } = createService();
  services.has(service);
  const stop = start();
  await settle();
  // One reply may get lost in the start of a busy machine.
  assertEquals([services.has(service), changes], [undefined, []]);
  clock.advance(1000);
  await settle();
  assertEquals([services.has(service), changes], [false, ["a false"]]);
  clock.advance(2000);
  await settle();
  assertEquals([state.probes, changes], [3, ["a false"]]);
  state.exists = true;
  clock.advance(5000);
  await settle();
  assertEquals([services.has(service), changes], [true, ["a false", "a true"]]);
  assertEquals([state.probes, clock.pending], [4, 0]);
  stop();
});

Deno.test("a service that replies to the second check was never missing", async () => {
  const { changes, clock, services, start } = setUp();
  const { service, state } = createService();
  services.has(service);
  const stop = start();
  await settle();
  state.exists = true;
  clock.advance(1000);
  await settle();
  assertEquals([services.has(service), changes, clock.pending], [true, ["a true"], 0]);
  stop();
});

Deno.test("the checks end, until the configuration is loaded again", async () => {
  const { clock, services, start } = setUp();
  const { service, state } = createService();
  services.has(service);
  const stop = start();
  for (let minute = 0; minute < 20; minute++) {
    await settle();
    clock.advance(60_000);
  }
  await settle();
  const { probes } = state;
  assertEquals([probes, clock.pending], [10, 0]);
  services.has(service);
  await settle();
  assertEquals([state.probes, clock.pending], [11, 1]);
  stop();
  assertEquals(clock.pending, 0);
});

Deno.test("services of a later configuration are checked, and each address once at a time", async () => {
  const { changes, clock, services, start } = setUp();
  const stop = start();
  const [one, other] = [createService("a"), createService("b")];
  services.has(one.service);
  services.has(one.service);
  services.has(other.service);
  await settle();
  assertEquals([one.state.probes, other.state.probes], [1, 1]);
  clock.advance(1000);
  await settle();
  assertEquals(changes, ["a false", "b false"]);
  stop();
});
