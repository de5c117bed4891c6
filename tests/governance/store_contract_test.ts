/** The stores that need no program. */

import { LOCAL_STORES, testStores } from "../support/store_kinds.ts";
import { STORE_CONTRACT } from "./store_contract.ts";

testStores(LOCAL_STORES, STORE_CONTRACT);
