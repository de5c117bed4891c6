/** Loaded before Sluice: the process seems to use all of its cores, so that it adds workers. */

import process from "node:process";
import "./idle_processors.ts";

const CORES = 100;
process.cpuUsage = () => ({ user: performance.now() * 1000 * CORES, system: 0 });
