/** What holds for every store of the ledger, for PostgreSQL. */

import { HAS_POSTGRES, withPostgres } from "../support/postgres.ts";
import { POSTGRES, stopPostgres } from "../support/postgres_store.ts";
import { testStores } from "../support/store_kinds.ts";
import { REFUSED_MODELS } from "./refused_models.ts";
import { REQUEST_LISTS } from "./request_lists.ts";
import { SORTED_REQUESTS } from "./sorted_requests.ts";
import { STORE_CONTRACT } from "./store_contract.ts";
import { USAGE_ZONES } from "./usage_zones.ts";

Deno.test.afterAll(stopPostgres);

testStores([POSTGRES], [
  ...[...STORE_CONTRACT, ...REQUEST_LISTS, ...SORTED_REQUESTS, ...REFUSED_MODELS, ...USAGE_ZONES],
], {
  ignore: !HAS_POSTGRES,
  toName: withPostgres,
});
