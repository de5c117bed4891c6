/** Models of refused requests in the stores that need no program. */

import { LOCAL_STORES, testStores } from "../support/store_kinds.ts";
import { REFUSED_MODELS } from "./refused_models.ts";

testStores(LOCAL_STORES, REFUSED_MODELS);
